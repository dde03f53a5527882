package member

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/server"
	"github.com/aoctl/aoctl/cli/exit"
)

// at has what follows be in a state folder of its own, and returns it.
func at(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	t.Setenv("AOCTL_HOME", dir)
	return dir
}

// withFleet is a fleet whose owners are the seed and the person of a state folder.
func withFleet(t *testing.T, role members.Role, until time.Duration) (*fleettest.Fleet, *Me) {
	t.Helper()
	at(t)
	key, err := MyKey()
	if err != nil {
		t.Fatal(err)
	}
	f := fleettest.Start(t, 1, func(_ *server.Options, r *members.Roster) {
		r.Members = append(r.Members, members.Member{Public: key.Public(), Name: "ana", Role: role})
		r.Until = time.Now().Add(until)
	})
	o := f.LineOptions(key)
	me, err := New(fleettest.Sign(t, f.Roster), o.Servers, o.Pin)
	if err != nil {
		t.Fatal(err)
	}
	return f, me
}

func reach(t *testing.T, me *Me) *jet.Line {
	t.Helper()
	line, err := me.Reach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(line.Close)
	return line
}

func names(r members.Roster) (list []string) {
	for _, m := range r.Members {
		list = append(list, m.Name)
	}
	return list
}

func add(t *testing.T, seed byte, name string) func(*members.Roster) error {
	t.Helper()
	m := fleettest.Member(t, seed, members.Machine)
	m.Name = name
	return func(r *members.Roster) error {
		r.Members = append(r.Members, m)
		return nil
	}
}

func code(err error) int {
	e, _ := errors.AsType[exit.Error](err)
	return e.Code
}

