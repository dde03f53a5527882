package peers

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

func TestWithin(t *testing.T) {
	child := exec.Command("cat")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	p := FindProcess(child.Process.Pid)
	for name, c := range map[string]struct {
		p    broker.Process
		top  int
		want bool
	}{
		"its parent":          {p, os.Getpid(), true},
		"itself":              {p, p.PID, true},
		"its parent's child":  {FindProcess(os.Getpid()), p.PID, false},
		"a pid used again":    {broker.Process{PID: p.PID, Start: p.Start + 1}, os.Getpid(), false},
		"a pid, start unsaid": {broker.Process{PID: p.PID}, os.Getpid(), true},
	} {
		if got, err := Within(c.p, c.top); got != c.want || err != nil {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, err := Within(p, os.Getpid()); got || err == nil {
		t.Errorf("of a process that has ended: %v, %v", got, err)
	}
}

// What an agent starts is an agent's, whatever else stands above it.
func TestBornOfAgentHere(t *testing.T) {
	for _, mark := range agentMarks {
		t.Setenv(mark, "1")
		if why := BornOfAgentHere(); !strings.Contains(why, mark) {
			t.Errorf("with %s: %q", mark, why)
		}
		t.Setenv(mark, "")
	}
}
