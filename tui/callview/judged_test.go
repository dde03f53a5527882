package callview

import (
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
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

// Below a danger that says which rules cannot allow the call no piece of it says so again.
func TestRulesAreToldOnce(t *testing.T) {
	for why, want := range map[string]string{
		`no wildcard rule can allow "sh": the danger`:   "",
		`no wildcard rule can allow "sh": it is code`:   "it is code",
		`no wildcard rule can allow reading "x": other`: "",
		`no rule may allow it: the danger`:              "",
		`no rule allows "sh"`:                           `no rule allows "sh"`,
	} {
		all := []rules.Judged{{Text: "sh", Why: why}}
		if got := withoutRules(all, "the danger")[0].Why; got != want || all[0].Why != why {
			t.Errorf("%s: %q, want %q", why, got, want)
		}
	}
	r := broker.Request{ToolName: "Bash", ToolInput: []byte(`{"command":"rm -rf a; ls"}`), State: broker.Pending}
	r.Assessment = &rules.Assessment{
		Risk:     risk.Risk{Class: risk.Dangerous, Why: "the danger"},
		Elements: []rules.Judged{{Kind: "command", Text: "rm -rf a", Why: `no wildcard rule can allow "rm -rf a": the danger`}, {Kind: "command", Text: "ls"}},
	}
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	for _, code := range []string{"", "17"} { // held, and not
		text := strings.Join(LayOut(st, r, Around{Loc: time.UTC, Framed: true, Code: code}, 100).Rows, "\n")
		if n := strings.Count(text, "no wildcard rule"); n != 1 {
			t.Errorf("code %q: %d times in\n%s", code, n, text)
		}
	}
}

// A danger of a whole and of its part is told once, and with it why no rule may allow the call.
func TestDangerIsToldOnce(t *testing.T) {
	r := broker.Request{ToolName: "Bash", ToolInput: []byte(`{"command":"rm -rf ~/"}`), State: broker.Pending}
	r.Assessment = &rules.Assessment{
		Risk: risk.Risk{Class: risk.Dangerous, Why: "touches aoctl's own files", Guarded: true, Findings: []risk.Finding{
			{Class: risk.Dangerous, Why: "touches aoctl's own files", Text: "rm -rf ~/", Guarded: true},
			{Class: risk.Dangerous, Why: "touches aoctl's own files", Text: "~/", Guarded: true},
			{Class: risk.Normal, Why: "other"},
		}},
		Elements: []rules.Judged{{Kind: "command", Text: "rm -rf ~/"}, {Kind: "write", Path: "/home/u"}},
	}
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	text := strings.Join(LayOut(st, r, Around{Loc: time.UTC, Framed: true, Code: "17"}, 100).Rows, "\n")
	if strings.Count(text, "touches") != 1 || strings.Count(text, "normal: other") != 1 || !strings.Contains(text, "allow it once; no rule can ") {
		t.Errorf("it is\n%s", text)
	}
}

// A piece that is doubted for two reasons is drawn once, with both.
func TestPieceIsDrawnOnce(t *testing.T) {
	d := &Doc{Paper: *draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false).Paper(100)}
	d.runs([]rules.Judged{
		{Kind: "command", Text: "git log", Why: `"git log": one`},
		{Kind: "unknown", Text: "git log", Why: `"git log": two`},
		{Kind: "command", Text: "ls", Why: "three"},
		{Kind: "command", Text: "ls", Why: "three"},
	}, "", "/w")
	text := strings.Join(d.Rows, "\n")
	if strings.Count(text, "git log") != 1 || !strings.Contains(text, "one") || !strings.Contains(text, "two") || strings.Count(text, "ls") != 2 {
		t.Errorf("it is\n%s", text)
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
		e := rules.Judged{Kind: tt.kind, Path: tt.path, Neutral: true, Why: "goes with its command"}
		if got := does(e, "/src/infra"); got != tt.want || elementNote(e) != "" {
			t.Errorf("%s %s: %q, %q", tt.kind, tt.path, got, elementNote(e))
		}
	}
}

// A danger is told in its sentence, and in general words where there is none. The piece that it is
// about stands behind it, unless the sentence begins with it.
func TestDangerInWords(t *testing.T) {
	d := dangers{&Doc{Paper: draw.Paper{Width: 80}}, &rules.Assessment{Elements: make([]rules.Judged, 2)}, "curl x | sh", false}
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

// A danger of another piece is told, also where its text is how that of the one before begins.
func TestDangerOfAnotherPieceIsTold(t *testing.T) {
	whole := risk.Finding{Class: risk.Dangerous, Why: "changes the rights of a whole folder", Text: "chmod -R 777 /tmp/x"}
	for text, want := range map[string]int{"chmod -R 777 /": 2, "chmod -R 777 /tmp": 2, "chmod -R 777 /tmp/x": 1, " -R 777": 1, "mod -R 777": 2, "": 1} {
		part := whole
		part.Text = text
		d := dangers{a: &rules.Assessment{Risk: risk.Risk{Class: risk.Dangerous, Findings: []risk.Finding{whole, part}}}}
		if got := len(d.worst()); got != want {
			t.Errorf("%q: %d dangers, want %d", text, got, want)
		}
	}
}

// What a command deletes is not called written.
func TestDeletes(t *testing.T) {
	e := rules.Judged{Kind: "write", Path: "/w/build"}
	if got := does(e, "/w"); got != "writes build" {
		t.Errorf("a file that is written: %q", got)
	}
	if e.Deletes = true; does(e, "/w") != "deletes build" {
		t.Errorf("a file that is deleted: %q", does(e, "/w"))
	}
}

// Why a call asks, and the rule that is off and would allow it, stand below each other; also where the
// pieces of the call have told why.
func TestRuleThatIsOffIsNamed(t *testing.T) {
	r := broker.Request{ToolName: "Bash", ToolInput: []byte(`{"command":"make x"}`), State: broker.Pending}
	r.Assessment = &rules.Assessment{Verdict: rules.Ask, Reason: `no rule allows "make x"`, Elements: []rules.Judged{{Kind: "command", Text: "make x", Why: `no rule allows "make x"`}}}
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	text := strings.Join(LayOut(st, r, Around{Loc: time.UTC, Framed: true, Off: "rule M is off"}, 60).Rows, "\n")
	if !strings.Contains(text, "why asked  no rule allows it") || !strings.Contains(text, "\n           rule M is off") {
		t.Errorf("it is\n%s", text)
	}
}
