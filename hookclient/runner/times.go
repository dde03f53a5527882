package runner

import "time"

// times are the longest waits for an agent.
type times struct {
	greet   time.Duration // for its answer to initialize
	control time.Duration // for its answer to any other request
	turn    time.Duration // for the end of a turn that was interrupted, in order to end it
	exit    time.Duration // for its end after stdin was closed, and after SIGTERM
	dead    time.Duration // for its end after SIGKILL
	leave   time.Duration // for its end by itself, when there is nothing more to do
	event   time.Duration // for the console's answer to what is no question
}

// defaultTimes are those of every run; tests make them short.
func defaultTimes() times {
	return times{
		greet: 2 * time.Minute, control: 30 * time.Second,
		turn: 5 * time.Second, exit: 5 * time.Second, dead: 5 * time.Second, leave: 15 * time.Second, event: 10 * time.Second,
	}
}

// longest is what a call may wait when the person at the console gives it more time.
const longest = 24 * time.Hour

// gateTime is how long the agent lets the gate's answer take: longer than anybody is given. The
// runner's own limit of a day must be over first, so that a refusal comes and no timeout.
const gateTime = 25 * time.Hour

// eventTime is how long the agent waits for the answer to an event that is no question.
const eventTime = 60 * time.Second
