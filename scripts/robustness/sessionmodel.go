package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// The model of a stop: a session runs, or is stopped; while it is stopped nothing of
// it is allowed. A stop or lift whose outcome is not known leaves it between the two
// until the next one that was acknowledged.

type stopState string

const (
	running stopState = "running"
	stopped stopState = "stopped"
	either  stopState = "either"
)

func sessionModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return running },
		Step: func(state, input, _ any) (bool, any) {
			return sessionStep(state.(stopState), input.(*op))
		},
		DescribeOperation: func(input, _ any) string { return input.(*op).String() },
		DescribeState:     func(s any) string { return fmt.Sprint(s) },
	}
}

func sessionStep(s stopState, o *op) (bool, stopState) {
	switch o.Kind {
	case "stop", "lift":
		want := stopped
		if o.Kind == "lift" {
			want = running
		}
		switch {
		case o.Out == done:
			return true, want
		case o.Out == missing: // a session that nobody has heard of yet
			return s != stopped, s
		case s == want:
			return true, s
		}
		return true, either
	case "check stop":
		return o.Out != done || s == either || (s == stopped) == o.Stop, s
	case "allowed": // a request became allowed at some moment of this span
		return s != stopped, s
	case "stopped": // a request was denied because of a stop
		return s != running, s
	}
	return false, s
}
