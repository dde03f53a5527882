package jet_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/jet"
)

// An id is claimed once, in a cluster as well: whichever server is asked, by whoever, the first one counts.
func TestClaimsAndQuestions(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 3, nil)
	ctx := within(t)
	m := id(t, fleettest.Machine)
	a, b := jet.Machine(f.As(t, fleettest.Machine)).Queue(), jet.Machine(f.As(t, fleettest.Machine2)).Queue()
	for _, mark := range []string{"m1", "m2", "m3"} {
		for range 2 { // the same again, as when nobody heard that it was stored
			if taken, err := a.Put(ctx, mark, []byte("a")); err != nil || taken {
				t.Errorf("its own claim: taken %t, %v", taken, err)
			}
		}
		if taken, err := b.Put(ctx, mark, []byte("b")); err != nil || !taken {
			t.Errorf("the second claim: taken %t, %v", taken, err)
		}
		if got, err := b.Claim(ctx, mark); err != nil || string(got) != "a" {
			t.Errorf("the claim that is there: %q, %v", got, err)
		}
	}
	if _, err := b.Claim(ctx, "none"); !errors.Is(err, jet.ErrBehind) {
		t.Errorf("a claim that nobody made: %v", err)
	}
	if _, err := b.Ask(ctx, m, []byte("?")); !errors.Is(err, jet.ErrNobody) {
		t.Errorf("nobody answers: %v", err)
	}
	begun, release := make(chan struct{}), make(chan struct{})
	go func() {
		_ = a.Take(t.Context(), m, func(_ context.Context, raw []byte) []byte {
			if string(raw) == "wait" {
				begun <- struct{}{}
				<-release
			}
			return append([]byte("of "), raw...)
		})
	}()
	until(t, func() ([]byte, error) { return b.Ask(ctx, m, []byte("?")) })
	first := make(chan string)
	go func() {
		got, _ := b.Ask(ctx, m, []byte("wait"))
		first <- string(got)
	}()
	<-begun
	if got, err := b.Ask(ctx, m, []byte("now")); err != nil || string(got) != "of now" {
		t.Errorf("while another one waits: %q, %v", got, err)
	}
	close(release)
	if got := take(t, first); got != "of wait" {
		t.Errorf("the one that waited: %q", got)
	}
}
