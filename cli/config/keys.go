package config

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/spend"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/tty"
)

// Kind is what a setting's value looks like in the file. Its text stands in errors.
type Kind string

// The kinds.
const (
	Text   Kind = "text in quotes"
	Whole  Kind = "a whole number"
	Switch Kind = "true or false"
)

// Key is a setting that a file may have. Its name is that of the console's flag. Text
// fields are ours and never come from a file.
type Key struct {
	Name    string
	Kind    Kind
	Default string // what holds without it, as a flag takes it; "" for nothing
	About   string

	such  string                  // an example of its value where there is no default
	check func(text string) error // of a value as a flag takes it; nil where all of the kind are fine
	// env is what the environment says in its place, and which variable; "" for nothing. It
	// may be nil.
	env func() (value, variable string, err error)
}

// Keys are the settings that may stand in the file. Any program of the user may have
// written it, so none of them lets a call through that would wait or be refused without it,
// and none names a program. They are made anew for each caller, who may change them.
func Keys() []Key {
	limit := func(name string, most, def int, about string) Key {
		return Key{Name: name, Kind: Whole, Default: strconv.Itoa(def), About: about, check: func(text string) error {
			n, _ := strconv.Atoi(text) // a whole number; the largest that there is for one that is larger
			return CheckLimit(name, n, 1, most, "", def)
		}}
	}
	return []Key{
		{
			Name: "timeout", Kind: Text, Default: "10m", check: checkTimeout, env: timeoutInEnv,
			About: "most time to answer a call before it is refused",
		},
		{
			Name: "on-timeout", Kind: Text, Default: string(broker.Deny), check: func(v string) error { return CheckLate("on-timeout", v) },
			About: "what happens to a call that nobody answers in time: deny, or defer",
		},
		{Name: "keep", Kind: Text, such: "90d", check: checkKeep, About: "archive calls and events that are older; without it everything is kept"},
		{Name: "no-output", Kind: Switch, Default: "false", such: "true", About: "record nothing of what a call printed or returned"},
		{
			Name: "notify", Kind: Text, Default: "auto", check: checkNotify, env: notifyInEnv,
			About: "how the terminal tells that a call waits: auto, off, or some of bell,osc9,osc777,osc99",
		},
		{Name: "notify-turns", Kind: Switch, Default: "true", such: "false", About: "tell as well that a session's turn ended, and how long it took"},
		{Name: "desktop", Kind: Switch, Default: "false", such: "true", About: "notify the desktop as well, with notify-send or osascript"},
		{Name: "spend-session", Kind: Text, such: "$5", check: checkSpend, About: "tell when a session has spent so much, as its agent says: money, or tokens as 500k or 2M"},
		{Name: "spend-day", Kind: Text, such: "20M", check: checkSpend, About: "tell when all sessions have spent so much in a day"},
		{Name: "spend-freeze", Kind: Switch, Default: "false", such: "true", About: "freeze the session as well, or everything at the limit of a day"},
		{Name: "metrics", Kind: Switch, Default: "false", such: "true", About: "answer GET /metrics with numbers for Prometheus, which say nothing of what calls are about"},
		{
			Name: "theme", Kind: Text, Default: Themes[0], check: func(v string) error { return CheckTheme("theme", v) },
			About: "the colours: " + strings.Join(Themes, ", "),
		},
		limit("max-pending", MostPending, DefaultMaxPending, "calls that may wait in all; the next one is refused"),
		limit("max-pending-session", MostPending, DefaultMaxPendingSession, "calls of one session that may wait, its sub-agents' included"),
		limit("max-rate", MostRate, DefaultMaxRate, "new calls a second of one session, five times that at once"),
		{
			Name: "end-silent", Kind: Text, Default: "1h", check: checkSilence,
			About: "end sessions without a process here that were silent for so long; 0 for never",
		},
	}
}

// Example is a value that one may well write, as it stands in a file: with quotes for text.
func (k Key) Example() string {
	text := k.such
	if text == "" {
		text = k.Default
	}
	return k.quoted(text)
}

// quoted is a value as it stands in a file. Go's quoting is TOML's for all values that a
// check lets pass.
func (k Key) quoted(text string) string {
	if k.Kind == Text {
		return strconv.Quote(text)
	}
	return text
}

// JSON is a value, given as a flag takes it, as JSON has it: text, a number or a boolean,
// and nil where nothing is set. What is no number although it should be stays text.
func (k Key) JSON(text string) any {
	if text == "" {
		return nil
	}
	switch k.Kind {
	case Whole:
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	case Switch:
		return text == "true"
	case Text:
	}
	return text
}

