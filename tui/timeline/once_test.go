package timeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/event"
)

// told is an event with a text of which a hook told at that time.
func told(seq int64, kind, data string, ms int) *event.Step {
	at := time.UnixMilli(int64(ms))
	return event.New(story.Moment{Event: broker.Event{Seq: seq, At: at, Type: kind, SessionID: "s", Data: []byte(data)}})
}

// What the hooks of an agent's settings and those of its runner both tell is listed once; what may be
// another event stays.
func TestOnce(t *testing.T) {
	const said, over, ran = broker.EventUser, broker.EventTurnEnd, broker.EventPostTool
	const end = `{"tool_name":"Bash","tool_use_id":"t1","digest":"d"}`
	for name, tc := range map[string]struct {
		events []*event.Step
		want   string
	}{
		"a managed turn": {[]*event.Step{
			told(1, said, `{"text":"go"}`, 0), told(2, said, `{"text":"go"}`, 7), told(3, ran, end, 900), told(4, ran, end, 907),
			told(5, over, `{"text":"Done."}`, 990), told(6, over, `{"text":"Done."}`, 999),
		}, "1 | 3 | 5 | "},
		"said again":            {[]*event.Step{told(1, said, `{"text":"go"}`, 0), told(2, said, `{"text":"go"}`, 1500)}, "1 | 2 | "},
		"other words":           {[]*event.Step{told(1, said, `{"text":"go"}`, 0), told(2, said, `{"text":"on"}`, 7)}, "1 | 2 | "},
		"a turn between":        {[]*event.Step{told(1, said, `{"text":"go"}`, 0), told(2, over, `{"text":"a"}`, 3), told(3, said, `{"text":"go"}`, 7)}, "1 | 2 | 3 | "},
		"ended in another way":  {[]*event.Step{told(1, ran, end, 0), told(2, ran, `{"tool_name":"Bash","tool_use_id":"t1","digest":"e"}`, 7)}, "1 | 2 | "},
		"calls without an id":   {[]*event.Step{told(1, ran, `{"digest":"d"}`, 0), told(2, ran, `{"digest":"d"}`, 7)}, "1 | 2 | "},
		"events of other kinds": {[]*event.Step{told(1, broker.EventMessage, `{"text":"a"}`, 0), told(2, broker.EventMessage, `{"text":"a"}`, 7)}, "1 | 2 | "},
	} {
		t.Run(name, func(t *testing.T) {
			if got := outline(fold(once(tc.events))); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			// The second telling may come with a later page.
			var r reading
			for _, s := range tc.events {
				r.take([]*event.Step{s})
			}
			if got := fmt.Sprint(outline(fold(r.steps))); got != tc.want {
				t.Errorf("page by page: got %q, want %q", got, tc.want)
			}
		})
	}
}
