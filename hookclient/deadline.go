package hookclient

import "time"

// deadline is how long a person has to answer. They may give more time while the call
// waits, but no more than the agent is ready to wait. It is the client's clock alone. What the
// console says about time can make it longer, and never shorter: a clock of its own that is wrong
// must not end a wait.
type deadline struct {
	until   time.Time       // the person's time ends
	usual   time.Duration   // their time without what they gave
	more    time.Duration   // what they gave
	most    time.Time       // to which they may give more; zero: they may give none
	granted func(time.Time) // hears of each new until; may be nil
}

// within is the deadline of a question that was begun then. atMost counts only when it is more
// than timeout.
func within(begun time.Time, timeout, atMost time.Duration) deadline {
	d := deadline{until: begun.Add(timeout), usual: timeout}
	if atMost > timeout {
		d.most = begun.Add(atMost)
	}
	return d
}

// grant takes in how long the console lets the call wait from now on, 0 when it does not
// say. It makes that longer only, and no longer than most.
func (d *deadline) grant(left time.Duration) {
	if left <= 0 {
		return // also after the time is over, when now is later than until
	}
	until := time.Now().Add(left)
	if until.After(d.most) {
		until = d.most
	}
	if !until.After(d.until) {
		return
	}
	d.more += until.Sub(d.until)
	d.until = until
	if d.granted != nil {
		d.granted(until)
	}
}

// whole is the person's time from the beginning, with what they gave beyond the usual.
func (d *deadline) whole() time.Duration {
	if d.more < time.Second {
		return d.usual
	}
	return (d.usual + d.more).Round(time.Second)
}
