package main

import (
	"math/rand/v2"
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// sample is how many letters of each script meet each other and the marks.
const sample = 6

// joiners are what makes one sign of two, or changes how one is drawn.
var joiners = []string{"\u200d", "\u200c", "\ufe0f", "\ufe0e", "\u034f", "\u20e3", "\U0001f3fd", "\U0001f1e9"}

// everything lists the texts to ask for.
func everything(random int, seed uint64) []string {
	list := append(singles(), perScript()...)
	parts := singles()
	rnd := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same texts for the same seed
	for range random {
		text := ""
		for range 2 + rnd.IntN(6) {
			text += parts[rnd.IntN(len(parts))]
		}
		list = append(list, text)
	}
	return list
}

// singles are all characters: alone, doubled, and between others.
func singles() []string {
	var list []string
	for r := rune(0xa0); r <= unicode.MaxRune; r++ {
		switch {
		case r == 0x20100, r == 0x30100: // ideographs: those before stand for all
			r += 0xff00 - 0x200
		case r >= 0xd800 && r < 0xe000, !assigned(r):
			continue
		}
		s := string(r)
		list = append(list, s, s+s, "e"+s+"x", "क"+s+"क", "가"+s+"가", "👍"+s+"👍", "語"+s)
	}
	return list
}

func assigned(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf)
}

// perScript are pairs and triples of every script: letters with its marks, one, two
// and three, and letters joined by its viramas and by the joiners of all scripts.
func perScript() []string {
	names := make([]string, 0, len(unicode.Scripts))
	for name := range unicode.Scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	var list []string
	for _, name := range names {
		letters, marks, viramas := of(unicode.Scripts[name])
		join := append(append([]string{""}, joiners...), viramas...)
		for _, a := range letters {
			for _, m := range marks {
				list = append(list, a+m, a+m+m, a+m+m+m, a+m+a)
				for _, v := range viramas {
					list = append(list, a+m+v, a+v+a+m, a+v+m)
				}
			}
			for _, b := range letters {
				for _, j := range join {
					list = append(list, a+j+b, a+j+"\u200d"+b, a+j+b+j+a, a+b+j)
				}
			}
		}
	}
	return list
}

// of takes some letters, all marks and all viramas out of a script.
func of(script *unicode.RangeTable) (letters, marks, viramas []string) {
	for r := rune(' '); r <= 0x2ffff; r++ {
		if !unicode.Is(script, r) {
			continue
		}
		switch {
		case norm.NFC.PropertiesString(string(r)).CCC() == virama:
			viramas = append(viramas, string(r))
		case unicode.IsMark(r):
			marks = append(marks, string(r))
		default:
			letters = append(letters, string(r))
		}
	}
	step := max(1, len(letters)/sample)
	var some []string
	for i := 0; i < len(letters); i += step {
		some = append(some, letters[i])
	}
	return some, marks, viramas
}
