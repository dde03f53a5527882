package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
)

// drawn is a terminal that shows what a program wrote.
func drawn(width, height int, out string) *terminal {
	t := &terminal{width: width, height: height, screen: vt.NewSafeEmulator(width, height)}
	_, _ = t.screen.Write([]byte(out))
	return t
}

func TestRow(t *testing.T) {
	p := painter{text: "#dddddd", back: "#000000"}
	for name, c := range map[string]struct{ out, want string }{
		"plain":      {"a  b", `<text x="0" y="13" textLength="33.6">a` + "\u00a0\u00a0" + `b</text>`},
		"escaped":    {"<&", `<text x="0" y="13" textLength="16.8">&lt;&amp;</text>`},
		"coloured":   {"\x1b[1;38;2;1;2;3mx", `<text x="0" y="13" textLength="8.4" fill="#010203" class="b">x</text>`},
		"on ground":  {" \x1b[48;2;1;2;3mx", `<path fill="#010203" d="M8.4 0h8.4v16.5h-8.4z"/><text x="8.4" y="13" textLength="8.4">x</text>`},
		"reverse":    {"\x1b[7mx", `<path fill="#dddddd" d="M0 0h8.4v16.5h-8.4z"/><text x="0" y="13" textLength="8.4" fill="#000000">x</text>`},
		"underlined": {"\x1b[4mx", `<text x="0" y="13" textLength="8.4" text-decoration="underline">x</text>`},
		"wide":       {"世x", `<text x="0" y="13" textLength="16.8">世</text><text x="16.8" y="13" textLength="8.4">x</text>`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := p.row(drawn(8, 1, c.out), 0); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// A moving picture is well-formed, keeps a row that stays once, and shows each frame in its time.
func TestFilm(t *testing.T) {
	f := &film{t: drawn(8, 2, "stays\r\none"), p: painter{text: "#dddddd", back: "#000000"}}
	f.hold(time.Second)
	f.t = drawn(8, 2, "stays\r\ntwo")
	f.say("<", "a & b")
	f.hold(3 * time.Second)
	got := f.svg()
	if n := strings.Count(got, "stays"); n != 1 {
		t.Errorf("a row that stays is there %d times", n)
	}
	for _, want := range []string{"film 4.00s", "0.00%{transform:translateX(-0px)}25.00%{", "a\u00a0&amp;\u00a0b", "&lt;"} {
		if !strings.Contains(got, want) && !strings.Contains(got, strings.ReplaceAll(want, "\u00a0", " ")) {
			t.Errorf("not in the picture: %q", want)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
