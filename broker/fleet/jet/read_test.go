package jet

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// silent is what a reader delivers of which nothing comes.
type silent struct{ jetstream.MessagesContext }

func (silent) Next(...jetstream.NextOpt) (jetstream.Msg, error) { return nil, nats.ErrTimeout }

// reader is a reader at the server.
type reader struct {
	jetstream.Consumer

	infos []jetstream.ConsumerInfo // what it says of itself, each time it is asked
}

func (r *reader) Info(context.Context) (*jetstream.ConsumerInfo, error) {
	if len(r.infos) == 0 {
		return nil, errors.New("it was asked once more")
	}
	i := r.infos[0]
	r.infos = r.infos[1:]
	return &i, nil
}

// A reader that has something to come is waited for while the server knows that we ask. Where it does not know,
// what we asked was lost on its way, and nothing would come before the reader is gone.
func TestNextGivesUpWhereNobodyAsks(t *testing.T) {
	asked, lost := jetstream.ConsumerInfo{NumPending: 3, NumWaiting: 1}, jetstream.ConsumerInfo{NumPending: 3}
	r := &reader{infos: []jetstream.ConsumerInfo{asked, asked, lost}}
	if m, err := next(t.Context(), r, silent{}, false); m != nil || !errors.Is(err, errGap) || len(r.infos) > 0 {
		t.Errorf("%v, %v; not asked for %v", m, err, r.infos)
	}
	r = &reader{infos: []jetstream.ConsumerInfo{asked, {}}}
	if m, err := next(t.Context(), r, silent{}, false); m != nil || err != nil {
		t.Errorf("nothing is left to come: %v, %v", m, err)
	}
}
