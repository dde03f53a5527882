package terminal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestProgressSaysWhatRuns(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, "checking", 3, func() int { return 60 })
	endConsole := p.Step("console")
	endDrill := p.Step("drill")
	endConsole()
	endConsole() // counted once
	lines := strings.Split(out.String(), eraseLine)
	if got := lines[len(lines)-1]; got != "⠋ checking 1/3  drill" {
		t.Errorf("the line is %q", got)
	}
	if got := lines[len(lines)-2]; got != "⠋ checking 0/3  console, drill" {
		t.Errorf("before, the line was %q", got)
	}
	p.Stop()
	before := out.Len()
	endDrill()
	p.Stop()
	if !strings.HasSuffix(out.String(), eraseLine) || out.Len() != before {
		t.Errorf("the line was not erased for good: %q", out.String())
	}
}

// A line that is longer than the terminal wraps, and then it cannot be erased.
func TestProgressFitsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, "checking", 3, func() int { return 20 })
	p.Step("a step with a very long name")
	if got := ansi.StringWidth(strings.TrimPrefix(out.String(), eraseLine)); got > 19 {
		t.Errorf("the line is %d cells wide", got)
	}
}

func TestNoProgressInAPipe(t *testing.T) {
	var out bytes.Buffer
	p := StartProgress(&out, "checking", 3)
	p.Step("console")()
	p.Stop()
	if out.Len() > 0 {
		t.Errorf("a pipe got %q", out.String())
	}
}
