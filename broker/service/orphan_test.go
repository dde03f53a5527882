package service_test

import (
	"os"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

// Attack: a process of an agent has itself adopted where the session's leader, or the
// first process of a container, is the one that adopts.
func TestCutOff(t *testing.T) {
	type k = service.Ancestor
	at := func(pid, parent, session, group int) k {
		return k{Process: broker.Process{PID: pid}, Parent: parent, Session: session, Group: group}
	}
	const shell = 7
	own := map[int]bool{1: true, 50: true, os.Getpid(): true}
	for name, tc := range map[string]struct {
		chain []k
		want  bool
	}{
		"typed in a terminal":                 {[]k{at(30, shell, shell, 30), at(shell, 2, shell, shell), at(2, 1, 2, 2), at(1, 0, 0, 0)}, false},
		"second of a typed pipe":              {[]k{at(30, shell, shell, 29), at(shell, 2, shell, shell), at(2, 1, 2, 2), at(1, 0, 0, 0)}, false},
		"through xargs in a pipe":             {[]k{at(31, 30, shell, 29), at(30, shell, shell, 29), at(shell, 1, shell, shell), at(1, 0, 0, 0)}, false},
		"a command over ssh":                  {[]k{at(30, shell, shell, shell), at(shell, 2, shell, shell), at(2, 1, 2, 2), at(1, 0, 0, 0)}, false},
		"a service":                           {[]k{at(30, 1, 30, 30), at(1, 0, 1, 1)}, false},
		"run in a container":                  {[]k{at(30, 0, 30, 30)}, false},
		"typed in a container's first shell":  {[]k{at(30, 1, 1, 30), at(1, 0, 1, 1)}, false},
		"from where the console is, no login": {[]k{at(30, 50, 0, 0), at(50, 1, 0, 0), at(1, 0, 0, 0)}, false},
		"leader gone":                         {[]k{at(30, 1, 20, 20), at(1, 0, 0, 0)}, true},
		"child of one whose leader is gone":   {[]k{at(31, 30, 20, 20), at(30, 1, 20, 20), at(1, 0, 0, 0)}, true},
		"adopted by a container's first":      {[]k{at(30, 1, 1, 20), at(1, 0, 1, 1)}, true},
		"the same, no groups":                 {[]k{at(31, 30, 1, 1), at(30, 1, 1, 1), at(1, 0, 1, 1)}, true},
		"no logins on this machine":           {[]k{at(31, 30, 0, 0), at(30, 1, 0, 0), at(1, 0, 0, 0)}, true},
		"leader of another namespace":         {[]k{at(30, 1, 0, 20), at(1, 0, 0, 1)}, true},
		"adopted by a supervisor that leads":  {[]k{at(30, 40, 40, 40), at(40, 1, 40, 40), at(1, 0, 0, 0)}, true},
		"adopted by a supervisor that is led": {[]k{at(30, 41, 40, 20), at(41, 40, 40, 40), at(40, 1, 40, 40), at(1, 0, 0, 0)}, true},
	} {
		if got := service.CutOff(tc.chain, own, func(pid int) bool { return pid == shell }); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
