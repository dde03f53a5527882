package ruleedit

import (
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/text"
)

func TestExactPattern(t *testing.T) {
	for name, tc := range map[string]struct{ parameter, value, want string }{
		"command":    {"command", "a | b*", "line:a | b*"},
		"text":       {"query", `a*b|c\d`, `a\*b\|c\\d`},
		"path":       {"file_path", "/a/[b]{c}?*", `/a/\[b\]\{c\}\?\*`},
		"expression": {"query", "re:x", `\re:x`},
		"plain":      {"url", "https://x.example/a", "https://x.example/a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := exactPattern(tc.parameter, tc.value); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A priority that is none is the form's own mistake.
func TestPriorityIsANumber(t *testing.T) {
	for typed, wrong := range map[string]bool{"1x": true, "1000001": true, "-1": true, "7": false, "": false} {
		f := form{decision: choice{names: verdictNames}, priority: text.NewLine(typed)}
		r, w := f.rule(time.Unix(0, 0))
		switch {
		case (w != nil) != wrong:
			t.Errorf("%q: %v", typed, w)
		case wrong && w.field != field{kind: fieldPriority}:
			t.Errorf("%q: the mistake is in %v", typed, w.field)
		case typed == "7" && r.Priority != 7, typed == "" && r.Priority != rules.DefaultPriority:
			t.Errorf("%q: priority %d", typed, r.Priority)
		}
	}
}

// Answers about what the form no longer says are dropped.
func TestOldAnswersAreDropped(t *testing.T) {
	x := &Screen{Desk: &desk.Desk{}, gen: 5, editor: &editor{gen: 5, preview: preview{version: 3}}}
	x.Update(previewMsg{gen: 5, version: 3, preview: broker.Preview{Past: 50, Matched: 43}})
	for _, old := range []previewMsg{{gen: 5, version: 2}, {gen: 4, version: 3}} {
		old.preview = broker.Preview{Past: 99, Matched: 99}
		x.Update(old)
		if got := x.editor.preview.got; got == nil || got.Matched != 43 {
			t.Errorf("answer %d of editor %d was taken: %+v", old.version, old.gen, got)
		}
	}
}

// The key line says what enter does, and the form names only keys that lead to another pattern.
func TestKeysThatAct(t *testing.T) {
	e := &editor{}
	e.drafts = make([]rules.Rule, 3)
	for at, want := range []string{" · ctrl+n wider", " · ctrl+n wider · ctrl+p narrower", " · ctrl+p narrower"} {
		if e.draft = at; e.turns() != want {
			t.Errorf("pattern %d: %q, want %q", at, e.turns(), want)
		}
	}
	once := []scopeOption{{name: "once", once: true}}
	for _, tc := range []struct {
		decision string
		scopes   []scopeOption
		want     string
	}{{"allow", nil, "save…"}, {"deny", nil, "save"}, {"ask", nil, "save"}, {"allow", once, "allow"}, {"deny", once, "deny"}, {"ask", once, ""}} {
		e := &editor{}
		e.decision, e.scopes = choice{names: []string{tc.decision}}, tc.scopes
		if got := e.saves(); got != tc.want {
			t.Errorf("%s, %d scopes: %q, want %q", tc.decision, len(tc.scopes), got, tc.want)
		}
	}
}
