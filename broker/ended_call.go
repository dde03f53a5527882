package broker

import "time"

// EndedCall is what the figures need of a call that is over: little enough to read of every call
// there is. It tells what the row says, without asking the log.
type EndedCall struct {
	SessionID string
	Agent     string
	Tool      string
	State     State
	By        ActorKind
	ByID      string // a rule, a token, or the grant that let the call pass
	Asked     time.Time
	Ended     time.Time
}
