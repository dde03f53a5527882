package queue

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/figures"
)

// keyline is what the key line names, in its order; keys of the root stand between those of the screen.
type keyline struct {
	*desk.Desk
	sessions bool   // keys are about the selected session
	selected string // in the list of sessions
	inForm   bool   // keys are for the form on the drawn card
	full     bool   // the drawn call has the whole screen
	next     int    // how many calls wait that a key could go on to
}

// keyline is what the key line goes by now; c is the drawn card, nil for none.
func (q *Screen) keyline(c *board.Card) keyline {
	k := keyline{Desk: q.Desk, sessions: q.onSessions(), selected: q.roster.selected, inForm: q.InForm(c), full: q.full}
	if c != nil && (c.Late() || q.Board.MachineOf(c).Out()) {
		_, k.next = q.list.next()
	}
	return k
}

func named(name, does string) desk.Key { return desk.Key{Name: name, Short: does} }

// narrow is the width in cells below which the key line is short of room.
const narrow = 60

// named are the keys worth naming now; c is the drawn card, nil for none.
func (q keyline) named(c *board.Card) []desk.Key {
	var list []desk.Key
	switch {
	case q.sessions:
		return q.forSession()
	case c == nil:
		list = q.forNothing()
	case q.inForm:
		return nil // the form has its own
	case len(q.Board.Marks) > 0:
		list = q.forMarks()
	default:
		list = q.forCard(c)
	}
	list = slices.DeleteFunc(list, func(k desk.Key) bool {
		return k.Name == "A" && noRuleAllows(c) || k.Name == "e" && c != nil && c.Dialog() != ""
	})
	deaf := q.Guard.Deaf(q.At)
	for i := range list {
		list[i].Faint = !q.possible(c, list[i].Name, deaf)
	}
	return list
}

// noRuleAllows reports whether no rule can allow c, as its card says: the key that makes one is not
// worth naming.
func noRuleAllows(c *board.Card) bool {
	if c == nil {
		return false
	}
	a := c.Req.Assessment
	return c.Dialog() != "" || a != nil && (a.Guarded || a.Unread != "")
}

// usual are the keys about any call, and those behind them.
func (q keyline) usual() (about, others []desk.Key) {
	about = []desk.Key{named("a", "allow"), named("d", "deny"), named("D", "deny, say why"), named("A", "rule…"), named("s", "stop"), named("e", "edit")}
	if q.full {
		return about, []desk.Key{named("j k", "scroll"), named("y", "copy"), named("esc", "back")}
	}
	return about, []desk.Key{
		named("S", "stop all"), named("enter", "full"), named("/", "filter"), named("h", "history"),
		named("r", "rules"), named("q", "quit"), named("?", "help"),
	}
}

func (q keyline) forNothing() []desk.Key {
	about, others := q.usual()
	if q.Board.Rows() == 0 && !q.full {
		return append([]desk.Key{named("tab", "sessions"), named("n", "new session")}, others[3:]...)
	}
	return append(about, others...)
}

func (q keyline) forSession() []desk.Key {
	id := q.selected
	quiet := q.Board.Rows() == 0 // no pane to go to, nothing to filter
	tail := []desk.Key{q.freezeKey(), named("n", "new session"), named("h", "history"), named("r", "rules"), named("q", "quit"), named("?", "help")}
	list := []desk.Key{named("s", "stop this session")}
	if o := q.observeKey(); !quiet || o.Short == holdAgain {
		list = append(list, o)
	}
	if !quiet {
		tail = append([]desk.Key{named("tab", "next pane"), tail[0], tail[1], named("S", "stop all"), named("/", "filter")}, tail[2:]...)
		list = append(list, named("enter", "its calls only"))
	}
	if isFold(id) {
		return append([]desk.Key{named("enter", "unfold, fold")}, tail...)
	}
	if machine := machineIn(id); machine != "" {
		return append(q.forMachine(machine, quiet), slices.DeleteFunc(tail, func(k desk.Key) bool { return k.Name == "F" })...)
	}
	if q.Board.Held(id) {
		list = []desk.Key{named("m", "message"), named("i", "interrupt"), named("s", "stop"), named("enter", "all about it")}
	}
	s := q.Board.Sessions[id]
	if s != nil && s.State == broker.SessionStopped {
		list = stopped(list)
	}
	if s != nil && s.Deferred > 0 {
		list = append([]desk.Key{named("R", "resume")}, list...)
	}
	return append(list, tail...)
}

// stopped leaves out the keys of list that do nothing more to a session that is stopped.
func stopped(list []desk.Key) []desk.Key {
	list = slices.DeleteFunc(list, func(k desk.Key) bool { return k.Name == "s" || k.Name == "i" })
	for i := range list {
		if list[i].Name == "m" {
			list[i].Short = "go on"
		}
	}
	return list
}

