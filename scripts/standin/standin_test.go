package standin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// asked takes what the agent writes and hands on the ids of its questions.
type asked chan string

func (ids asked) Write(line []byte) (int, error) {
	var m heard
	err := json.Unmarshal(line, &m)
	if m.Type == "control_request" {
		ids <- m.RequestID
	}
	return len(line), err
}

// An answer that crosses the taking back of its question is no fault of the host; one that
// was given twice, to nothing, or by a host that knew of the taking back, is.
func TestUnaskedAnswers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []int // to these questions; 0 was taken back before 1 was asked, 2 is none
		unasked int
	}{
		{"crossed", []int{0, 1}, 0},
		{"none to what was taken back", []int{1}, 0},
		{"known to be taken back", []int{1, 0}, 1},
		{"twice", []int{1, 1}, 1},
		{"crossed twice", []int{0, 0, 1}, 1},
		{"never asked", []int{2, 1}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			ids := make(asked, 2)
			a := &agent{out: ids, log: &log, waiting: map[string]question{}, takenBack: map[string]int{}}
			over, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := a.question(over, "first", nil); !errors.Is(err, errCancelled) {
				t.Fatalf("a question of a turn that is over: %v", err)
			}
			answered := make(chan error, 1)
			go func() {
				_, err := a.question(t.Context(), "second", nil)
				answered <- err
			}()
			list := []string{<-ids, <-ids, "q-none"}
			for _, i := range tt.answers {
				if err := a.hear([]byte(`{"type":"control_response","response":{"subtype":"success","request_id":"` + list[i] + `"}}`)); err != nil {
					t.Fatal(err)
				}
			}
			if err := <-answered; err != nil {
				t.Error(err)
			}
			if n := strings.Count(log.String(), "UNASKED"); n != tt.unasked {
				t.Errorf("%d answers count as unasked, want %d:\n%s", n, tt.unasked, log.String())
			}
		})
	}
}
