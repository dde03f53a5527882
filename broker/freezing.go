package broker

// Why a call is held, as Request.Held says it.
const (
	HeldByAll = "everything is frozen"
	HeldByOne = "its session is frozen"
)

// HeldTillEnd is the reason of a call whose time ran out while a freeze held it.
const HeldTillEnd = "held by a freeze until its time ran out"

// FrozenOut reports whether a freeze keeps a call from ending with o. A person may still refuse
// while everything is frozen, and a deadline still ends a call: neither lets anything run.
func FrozenOut(o Outcome) bool {
	return o.LetsRun() || o.By.Kind == ByRule
}

// FrozenError is ErrFrozen that says what is frozen, HeldByAll or HeldByOne.
func FrozenError(why string) error { return frozenError(why) }

type frozenError string

func (e frozenError) Error() string { return string(e) }

func (frozenError) Unwrap() error { return ErrFrozen }
