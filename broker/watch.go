package broker

import (
	"cmp"
	"slices"
	"time"
)

// Snapshot is everything a console draws, as of one moment.
type Snapshot struct {
	Sessions []Session
	Requests []Request // pending and late ones
	Health   Health
	Rules    RuleBook
	Machines []Machine // of a fleet, by name; none at a broker's own console
}

// Update is one change after a Snapshot. Exactly one field is set.
type Update struct {
	Request *Request // created or settled; the whole new value
	Session *Session // created or changed; the whole new value
	Health  *Health
	Rules   *RuleBook
	Refused *Refused // somebody tried what they may not
	Machine *Machine // of a fleet: it came, or is otherwise than it was; the whole new value
}

// Machine is a machine of a fleet, as a console at another one knows it.
type Machine struct {
	ID      string // as sessions name it
	Name    string // as its fleet calls it; foreign text
	Reach   Reach
	Heard   time.Time // what is drawn of it was so then, by this console's clock
	Problem string    // what is wrong with what it says or with its link, a sentence; "" when all is well
	Waiting int       // orders that wait until it is back
	Gone    bool      // it is in the fleet no longer
}

// Reach is how far a machine can be reached.
type Reach string

// The reaches of a machine.
const (
	ReachLive Reach = "live" // it answers
	ReachLate Reach = "late" // it was heard a moment ago; what is drawn may be old
	ReachOut  Reach = "out"  // nothing is heard of it: it takes refusals when it is back, and nothing else
)

// ServersUp is Health.Servers while one is in reach.
const ServersUp = "up"

// Health is what the status line says of the broker itself.
type Health struct {
	Socket   string // path that is listened on
	TCP      string // address that is listened on; empty when there is none
	LogSeq   int64  // newest event
	LogHash  string // its hash, hex
	StoreErr string // why nothing can be recorded now; empty when all is well

	SocketErr string // why hooks no longer reach the broker; empty when all is well
	Servers   string // of a console over a fleet: ServersUp, or why none of the fleet's servers is in reach; empty elsewhere
	LogBroken string // what another program did to the log; then no rule may allow anything
	LogUnread string // why the log could not be checked yet; until then no rule may allow anything either
	Observing bool   // nothing is held, in any session
	Frozen    bool   // everything is held, in every session
	FrozenBy  Actor

	Floods     []Flood // whose calls are refused now because there are too many, the most first; not to be changed
	MoreFloods int     // how many more there are

	Settings []SettingsFound // files that would switch a gate off, the oldest first; not to be changed
}

// settingsTold is how many files Health has, the oldest.
const settingsTold = 8

// NoteSettings notes a settings file, or that it is harmless now. It reports whether that changed
// anything, and whether the file is one that was not there. A full list takes no new file, so
// that a tree full of them cannot fill the screen; one that is settled makes room.
func (h *Health) NoteSettings(f SettingsFound, gone bool) (changed, fresh bool) {
	list := slices.Clone(h.Settings)
	at := slices.IndexFunc(list, func(old SettingsFound) bool { return old.File == f.File })
	switch {
	case gone && at >= 0:
		list = slices.Delete(list, at, at+1)
	case gone, at >= 0 && list[at].Why == f.Why && (list[at].Kept || !f.Kept), at < 0 && len(list) == settingsTold:
		return false, false
	case at >= 0:
		list[at] = f
	default:
		list = append(list, f)
	}
	h.Settings = list
	return true, at < 0
}

// floodsTold is how many floods Health has, the largest.
const floodsTold = 8

// NoteFloods notes the floods that go on, and reports whether that changed anything. list is
// sorted in place and kept, so the caller must not use it afterwards.
func (h *Health) NoteFloods(list []Flood) bool {
	slices.SortFunc(list, func(x, y Flood) int {
		return cmp.Or(cmp.Compare(y.Refused, x.Refused), cmp.Compare(x.SessionID, y.SessionID), cmp.Compare(x.Why, y.Why))
	})
	more := max(0, len(list)-floodsTold)
	list = list[:len(list)-more]
	changed := !slices.Equal(list, h.Floods) || more != h.MoreFloods
	if changed {
		h.Floods, h.MoreFloods = list, more
	}
	return changed
}

// Flood tells of calls that are refused, without a row for each, because there are too
// many of them.
type Flood struct {
	SessionID string    `json:"session_id,omitempty"` // empty: calls of sessions that are not known
	Why       string    `json:"why"`                  // goes on from the session's name: "asks faster than 20 calls a second"
	Refused   int       `json:"refused"`              // calls so far
	Since     time.Time `json:"since"`
	Until     time.Time `json:"until"` // the last of them
}

// SettingsFound is a settings file that would switch a gate off.
type SettingsFound struct {
	File      string    `json:"file"`
	Why       string    `json:"why"` // a sentence about "it"
	SessionID string    `json:"session_id,omitempty"`
	Kept      bool      `json:"kept_out"`         // the session that told of it does not read it; others may
	Unread    bool      `json:"unread,omitempty"` // it cannot be read, so nobody knows that it would
	At        time.Time `json:"at"`
}
