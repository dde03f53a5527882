package hookclient

import "time"

// limits are the times and sizes of a run; tests make them small.
type limits struct {
	fast     time.Duration // for an answer that comes at once
	stdin    time.Duration // for the agent to hand over its payload
	silence  time.Duration // from a question to the first byte; a broker holds it 25 s at most
	grace    time.Duration // beyond the person's time, for the console to say that it ran out
	hung     time.Duration // beyond that, for whatever does not end by itself
	tell     time.Duration // for telling the console something, or asking whether a session is stopped
	leave    time.Duration // for taking a question back
	starting time.Duration // for a console that is just coming up
	retry    time.Duration // the first wait before asking again
	retryMax time.Duration // the longest
	watch    time.Duration // between two looks at parent and stdout
	payload  int           // bytes of stdin that are sent
	drain    int           // bytes of stdin that are read
	strikes  int           // quick hang-ups in a row before the console counts as broken
}

// defaultLimits are those of every run. grace and hung are short, since the agent's own patience
// ends soon after the person's time.
func defaultLimits() limits {
	return limits{
		fast: 3 * time.Millisecond, stdin: 30 * time.Second, silence: 45 * time.Second,
		grace: 800 * time.Millisecond, hung: 150 * time.Millisecond, leave: time.Second, tell: 5 * time.Second, starting: 2 * time.Second,
		retry: 50 * time.Millisecond, retryMax: 500 * time.Millisecond, watch: time.Second,
		payload: MaxHookBody, drain: 512 << 20, strikes: 10,
	}
}
