package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// types sends text as a person types it, a key every 150 ms.
func (r *rig) types(text string) {
	for _, c := range text {
		name := string(c)
		if name == " " {
			name = "space"
		}
		r.send(keyMsg(name))
		r.wait(150 * time.Millisecond)
	}
}

// Words that were meant for a form fall on the card that is drawn: the form did not open, or
// was left in the middle of a sentence, as by an enter that was meant as a line break. They
// decide nothing. After a pause the keys act as ever.
func TestWordsForAFormDecideNothing(t *testing.T) {
	for name, before := range map[string]func(r *rig){
		"m opened nothing":          func(r *rig) { r.press("j"); r.wait(time.Second); r.types("m") },
		"m in a burst":              func(r *rig) { r.send(keyMsg("j")); r.send(keyMsg("m")) },
		"m in one read":             func(r *rig) { r.send(keyMsg("mte")) },
		"the message was sent":      func(r *rig) { r.types("m"); r.types("see"); r.send(keyMsg("enter")); r.wait(150 * time.Millisecond) },
		"the message was left":      func(r *rig) { r.types("m"); r.types("see"); r.send(keyMsg("esc")); r.wait(150 * time.Millisecond) },
		"nothing was written":       func(r *rig) { r.types("m"); r.send(keyMsg("esc")); r.wait(150 * time.Millisecond) },
		"a reason was sent":         func(r *rig) { r.types("Dsee"); r.send(keyMsg("enter")); r.wait(150 * time.Millisecond) },
		"the new session was left":  func(r *rig) { r.types("n"); r.types("see"); r.send(keyMsg("esc")); r.wait(150 * time.Millisecond) },
		"the new session was begun": func(r *rig) { r.types("n"); r.types("see"); r.send(keyMsg("ctrl+s")); r.wait(150 * time.Millisecond) },
	} {
		for _, words := range []string{"zzzzzlaw", "zzzzold"} {
			t.Run(name+", "+words, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := heldRig(t, broker.TurnWorking)
					r.wait(3 * time.Second)
					before(r)
					r.types(words)
					r.wait(2 * time.Second)
					if got := r.decisions(); got != "" && (name != "a reason was sent" || got != "deny r1;") {
						t.Fatalf("decided %s", got)
					}
				})
			})
		}
	}
}

// Who presses a key again that was refused, soon but not held down, is heard.
func TestKeyPressedAgainAfterAForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.wait(3 * time.Second)
		r.types("m")
		r.types("see")
		r.send(keyMsg("esc"))
		r.wait(600 * time.Millisecond)
		for _, want := range []string{"", "allow"} {
			r.send(keyMsg("a"))
			r.wait(700 * time.Millisecond)
			if got := r.decisions(); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
				t.Errorf("decided %q, want %q", got, want)
			}
		}
	})
}

func TestKeysActAfterAForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.wait(3 * time.Second)
		r.types("m")
		r.types("see")
		r.press("esc")
		r.press("a")
		r.shows("a text was just left: pause for a moment")
		r.wait(time.Second)
		r.press("a")
		if got := r.decisions(); got == "" {
			t.Error("a decides nothing after a pause")
		}
	})
}
