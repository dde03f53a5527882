package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// played is a machine that somebody else plays who has its key.
type played struct {
	line    *jet.Line
	names   told.Names
	speaker told.Speaker
	epoch   *seals.Epoch

	mu    sync.Mutex
	last  map[string]uint64
	n     uint64
	beats uint64
}

func (h *fleetHand) play(ts *testscript.TestScript, _ []string) error {
	if err := h.up(); err != nil {
		return err
	}
	line, err := jet.Dial(context.Background(), h.options(h.key))
	if err != nil {
		return err
	}
	ts.Defer(line.Close)
	if !eventually(func() bool { return line.State().Up }) {
		return fmt.Errorf("the line is out: %s", line.State().Err)
	}
	p := &played{line: line, names: h.names(), speaker: told.Speaker{Key: h.key, Fleet: h.names().Fleet, Boot: rand.Text()}, epoch: seals.NewEpoch(), last: map[string]uint64{}}
	h.played = p
	ctx, end := context.WithCancel(context.Background())
	ts.Defer(end)
	id := p.speaker.Machine()
	roster := h.book.At(time.Now())
	l, err := p.epoch.Letter(id, &roster)
	if err != nil {
		return err
	}
	s, err := p.speaker.TellKeys(l, time.Now())
	if err != nil {
		return err
	}
	if err := p.put(told.PlaceOfKeys(l.Epoch), s); err != nil {
		return err
	}
	go func() {
		_ = line.TakeHello(ctx, id, func(asked []byte) []byte { return p.told(told.PlaceHello, told.Hello{Asked: asked, Beat: p.pulse()}) })
	}()
	go func() {
		_ = line.TakeOrders(ctx, id, func(context.Context, []byte, bool) []byte { return []byte("no") })
	}()
	go func() {
		for ctx.Err() == nil {
			_ = line.Beat(id, p.told(told.PlaceBeat, p.pulse()))
			time.Sleep(500 * time.Millisecond)
		}
	}()
	return nil
}

func (p *played) pulse() told.Beat {
	p.mu.Lock()
	defer p.mu.Unlock()
	return told.Beat{Now: time.Now(), States: p.n, Sum: told.Sum(p.last)}
}

func (p *played) told(place string, what any) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beats++
	s, err := p.speaker.Tell(p.epoch, place, p.beats, time.Now(), what)
	if err != nil {
		return nil
	}
	raw, _ := keys.Encode(s)
	return raw
}

func (p *played) put(place string, s keys.Signed) error {
	raw, err := keys.Encode(s)
	if err != nil {
		return err
	}
	id := p.speaker.Machine()
	return p.line.States(id).Put(context.Background(), []link.Message{{Subject: p.names.At(id, place), Body: raw}})
}

// state tells a state, whose form is the attacker's.
func (p *played) state(place string, what any) error {
	p.mu.Lock()
	p.n++
	n := p.n
	p.last[place] = n
	p.mu.Unlock()
	s, err := p.speaker.Tell(p.epoch, place, n, time.Now(), what)
	if err != nil {
		return err
	}
	return p.put(place, s)
}

func (h *fleetHand) tell(ts *testscript.TestScript, args []string) error {
	p := h.played
	if len(args) == 3 { // in another machine's name, for who publishes it
		m, err := h.machine(args[2])
		if err != nil {
			return err
		}
		s, err := p.speaker.Tell(p.epoch, args[0], 1<<40, time.Now(), told.State{Gone: true})
		var t told.Told
		if err == nil {
			err = keys.Decode(s.Body, &t)
		}
		if err == nil {
			t.Machine = m.ID()
			s, err = p.speaker.Key.Sign(keys.KindTold, t)
		}
		return errors.Join(err, writeSigned(ts.MkAbs(args[1]), s))
	}
	var u broker.Update
	text := ts.ReadFile(args[1])
	if err := json.Unmarshal([]byte(os.Expand(text, ts.Getenv)), &u); err != nil {
		return err
	}
	return p.state(told.PlaceOfState(&u), told.State{Update: u})
}

// cborRaw is CBOR as it is.
type cborRaw []byte

func (c cborRaw) MarshalCBOR() ([]byte, error) { return c, nil }

// bomb is a book of rules with a hundred files of sixty thousand rules, each of one byte.
func (h *fleetHand) bomb(*testscript.TestScript, []string) error {
	text := func(s string) string { return string(rune(0x60+len(s))) + s }
	file := "\xa1" + text("rules") + "\x99\xea\x60" + strings.Repeat("\xa0", 60_000)
	raw := "\xa1" + text("update") + "\xa1" + text("Rules") + "\xa1" + text("Files") + "\x98\x64" + strings.Repeat(file, 100)
	return h.played.state("state.rules", cborRaw(raw))
}

func (h *fleetHand) opens(_ *testscript.TestScript, args []string) error {
	opened, all := 0, 0
	for _, m := range h.seen {
		_, place, _ := h.names().Split(m.Subject)
		var s keys.Signed
		var t told.Told
		if !told.IsKeys(place) || keys.Decode(m.Data, &s) != nil || keys.Decode(s.Body, &t) != nil {
			continue
		}
		l, err := t.Letter()
		if err != nil {
			continue
		}
		all++
		if _, err := l.Open(h.key); err == nil {
			opened++
		}
	}
	if (opened > 0) != (args[0] == "some") || all == 0 {
		return fmt.Errorf("of %d letters it opens %d", all, opened)
	}
	return nil
}
