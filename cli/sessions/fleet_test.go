package sessions

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/cli/exit"
)

func TestOthersArePrinted(t *testing.T) {
	list := []onMachine{{Name: "ci", Status: confirmed}, {Name: "lap\x1b[2Jtop", Status: later}, {Name: "lab", Status: failed, Error: "its store is full"}}
	var out bytes.Buffer
	if err := printOthers(&out, list, freezeOrder); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("machine ci: frozen\nmachine lap\\x1b[2Jtop: out of reach, freezes when it is back\nmachine lab: not frozen: its store is full\n", out.String()); diff != "" {
		t.Error(diff)
	}
	e, _ := errors.AsType[exit.Error](unconfirmed(list))
	if e.Code != exit.Survivors || e.Text != "2 machines of the fleet did not confirm: agents there may go on" {
		t.Errorf("%d: %s", e.Code, e.Text)
	}
	if err := unconfirmed(list[:1]); err != nil {
		t.Error(err)
	}
}

// What went wrong here stands first and decides the exit code; nothing is left out.
func TestBothWentWrong(t *testing.T) {
	here, there := exit.Error{Code: exit.NoConsole, Text: "here"}, exit.Error{Code: exit.Survivors, Text: "there"}
	for _, c := range []struct {
		here, there error
		code        int
		list        []string
	}{
		{here, nil, exit.NoConsole, nil},
		{nil, there, exit.Survivors, nil},
		{here, there, exit.NoConsole, []string{"there"}},
		{errors.New("plain"), there, exit.Failed, []string{"there"}},
	} {
		e, ok := errors.AsType[exit.Error](both(c.here, c.there))
		if !ok || e.Code != c.code || !slices.Equal(e.List, c.list) {
			t.Errorf("%v and %v: %+v", c.here, c.there, e)
		}
	}
	if err := both(nil, nil); err != nil {
		t.Error(err)
	}
}
