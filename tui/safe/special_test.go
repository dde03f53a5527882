package safe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpecials(t *testing.T) {
	got := Specials("ls\t\x1b[2J \u202ex\u202e \u0430\xff\nend")
	want := []Special{
		{At: 2, Raw: "\t", Times: 1, Name: "U+0009 TAB"},
		{At: 3, Raw: "\x1b", Times: 1, Name: "U+001B ESCAPE"},
		{At: 8, Raw: "\u202e", Times: 2, Name: "U+202E RIGHT-TO-LEFT OVERRIDE"},
		{At: 16, Raw: "\u0430", Times: 1, Name: "U+0430 CYRILLIC SMALL LETTER A"},
		{At: 18, Raw: "\xff", Times: 1, Name: "byte 0xFF, which is no UTF-8"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := Specials("plain text\nof two lines"); len(got) > 0 {
		t.Errorf("plain text has %v", got)
	}
}

// What a text hides from the eye is among its special characters, whatever it is.
func FuzzSpecials(f *testing.F) {
	f.Add("ls \x1b]0;x\a \u200b")
	f.Add("\xff\xfe\u0085")
	f.Fuzz(func(t *testing.T, s string) {
		named := ""
		for _, sp := range Specials(s) {
			if s[sp.At:sp.At+len(sp.Raw)] != sp.Raw || sp.Times < 1 {
				t.Fatalf("%q: %+v is not where it says", s, sp)
			}
			if Line(sp.Name) != sp.Name {
				t.Fatalf("name %q is not safe to draw", sp.Name)
			}
			named += sp.Raw
		}
		for token := range Tokens(s, Lines) {
			if token.Kind != Escape {
				continue
			}
			for _, r := range token.Raw {
				if r != '\\' && r != '\uFFFD' && r >= ' ' && r < 0x7f {
					continue
				}
				if r != '\\' && r != '\uFFFD' && !strings.ContainsRune(named, r) {
					t.Fatalf("%q: %q is escaped and not named", s, token.Raw)
				}
			}
		}
	})
}

func TestSpecialNames(t *testing.T) {
	for c, name := range map[rune]string{
		0: "NULL", 7: "BELL", 8: "BACKSPACE", 9: "TAB", 11: "LINE TABULATION", 12: "FORM FEED", 13: "CARRIAGE RETURN", 27: "ESCAPE",
		127: "DELETE", 133: "NEXT LINE", 144: "DEVICE CONTROL STRING", 155: "CONTROL SEQUENCE INTRODUCER", 156: "STRING TERMINATOR",
		157: "OPERATING SYSTEM COMMAND", 0x200b: "ZERO WIDTH SPACE", 0xe000: "<Private Use>", 0x378: "without a name", 0xfffd: "REPLACEMENT CHARACTER",
	} {
		got := Specials(string(c) + "x")
		if len(got) != 1 || got[0].At != 0 || got[0].Name != fmt.Sprintf("U+%04X %s", c, name) {
			t.Errorf("%U: %+v, want %s", c, got, name)
		}
	}
}
