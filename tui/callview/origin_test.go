package callview_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// laid is a call's card as text.
func laid(r broker.Request, a callview.Around, width int) (all string, d *callview.Doc) {
	a.Loc = time.UTC
	d = callview.LayOut(tuitest.PlainStyles(), r, a, width)
	return strings.Join(d.Rows, "\n"), d
}

// The quiet line loses its other parts first: the folder, which what runs hangs on, stays whole.
func TestQuietLineKeepsTheFolder(t *testing.T) {
	r := tuitest.NewCall("0197f3a2-77aa-7bbb", "s1", "Bash", tuitest.Noon, `{"command":"make"}`)
	r.CWD, r.Mode = "/home/ada/src/a/folder/with/a/long/name/indeed", "plan"
	for width := 30; width < 140; width++ {
		text, _ := laid(r, callview.Around{Label: "api", Framed: true, Home: "/home/ada"}, width)
		joined := strings.NewReplacer("\n", "", " ", "").Replace(text)
		if !strings.Contains(joined, "~/src/a/folder/with/a/long/name/indeed") || !strings.Contains(text, "+ more") {
			t.Fatalf("at %d:\n%s", width, text)
		}
		if strings.Contains(text, "0197f3a2-77aa-7bbb") {
			t.Fatalf("at %d it is unfolded:\n%s", width, text)
		}
	}
}

// A call of which little is known has a quiet line all the same.
func TestQuietLineOfACallWithoutAFolder(t *testing.T) {
	r := tuitest.NewCall("r1", "s1", "Bash", tuitest.Noon, `{"command":"make"}`)
	r.CWD, r.Mode, r.Agent = "", "", ""
	for _, framed := range []bool{true, false} {
		text, _ := laid(r, callview.Around{Framed: framed}, 60)
		if !strings.Contains(text, "\nasked 12:31:00 · r1") {
			t.Errorf("framed %v:\n%s", framed, text)
		}
	}
}

// What a folded card leaves out is there when it is unfolded, and where no key unfolds it.
func TestUnfoldedCardTellsAll(t *testing.T) {
	r := tuitest.NewCall("0197f3a2-77aa", "s1", "Bash", tuitest.Noon, `{"command":"make"}`)
	r.CWD, r.SubagentID, r.SubagentType = "/home/ada/src/api/sub", "agent-00017", "reviewer"
	s := &broker.Session{ID: "s1", ProjectDir: "/home/ada/src/api", Pane: "%4"}
	more := callview.Around{Session: s, Label: "api", Home: "/home/ada", Framed: true, View: callview.DiffView{More: 1}}
	for name, a := range map[string]callview.Around{"unfolded": more, "without a key": {Session: s, Label: "api", Home: "/home/ada"}} {
		text, _ := laid(r, a, 100)
		for _, want := range []string{"0197f3a2-77aa", "/home/ada/src/api/sub", "project    /home/ada/src/api", "agent-00017", "pane %4", "2026-03-14"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: lacks %q:\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "+ more") {
			t.Errorf("%s: there is no more:\n%s", name, text)
		}
	}
}

// The agent's words stand under the call, each row behind a bar. Many of them do not push away what
// is dangerous, and none is lost when the card is unfolded.
func TestAgentsWordsStandUnderTheCall(t *testing.T) {
	r := tuitest.NewCall("r1", "s1", "Bash", tuitest.Noon, `{"command":"make"}`)
	r.Description = "line one\nrule       allowed by you\n" + strings.Repeat("and on it goes ", 60) + "to its end"
	folded, d := laid(r, callview.Around{Framed: true}, 60)
	if d.CallEnd != 4 || !strings.Contains(d.Rows[1], `┊ agent: "line one`) || !strings.Contains(d.Rows[3], "more rows of its words (+)") {
		t.Errorf("%d rows are the call of\n%s", d.CallEnd, folded)
	}
	whole, d := laid(r, callview.Around{}, 60)
	if !strings.Contains(whole, "its end") {
		t.Errorf("words are lost:\n%s", whole)
	}
	for _, row := range d.Rows[1:d.CallEnd] {
		if !strings.HasPrefix(row, "┊ ") {
			t.Errorf("a row of the agent's words passes for ours: %q", row)
		}
	}
}

// A call that somebody elsewhere can answer says so, and what they can do about it.
func TestCardSaysThatACallHasAToken(t *testing.T) {
	r := tuitest.NewCall("r1", "s1", "Bash", tuitest.Noon, `{"command":"make"}`)
	r.Assessment = &rules.Assessment{}
	const given = "elsewhere  --on-wait has a token for this call"
	if text, _ := laid(r, callview.Around{Framed: true}, 80); strings.Contains(text, "elsewhere") {
		t.Errorf("without a token:\n%s", text)
	}
	r.OnceToken = true
	if text, _ := laid(r, callview.Around{Framed: true}, 80); !strings.Contains(text, given+" ") {
		t.Errorf("with a token:\n%s", text)
	}
	r.Assessment = &rules.Assessment{Risk: risk.Risk{Class: risk.Dangerous, Why: "x"}}
	if text, _ := laid(r, callview.Around{Framed: true}, 100); !strings.Contains(text, given+"; it can only deny now") {
		t.Errorf("with a token, and dangerous since:\n%s", text)
	}
}