// Env is what the environment says in the place of k, and which variable; "" for nothing.
// The error is for a value that cannot be.
func (k Key) Env() (value, variable string, err error) {
	if k.env == nil {
		return "", "", nil
	}
	return k.env()
}

// Refusal says why a setting is not taken from a file, and what to do instead, both to go
// on with in a sentence: "X is not taken from a file: WHY. Take it out, and INSTEAD".
type Refusal struct{ Why, Instead string }

// Refused are the console's other flags, and why a file does not set them: it would open
// the gate, or run what an agent wrote there. A test holds flags, Keys and Refused
// together, so a new flag has to be in one of them.
var Refused = map[string]Refusal{
	"observe":          {Why: "no call would be held", Instead: "type: aoctl --observe"},
	"on-wait":          {Why: "it runs a program", Instead: "type: aoctl --on-wait COMMAND"},
	"otlp":             {Why: "it sends what happens here elsewhere", Instead: "type: aoctl --otlp http://localhost:4318"},
	"otlp-content":     {Why: "it sends what calls say elsewhere", Instead: "type: aoctl --otlp http://localhost:4318 --otlp-content"},
	"on-wait-token":    {Why: "calls could be allowed from elsewhere", Instead: "type: aoctl --on-wait COMMAND --on-wait-token"},
	"listen":           {Why: "more could reach the console", Instead: "type: aoctl --listen 127.0.0.1:8765"},
	"listen-operators": {Why: "more could allow calls", Instead: "type: aoctl --listen 127.0.0.1:8765 --listen-operators"},
	"fleet":            {Why: "aoctl alone would no longer watch this machine", Instead: "type: aoctl --fleet"},
	"socket":           {Why: "hooks do not read this file and would ask another console", Instead: "set AOCTL_SOCKET, then: aoctl install"},
	"no-bell":          {Why: "notify says the same", Instead: `write notify = "off"`},
}

// Names are those of the settings that there are, in the order of Keys.
func Names() []string {
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	return names
}

// Blank is a file in which every setting stands as a comment, as it is without it. Taking
// away a "#" changes nothing, but for a setting without a default, which shows an example.
func Blank(actions []Action) []byte {
	var b strings.Builder
	b.WriteString("# Settings of the console: TOML, one a line. aoctl reads this file when it starts.\n" +
		"# Flags and environment variables win. \"aoctl config\" lists what holds.\n")
	for _, k := range Keys() {
		value := k.quoted(k.Default)
		if k.Default == "" {
			value = k.Example()
		}
		fmt.Fprintf(&b, "\n# %s\n# %s = %s\n", k.About, k.Name, value)
	}
	b.WriteString("\n# The keys of the console; an action may have a list of them. aoctl config keys lists them.\n# [keys]\n")
	for _, a := range actions {
		b.WriteString("# " + a.example() + "\n")
	}
	return []byte(b.String())
}

// checkSilence is CheckSilence for a value of the file.
func checkSilence(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil {
		t = -1
	}
	return CheckSilence("end-silent", t)
}

// checkTimeout is CheckTimeout for a value of the file, which needs a unit.
func checkTimeout(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil {
		return usage.Error{Text: fmt.Sprintf("timeout %q is not a time", text), Hint: "give a number with its unit, such as 10m or 90s"}
	}
	return CheckTimeout("timeout", t)
}

// checkKeep is ParseKeep without its result.
func checkKeep(text string) error {
	_, err := ParseKeep("keep", text)
	return err
}

// checkNotify sees whether the terminal's room knows these ways. What "auto" would come to
// does not matter here.
func checkNotify(text string) error {
	if _, err := tty.ParseNotify(text, os.Getenv); err != nil {
		return usage.Error{Text: "notify: " + err.Error(), Hint: NotifyHint}
	}
	return nil
}

// timeoutInEnv is the timeout of the environment, as a flag takes it.
func timeoutInEnv() (value, variable string, err error) {
	t, err := TimeoutFromEnv(os.Getenv(TimeoutEnv))
	if err != nil || t == 0 {
		return "", "", err
	}
	return t.String(), TimeoutEnv, nil
}

// notifyInEnv is what the environment says of notifications. Silence wins over a list of
// ways.
func notifyInEnv() (value, variable string, err error) {
	if silent := os.Getenv(NoBellEnv); silent != "" && silent != "0" {
		return "off", NoBellEnv, nil
	}
	if ways := os.Getenv(NotifyEnv); ways != "" {
		return ways, NotifyEnv, nil
	}
	return "", "", nil
}

// checkSpend: an amount of money or of tokens.
func checkSpend(v string) error {
	_, err := spend.Parse(v)
	return err
}
