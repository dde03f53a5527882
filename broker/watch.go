package broker

// Snapshot is everything a console draws, as of one moment.
type Snapshot struct {
	Sessions []Session
	Requests []Request // pending and late ones
	Health   Health
	Rules    RuleBook
}

// Update is one change after a Snapshot. Exactly one field is set.
type Update struct {
	Request *Request // created or settled; the whole new value
	Session *Session // created or changed; the whole new value
	Health  *Health
	Rules   *RuleBook
	Refused *Refused // somebody tried what they may not
}

// Health is what the status line says of the broker itself.
type Health struct {
	Socket   string // path that is listened on
	TCP      string // address that is listened on; empty when there is none
	LogSeq   int64  // newest event
	LogHash  string // its hash, hex
	StoreErr string // why nothing can be recorded now; empty when all is well

	SocketErr string // why hooks no longer reach the broker; empty when all is well
	LogBroken string // what another program did to the log; then no rule may allow anything
	LogUnread string // why the log could not be checked yet; until then no rule may allow anything either
	Observing bool   // nothing is held, in any session
	Frozen    bool   // everything is held, in every session
	FrozenBy  Actor

	Floods     []Flood // whose calls are refused now because there are too many, the most first; not to be changed
	MoreFloods int     // how many more there are

	Settings []SettingsFound // files that would switch a gate off, the oldest first; not to be changed
}
