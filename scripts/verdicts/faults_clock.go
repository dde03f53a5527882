package main

import (
	"os/exec"
	"strings"
	"time"
)

// clocks are those that jump while a call waits, forward and back, and a client whose
// steady clock is not the console's.
func clocks() []fault {
	var list []fault
	for _, jump := range []struct{ words, seconds string }{{"an hour on", "3600"}, {"an hour back", "-3600"}} {
		words, step := jump.words, jump.seconds
		list = append(
			list,
			fault{name: "the clock goes " + words + ", nobody answers", words: []string{"Nobody answered in aoctl within 1s"}, timeout: time.Second, prepare: serving(holds), alter: stepped(step)},
			fault{name: "the clock goes " + words + ", console stopped", words: []string{"does not answer"}, prepare: serving(holds), meanwhile: whenWaiting((*console).pause), alter: stepped(step)},
			fault{name: "the clock goes " + words + ", input unfinished", words: []string{"did not finish sending"}, alter: func(w *world, s *start) {
				stepped(step)(w, s)
				s.stdin = blocked(w, "")
			}},
		)
	}
	return append(list, fault{
		name: "a steady clock that is an hour ahead", words: []string{"does not answer"}, prepare: serving(holds), meanwhile: whenWaiting((*console).pause),
		alter: func(_ *world, s *start) { s.wrap = `exec unshare --time --monotonic 3600 --boottime 3600 "$@"` }, skip: noTimeNamespace,
	})
}

// stepped runs, in the place of either client, one of which the wall clock jumps soon
// after its start.
func stepped(seconds string) func(w *world, s *start) {
	return func(w *world, s *start) {
		old := "'" + s.client.program() + "'"
		if len(s.client.words) > 1 {
			old += " " + s.client.words[1]
		}
		s.line = strings.Replace(s.line, old, "'"+w.lab.stepped+"'", 1)
		s.words = append([]string{w.lab.stepped}, s.words[len(s.client.words):]...)
		s.env["AOCTL_TRIAL_STEP"] = seconds
	}
}

func noTimeNamespace() string {
	if exec.Command("unshare", "--time", "--monotonic", "3600", "true").Run() != nil { //nolint:noctx // ends at once
		return "no time namespace can be made here"
	}
	return ""
}
