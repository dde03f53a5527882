package callview

// DiffView is how much of a call is drawn, and how. The operator chooses it, and it holds as long
// as the console runs.
type DiffView struct {
	Sides bool // old and new beside each other, where there is room
	More  int  // steps of context beyond the usual; from the first on a card is unfolded
}

// Unfolded reports whether all is drawn that is known of a call.
func (v DiffView) Unfolded() bool { return v.More > 0 }

// Unfold is v for a card without comparisons, unfolded or not; false when it is that already.
func (v DiffView) Unfold(on bool) (DiffView, bool) {
	if on == v.Unfolded() {
		return v, false
	}
	v.More = 0
	if on {
		v.More = 1
	}
	return v, true
}

// contexts are how many unchanged lines are drawn around a change, step by step; -1 is
// all of them.
var contexts = []int{0, 3, 10, 30, -1}

const usualContext = 1 // the place of 3

const (
	smallCard    = 80 // cells from which on a card is in a window with rows to spare
	smallContext = 2  // unchanged lines around a change on a smaller one
)

// small reports whether the card has to be short to be seen whole.
func (d *Doc) small() bool { return d.Width < smallCard }

// Context is how many unchanged lines are drawn around a change on a card of so many cells; -1 is
// all of them.
func (v DiffView) Context(width int) int {
	if width < smallCard && v.More == 0 {
		return smallContext
	}
	return contexts[usualContext+v.More]
}

// Step is v with one step more context, or less; false when there is none.
func (v DiffView) Step(by int) (DiffView, bool) {
	at := usualContext + v.More + by
	if at < 0 || at >= len(contexts) {
		return v, false
	}
	v.More += by
	return v, true
}
