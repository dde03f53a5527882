package safe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNotes(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"ASCII":         {"curl https://example.com", nil},
		"one script":    {"größe привет", nil},
		"with ideogram": {"README日本語", nil},
		"mixed":         {"curl https://раypal.com", []string{"mixed scripts in «раypal» (Cyrillic, Latin)"}},
		"told once":     {"раypal раypal", []string{"mixed scripts in «раypal» (Cyrillic, Latin)"}},
		"full width":    {"ｃurl", []string{"look-alike letters in «ｃurl»"}},
		"mathematical":  {"sudo 𝐫𝐦", []string{"look-alike letters in «𝐫𝐦»"}},
		"semicolon":     {"ls\u037e", []string{"\u037e (U+037E) is not ;"}},
		"slash":         {"a\u2215b", []string{"\u2215 (U+2215) is not /"}},
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