func TestSaveAndLoad(t *testing.T) {
	dir := at(t)
	if _, err := Load(); !InNone(err) {
		t.Fatalf("nothing there: %v", err)
	}
	key, err := MyKey()
	if err != nil {
		t.Fatal(err)
	}
	r := fleettest.NewRoster(t)
	r.Members = append(r.Members, members.Member{Public: key.Public(), Name: "ana", Role: members.Guard})
	me, err := New(fleettest.Sign(t, r), []string{"tls://office:4222"}, []byte("pin"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(); !InNone(err) {
		t.Fatalf("before it is saved: %v", err)
	}
	if err := me.Save(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, fleetFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	back, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := back.Member(); !ok || m.Name != "ana" || m.Role != members.Guard {
		t.Errorf("%+v, %t", m, ok)
	}
	if diff := cmp.Diff(me.Roster(), back.Roster()); diff != "" || !slices.Equal(back.Servers, me.Servers) || string(back.Pin) != "pin" {
		t.Errorf("%s%v %q", diff, back.Servers, back.Pin)
	}
	// A server with another key takes the place of all that were known.
	for _, s := range []struct {
		at, pin string
		want    []string
	}{
		{"tls://office:4222", "pin", []string{"tls://office:4222"}},
		{"tls://lab:4222", "pin", []string{"tls://office:4222", "tls://lab:4222"}},
		{"tls://new:4222", "other", []string{"tls://new:4222"}},
	} {
		if err := back.Serve([]byte(s.pin), s.at); err != nil {
			t.Fatal(err)
		}
		if now, err := Load(); err != nil || !slices.Equal(now.Servers, s.want) || string(now.Pin) != s.pin {
			t.Errorf("after %s: %v, %v", s.at, now.Servers, err)
		}
	}
	if err := back.Forget(); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(); !InNone(err) {
		t.Errorf("forgotten: %v", err)
	}
}

// What cannot be read is no fleet that one is in none of: it says what to do.
func TestBrokenFile(t *testing.T) {
	dir := at(t)
	if _, err := MyKey(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"empty": "", "half": `{"name":`, "without a roster": `{"name":"x"}`, "no CBOR": `{"roster":"aGVsbG8="}`, "a list": "[]"} {
		file := filepath.Join(dir, fleetFile)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load()
		e, ok := errors.AsType[exit.Error](err)
		if !ok || InNone(err) || e.Code != exit.Failed || !strings.Contains(e.Text, file) || !strings.Contains(e.Hint, "move it away") {
			t.Errorf("%s: %v, %q", name, err, e.Hint)
		}
	}
}

// Two owners change the roster at the same time: the slower one does it anew, and nothing is lost.
func TestAnotherOwnerWasQuicker(t *testing.T) {
	f, me := withFleet(t, members.Owner, time.Hour)
	line := reach(t, me)
	first := true
	err := me.Change(t.Context(), line, func(r *members.Roster) error {
		if first {
			first = false
			theirs := f.Roster
			theirs.Number, theirs.Members = 2, slices.Clone(theirs.Members)
			if err := add(t, 20, "theirs")(&theirs); err != nil {
				return err
			}
			if err := f.As(t, fleettest.Owner).PutRoster(t.Context(), 2, fleettest.Sign(t, theirs)); err != nil {
				return err
			}
		}
		return add(t, 21, "ours")(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := append(names(f.Roster), "theirs", "ours")
	if diff := cmp.Diff(want, names(me.Roster())); diff != "" || me.Roster().Number != 3 {
		t.Errorf("number %d: %s", me.Roster().Number, diff)
	}
	back, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, names(back.Roster())); diff != "" {
		t.Error(diff)
	}
}

// An owner signs anew when half of the time is over, and nobody else does.
func TestRenew(t *testing.T) {
	for name, c := range map[string]struct {
		role  members.Role
		until time.Duration
		anew  bool
	}{
		"soon over":         {members.Owner, GoodFor/2 - time.Hour, true},
		"fresh":             {members.Owner, GoodFor/2 + time.Hour, false},
		"of an operator's":  {members.Operator, time.Hour, false},
		"over in a minute ": {members.Owner, time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, me := withFleet(t, c.role, c.until)
			was := me.Roster().Until
			if err := me.Renew(t.Context(), reach(t, me)); err != nil {
				t.Fatal(err)
			}
			if now := me.Roster(); (now.Number == 2) != c.anew || now.Until.After(was) != c.anew {
				t.Errorf("number %d, until %v, was %v", now.Number, now.Until, was)
			}
		})
	}
}

// Who may not, is told so, and nothing is given to the servers.
func TestRefused(t *testing.T) {
	f, me := withFleet(t, members.Operator, time.Hour)
	line := reach(t, me)
	if err := me.Change(t.Context(), line, add(t, 21, "ours")); code(err) != exit.Forbidden {
		t.Errorf("an operator changes who is in the fleet: %v", err)
	}
	wrong := errors.New("no")
	owner := *me
	owner.Key = fleettest.Key(t, fleettest.Owner)
	if err := owner.Change(t.Context(), line, func(*members.Roster) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("%v", err)
	}
	if me.Roster().Number != f.Roster.Number {
		t.Errorf("number %d", me.Roster().Number)
	}
	// A server that does not know the person is no server that does not answer.
	me.Key = fleettest.Key(t, 99)
	if _, err := me.Reach(t.Context()); code(err) != exit.Forbidden || !strings.Contains(err.Error(), "does not know you") {
		t.Errorf("a stranger: %v", err)
	}
	me.Servers = []string{"tls://" + fleettest.FreePort(t)}
	ctx, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	if _, err := me.Reach(ctx); code(err) != exit.NoConsole || strings.Contains(err.Error(), "tls://") {
		t.Errorf("no server: %v", err)
	}
	me.Servers = nil
	if _, err := me.Reach(t.Context()); code(err) != exit.NoConsole || !strings.Contains(err.Error(), "no server yet") {
		t.Errorf("no address: %v", err)
	}
}

// A console that is open hears when an invite is over, and with it who joined: nobody tells that.
func TestFollowHearsThatAnInviteIsOver(t *testing.T) {
	f, me := withFleet(t, members.Owner, GoodFor)
	line := reach(t, me)
	code := members.NewCode()
	in, err := code.Invite(members.Machine, time.Now().Add(2*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	in.Many = true
	err = me.Change(t.Context(), line, func(r *members.Roster) error {
		r.Invites = append(r.Invites, in)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := code.Key()
	if err != nil {
		t.Fatal(err)
	}
	job := fleettest.Key(t, 77)
	s, err := members.Enrol(code, job, fleettest.ID, "job", members.Machine, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	guest := f.Line(t, k)
	fleettest.Until(t, guest, func(s jet.State) bool { return s.Up })
	if err := guest.Enrol(t.Context(), job.Public().ID(), s); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	heard := make(chan []string, 16)
	var work sync.WaitGroup
	work.Go(func() { _ = me.Follow(ctx, line, func(r members.Roster) { heard <- names(r) }) })
	if list := <-heard; !slices.Contains(list, "job") {
		t.Errorf("in the fleet are %q", list)
	}
	if list := <-heard; slices.Contains(list, "job") {
		t.Errorf("after the invite's end in the fleet are %q", list)
	}
	end()
	work.Wait()
}
