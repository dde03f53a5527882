package queue

import (
	"time"

	"github.com/aoctl/aoctl/tui/guard"
)

// stray is which session keys are about, and when that became another one by itself: a call came up
// while a session had the bar, or the bar lost its session. Who presses a key then has not seen it.
type stray struct {
	session string // as it was drawn last
	news    bool   // something was heard since
	at      time.Time
}

// drawn takes in which session keys are about from now on.
func (s *stray) drawn(session string, now time.Time) (strayed bool) {
	strayed = s.news && s.session != "" && s.session != session
	if strayed {
		s.at = now
	}
	s.session, s.news = session, false
	return strayed
}

// just reports whether it strayed too lately for a key to be about the new one.
func (s *stray) just(now time.Time) bool { return now.Sub(s.at) < guard.DeafFor }
