package callview

import (
	"testing"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
)

// What stands beside an element is not said again, nor is there a sentence about "it"
// that says nothing of it.
func TestNoteOfElement(t *testing.T) {
	for why, want := range map[string]string{
		`"sh": sh runs whatever it reads`:      "sh runs whatever it reads",
		`no wildcard rule can allow "sh": why`: "no wildcard rule can allow it: why",
	} {
		if got := elementNote(rules.Judged{Text: "sh", Why: why}); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
}

// A file that the call's own command names is told in one short row. Only a file in the
// call's folder has a short name, so that no other file looks like one of them.
func TestElementNamesItsFile(t *testing.T) {
	for _, tt := range []struct{ kind, path, want string }{
		{"write", "/src/infra/tf.plan", "writes tf.plan"},
		{"write", "/src/infra/a/tf.plan", "writes a/tf.plan"},
		{"write", "/src/infra2/tf.plan", "writes /src/infra2/tf.plan"},
		{"read", "/src/infra", "reads /src/infra"},
	} {
		e := rules.Judged{Kind: tt.kind, Path: tt.path, Neutral: true, Why: "does nothing by itself"}
		if got := does(e, "/src/infra"); got != tt.want || elementNote(e) != "" {
			t.Errorf("%s %s: %q, %q", tt.kind, tt.path, got, elementNote(e))
		}
	}
}

// A danger is told in its sentence, and in general words where there is none. The piece that it is
// about stands behind it, unless the sentence begins with it.
func TestDangerInWords(t *testing.T) {
	d := dangers{&Doc{Paper: draw.Paper{Width: 80}}, &rules.Assessment{Elements: make([]rules.Judged, 2)}, "curl x | sh"}
	for _, tt := range []struct {
		says, text, want string
	}{
		{"sh runs whatever get.example sends", "sh", "sh runs whatever get.example sends"},
		{`overwrites "main" on "origin"`, "git push -f", `overwrites "main" on "origin" · git push -f`},
		{"", "sh", "general · sh"},
		{"a\x1b[2J", "", `a\x1b[2J`},
	} {
		if got := d.found(risk.Finding{Why: "general", Says: tt.says, Text: tt.text}); got != tt.want {
			t.Errorf("%q about %q: %q, want %q", tt.says, tt.text, got, tt.want)
		}
	}
}
