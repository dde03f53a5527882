package safe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNotes(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"ASCII":          {"curl https://example.com", nil},
		"one script":     {"größe привет", nil},
		"with ideogram":  {"README日本語", nil},
		"mixed":          {"curl https://раypal.com", []string{"mixed scripts in «раypal» (Cyrillic, Latin)"}},
		"two foreign":    {"αб", []string{"mixed scripts in «αб» (Greek, Cyrillic)"}},
		"with an accent": {"a\u0301а", []string{"mixed scripts in «a\u0301а» (Latin, Cyrillic)"}},
		"three scripts":  {"aбγ", []string{"mixed scripts in «aбγ» (Latin, Cyrillic)"}},
		"mixed, Hebrew":  {"אa", []string{"mixed scripts in «אa» (Hebrew, Latin)"}},
		"told once":      {"раypal раypal", []string{"mixed scripts in «раypal» (Cyrillic, Latin)"}},
		"full width":     {"ｃurl", []string{"look-alike letters in «ｃurl»"}},
		"one of two":     {"ａя", []string{"look-alike letters in «ａя»"}},
		"mathematical":   {"sudo 𝐫𝐦", []string{"look-alike letters in «𝐫𝐦»"}},
		"semicolon":      {"ls\u037e", []string{"\u037e (U+037E) is not ;"}},
		"slash":          {"a\u2215b", []string{"\u2215 (U+2215) is not /"}},
		"Hebrew": {"rm אב", []string{
			"right-to-left letters in «אב»: your terminal may reorder what is around them",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Notes(tc.in)); diff != "" {
				t.Errorf("Notes(%q): -want +got\n%s", tc.in, diff)
			}
		})
	}
}

func TestNotesAreFewAndSafe(t *testing.T) {
	got := Notes(strings.Repeat("р\u0301\u202ea ", 3) + "аb вd еf оp рc хy " + strings.Repeat("оp", 500))
	if len(got) != maxNotes {
		t.Errorf("%d remarks, want %d: %q", len(got), maxNotes, got)
	}
	for _, n := range got {
		check(t, Reverse(n), n, "")
	}
}

// Scripts that are written from right to left; words of a Latin letter and one that is
// common, or that nobody takes for Latin; a letter in disguise in each range.
func TestNotesOnScripts(t *testing.T) {
	for _, w := range []string{"אב", "سلام", "ܐܒ", "ހށ", "ߊߋ"} {
		if diff := cmp.Diff([]string{"right-to-left letters in «" + w + "»: your terminal may reorder what is around them"}, Notes("rm "+w)); diff != "" {
			t.Error(diff)
		}
	}
	for _, w := range []string{"a日", "aひ", "aカ", "a한", "aㄅ", "aʹ", "a\u0301b", "ärger"} {
		if got := Notes(w); len(got) > 0 {
			t.Errorf("%s: %q", w, got)
		}
	}
	for _, w := range []string{"０a", "aｚ", "𝐀", "𝟿", "ℂ", "ⅎ", "rⓜ", "Ⓐ", "ⓩ", "🄐", "🆉", "⒜"} {
		if diff := cmp.Diff([]string{"look-alike letters in «" + w + "»"}, Notes(w)); diff != "" {
			t.Error(diff)
		}
	}
	for _, w := range []string{"①", "ﬀ", "🇦", "⓪"} {
		if got := Notes(w); len(got) > 0 {
			t.Errorf("%s: %q", w, got)
		}
	}
	for r, want := range map[rune]bool{
		0xff0f: false, 0xff10: true, 0xff5a: true, 0xff5b: false, 0x1d3ff: false, 0x1d400: true, 0x1d7ff: true, 0x1d800: false,
		0x20ff: false, 0x2100: true, 0x214f: true, 0x2150: false, 0x249b: false, 0x249c: true, 0x24e9: true, 0x24ea: false,
		0x1f10f: false, 0x1f110: true, 0x1f189: true, 0x1f18a: false,
	} {
		if styled(r) != want {
			t.Errorf("styled(%U) is %v", r, !want)
		}
	}
}

// Signs that look like those that shells and paths know.
func TestLookAlikes(t *testing.T) {
	for sign, like := range map[string]string{
		"\u037e": ";", "\u2044": "/", "\u2215": "/", "\u29f8": "/", "\u2216": `\`, "\u29f5": `\`, "\u29f9": `\`, "\u2010": "-", "\u2011": "-",
		"\u2212": "-", "\u2024": ".", "\u2223": "|", "\u223c": "~", "\u2039": "<", "\u203a": ">", "\u2236": ":",
		"\uff01": "!", "\uff1b": ";", "\uff5c": "|", "\uff5e": "~", "\uff06": "&",
	} {
		r := []rune(sign)[0]
		if diff := cmp.Diff([]string{fmt.Sprintf("%s (U+%04X) is not %s", sign, r, like)}, Notes("a "+sign+" b")); diff != "" {
			t.Error(diff)
		}
	}
	for _, sign := range []string{"€", "–", "…", "\uff00", "\uff5f", "\u2025", "\u2238"} {
		if got := Notes("a " + sign + " b"); len(got) > 0 {
			t.Errorf("%U: %q", []rune(sign)[0], got)
		}
	}
}
