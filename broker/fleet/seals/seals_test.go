package seals

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/keys/keystest"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

var key = keystest.Key

func roster(tb testing.TB, roles ...members.Role) members.Roster {
	tb.Helper()
	r := members.Roster{Fleet: "team-abc123", Number: 1, Until: time.Now().Add(time.Hour)}
	for i, role := range roles {
		r.Members = append(r.Members, members.Member{Public: key(tb, byte(i)).Public(), Name: "m", Role: role})
	}
	return r
}

func TestLetterOpensForThoseWhoMaySee(t *testing.T) {
	e := NewEpoch()
	r := roster(t, members.Owner, members.Operator, members.Guard, members.Watcher, members.Machine)
	l, err := e.Letter("box", &r)
	if err != nil {
		t.Fatal(err)
	}
	sealed := e.Seal("here", []byte("rm -rf /"))
	if bytes.Contains(sealed.Text, []byte("rm")) {
		t.Fatal("it is not sealed")
	}
	for i := range byte(6) { // the sixth is a stranger
		got, err := l.Open(key(t, i))
		if i >= 4 {
			if !errors.Is(err, ErrSealed) {
				t.Errorf("member %d opens the letter: %v", i, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := got.Open("here", sealed); err != nil || string(plain) != "rm -rf /" {
			t.Errorf("member %d read %q, %v", i, plain, err)
		}
		if _, err := got.Open("there", sealed); !errors.Is(err, ErrSealed) {
			t.Errorf("it opens in another place: %v", err)
		}
	}
	// A letter says whose it is: under another machine's name it opens for nobody.
	moved := l
	moved.Machine = "other"
	if _, err := moved.Open(key(t, 0)); !errors.Is(err, ErrSealed) {
		t.Errorf("a moved letter opens: %v", err)
	}
	// Who had an earlier epoch reads nothing of the next.
	next := NewEpoch()
	old, _ := l.Open(key(t, 1))
	relabelled := next.Seal("here", []byte("new"))
	relabelled.Epoch = old.ID()
	if _, err := old.Open("here", relabelled); !errors.Is(err, ErrSealed) {
		t.Errorf("the old key opens the new epoch: %v", err)
	}
}

func TestChangedTextDoesNotOpen(t *testing.T) {
	e := NewEpoch()
	s := e.Seal("here", []byte("echo hello"))
	for i := range s.Text {
		s.Text[i] ^= 1
		if _, err := e.Open("here", s); !errors.Is(err, ErrSealed) {
			t.Fatalf("byte %d changed, and it opens: %v", i, err)
		}
		s.Text[i] ^= 1
	}
	for _, text := range [][]byte{nil, s.Text[:5], s.Text[:len(s.Text)-1]} {
		if _, err := e.Open("here", Sealed{e.ID(), text}); !errors.Is(err, ErrSealed) {
			t.Errorf("%d bytes open: %v", len(text), err)
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	e, plain := NewEpoch(), make([]byte, 1024)
	for b.Loop() {
		e.Seal("place", plain)
	}
}
