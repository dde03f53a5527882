package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// What the operator chose decides, is drawn, and takes the place of what it was.
func TestChosenKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil, bash("r1", "s1", time.Now(), "ls")), 100, 30)
		r.m.chosen = chooseKeys(map[string][]string{"allow": {"z"}, "help": {"f1"}, "mark": {"a"}})
		r.wait(2 * time.Second)
		r.shows("z allow")
		r.press("a")
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("the old key decided: %s", got)
		}
		if len(r.m.Board.Marks) != 1 {
			t.Error("the key marks nothing")
		}
		r.press("a")
		r.send(tea.KeyMsg{Type: tea.KeyF1})
		r.shows("allow this call, once")
		r.press("esc")
		r.wait(2 * time.Second)
		r.press("z")
		r.wait(time.Second)
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

// A key that was moved away does nothing, and words that are written stay as they are.
func TestKeyMovedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil, bash("r1", "s1", time.Now(), "ls")), 100, 30)
		r.m.chosen = chooseKeys(map[string][]string{"allow": {"z"}})
		r.wait(2 * time.Second)
		r.press("a", "D", "a", "z", "enter")
		r.wait(time.Second)
		if got := r.decisions(); got != "deny r1;" || r.c.decided[0].Reason != "az" {
			t.Errorf("decided %q, %+v", got, r.c.decided)
		}
	})
}

func TestKeysByName(t *testing.T) {
	for _, name := range []string{"a", " ", "enter", "ctrl+d", "alt+x", "f5", "pgdown", "?", "ctrl+a", "esc", "shift+tab"} {
		if got := keyCalled(name).String(); got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
	if got := chooseKeys(map[string][]string{"down": {"n"}}).call("j k"); got != "n k" && !strings.Contains(got, "n") {
		t.Errorf("j k is called %q", got)
	}
}

// The keys of an edited call are read once: the one that was chosen to deny does not become the one
// that allows.
func TestChosenKeysOnAnEditedCall(t *testing.T) {
	for name, tt := range map[string]struct {
		keys map[string][]string
		want string
	}{
		"deny becomes the key that allow was moved to": {map[string][]string{"deny": {"f3"}, "allow": {"d"}}, ""},
		"allow": {map[string][]string{"allow": {"f3"}}, "allow r1;"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := editRig(t, bash("r1", "s1", time.Now(), "ls"))
				r.m.chosen = chooseKeys(tt.keys)
				r.editsTo("ls -l\n", nil, time.Second)
				r.press("e")
				r.wait(3 * time.Second)
				r.send(tea.KeyMsg{Type: tea.KeyF3})
				r.wait(time.Second)
				if got := r.decisions(); got != tt.want {
					t.Errorf("decided %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// In a question only the keys of yes say yes, though copy has the same one by default.
func TestChosenCopyIsNoYes(t *testing.T) {
	for name, tt := range map[string]struct {
		keys  map[string][]string
		press string
		want  string
	}{
		"copy":      {map[string][]string{"copy": {"c"}}, "c", ""},
		"old yes":   {map[string][]string{"yes": {"z"}}, "y", ""},
		"yes moved": {map[string][]string{"yes": {"z"}}, "z", "allow r1;allow r2;"},
		"yes":       {map[string][]string{"copy": {"c"}}, "y", "allow r1;allow r2;"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				now := time.Now()
				r := newRig(t, newFake(someSessions(), bash("r1", "s1", now, "ls"), bash("r2", "s1", now, "ls")), 100, 30)
				r.m.chosen = chooseKeys(tt.keys)
				r.wait(2 * time.Second)
				r.press(" ", "j", " ", "a")
				r.wait(time.Second)
				r.press(tt.press)
				r.wait(time.Second)
				if got := r.decisions(); got != tt.want {
					t.Errorf("decided %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// Where words are written no key becomes a letter.
func TestChosenKeysTypeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil, bash("r1", "s1", time.Now(), "ls")), 100, 30)
		r.m.chosen = chooseKeys(map[string][]string{"up": {"k", "up"}, "top": {"g", "home"}, "allow": {"f5"}})
		r.wait(2 * time.Second)
		r.press("D", "n", "o", "up", "home")
		r.send(tea.KeyMsg{Type: tea.KeyF5})
		r.wait(time.Second)
		r.press("enter")
		r.wait(time.Second)
		if got := r.c.decided[0].Reason; got != "no" {
			t.Errorf("the agent is told %q", got)
		}
	})
}

// A key that a screen has itself does there what the screen says.
func TestChosenKeyOfAScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.m.chosen = chooseKeys(map[string][]string{"mark": {"J"}})
		before := r.c.book.Rules
		r.press("r", "j")
		r.wait(2 * time.Second)
		r.press("J")
		r.wait(time.Second)
		for i, s := range r.c.saved() {
			if !s.Enabled && before[i].Enabled {
				t.Errorf("J switched %s off", s.ID)
			}
		}
	})
}
