package profile

// Traits say what an agent's gate tells and what it can be told. The broker says
// nothing to an agent that it cannot take.
type Traits struct {
	Title     string // as its makers write it: "GitHub Copilot CLI"
	Gate      string // the event by which a call is asked for before anything else has decided it
	Ask       bool   // it can be told to ask its own user, in every mode; where it has none it refuses
	Edit      bool   // an allowed call's input can be replaced
	StopTurn  bool   // a refusal can end the turn; otherwise a stop refuses this and every later call
	Answers   bool   // a question to the user can be answered by its input
	Context   bool   // an answer can hold text for the model
	AllowWins bool   // an allow beats what its user refuses in its own settings
	CallID    bool   // a call has an id, which its report has too
	Subagents bool   // it tells which sub-agent asks
	Defer     bool   // a call can be put off in a session without a user

	// Runs says that aoctl can start and hold its process: it takes messages and interrupts.
	Runs bool

	// AsksSettings says that it asks before it reads a settings file anew.
	AsksSettings bool

	// OwnNames says that its transcript calls its tools by other names than its hooks do.
	OwnNames bool

	// OneIDSpace says that no two calls of a session have the same id, no matter which sub-agent makes them,
	// and that a call's report may name another sub-agent than the one that asked.
	OneIDSpace bool

	// CallFolder says that the folder that comes with a call is where it runs, as the model
	// chose, and not the session's.
	CallFolder bool

	// OneServer says that sessions in several terminals share one process, which was started
	// in one of them.
	OneServer bool

	// TriesAgain says that a turn which failed may go on: an end that is told after that is a
	// good one.
	TriesAgain bool
}