// freezeKey says what F does on the selected session.
func (q keyline) freezeKey() desk.Key {
	if s := q.Board.Sessions[q.selected]; s != nil && s.Frozen {
		return named("F", "unfreeze")
	}
	return named("F", "freeze")
}

// holdAgain is what O does where calls are only observed.
const holdAgain = "hold again"

// observeKey says what O does on the selected session.
func (q keyline) observeKey() desk.Key {
	if s := q.Board.Sessions[q.selected]; q.Board.Health.Observing || s != nil && s.Observed {
		return named("O", holdAgain)
	}
	return named("O", "observe")
}

func (q keyline) forMarks() []desk.Key {
	n := len(q.Board.Marks)
	what := figures.Count(n) + " marked"
	if q.Width < narrow {
		what = figures.Count(n)
	}
	about, others := q.usual()
	list := []desk.Key{named("a", "allow "+what), named("d", "deny "+what), named("space", "mark"), named("*", "mark alike"), named("esc", "unmark all")}
	return append(append(list, about[2:]...), others...)
}

func (q keyline) forCard(c *board.Card) []desk.Key {
	about, others := q.usual()
	if !c.Late() && !c.PutOff() {
		if c.Req.Deferrable {
			about = append(about, named("x", "defer"))
		}
		about = append(about, named("t", "more time"))
	}
	behind := func(first desk.Key, list ...desk.Key) []desk.Key {
		return append(append([]desk.Key{first}, list...), others...)
	}
	switch {
	case q.Board.MachineOf(c).Out():
		return append(q.forFar(c), others...)
	case c.Held():
		return behind(q.LiftKey(), about[1:]...)
	case c.Ask != nil && !c.Late():
		return []desk.Key{named("enter", "answer"), named("D", "decline"), named("a", "let it ask in its terminal"), named("s", "stop"), named("t", "more time"), named("?", "help")}
	case mustBeSaid(c) && !c.Late() && !c.PutOff():
		return behind(q.allowKey(c, "approve"), append([]desk.Key{named("d", "send back")}, about[4:]...)...)
	case locked(c):
		return behind(q.allowKey(c, "allow"), about[1:]...)
	case c.PutOff():
		list := []desk.Key{about[1], about[2], named("X", "deny, end"), named("R", "resume")}
		if q.Board.Held(c.Req.SessionID) {
			list = append(list, named("m", "message"))
		}
		return behind(q.allowKey(c, "allow"), append(list, about[4:]...)...)
	case c.Late():
		return append(append(q.forLate(c), about[4]), others...)
	case q.Board.Held(c.Req.SessionID):
		return behind(q.allowKey(c, "allow"), append([]desk.Key{about[1], about[2], named("m", "message"), named("i", "interrupt")}, about[4:]...)...)
	}
	return behind(q.allowKey(c, "allow"), about[1:]...)
}

// forFar are the keys about c, whose machine is out of reach: those that act are named alone.
func (q keyline) forFar(c *board.Card) []desk.Key {
	list, others := []desk.Key{named("d", "deny when it is back"), named("D", "deny, say why"), named("s", "stop")}, q.next
	switch {
	case c.Late():
		list = []desk.Key{named("d", "dismiss")}
	case c.Later:
		list = list[2:]
	default:
		others-- // the drawn one
	}
	if others > 0 {
		list = append(list, named("N", "next call"))
	}
	return list
}

// forLate are the keys about c, which is late. Where room is short, the key that goes on to what still
// waits comes before the one that dismisses.
func (q keyline) forLate(c *board.Card) []desk.Key {
	n, dismiss := q.next, named("d", "dismiss")
	switch {
	case n == 0:
		return []desk.Key{q.allowKey(c, "allow its retry"), dismiss}
	case q.Width < narrow:
		return []desk.Key{q.allowKey(c, "allow retry"), named("N", "next of "+figures.Count(n)), dismiss}
	}
	return []desk.Key{q.allowKey(c, "allow its retry"), dismiss, named("N", "next of "+figures.Count(n)+" waiting")}
}

// allowKey is the key that allows c, or that leads there.
func (q keyline) allowKey(c *board.Card, does string) desk.Key {
	switch {
	case locked(c) && q.Width < narrow:
		return named("G", "read on to "+does)
	case locked(c):
		return named("G", "read to the end to "+does)
	case c.Dangerous() && !q.Board.MachineOf(c).Out():
		return q.codeKey(c)
	}
	return named("a", does)
}

// possible reports whether a key that the key line names would act now.
func (q keyline) possible(c *board.Card, name string, deaf bool) bool {
	able := c != nil && !deaf && c.Sending == ""
	if far := able && len(q.Board.Marks) == 0 && q.Board.MachineOf(c).Out(); far && name != "d" && name != "D" {
		able = false
	}
	switch name {
	case "e", "x":
		return able && !c.Late()
	case "t":
		return able && c.MayWait()
	}
	if slices.Contains([]string{"a", "d", "D"}, name) || strings.HasPrefix(name, "type ") {
		return able
	}
	return true
}
