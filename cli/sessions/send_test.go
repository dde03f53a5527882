package sessions

import (
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

func TestSentLine(t *testing.T) {
	now := time.Now()
	for turn, want := range map[broker.TurnState]string{
		broker.TurnWorking: "waits until the turn is over", broker.TurnIdle: "sent", broker.TurnEnded: "waits until the session is resumed",
	} {
		if got := sentLine(broker.Session{StartedAt: now, Run: &broker.Run{Turn: turn}}); got != want {
			t.Errorf("%s: %q, want %q", turn, got, want)
		}
	}
}
