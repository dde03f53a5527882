package broker

import "testing"

func TestProgramOfActor(t *testing.T) {
	for exe, want := range map[string]string{"": "process 7", "/usr/bin/aoctl": "an aoctl command", "/usr/bin/curl": "curl (process 7)"} {
		if got := (Actor{Kind: ByProcess, PID: 7, Exe: exe}).Program(); got != want {
			t.Errorf("%q: %q, want %q", exe, got, want)
		}
	}
}
