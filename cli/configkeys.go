package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui"
)

// configKey is a setting of the console that its file may have. Its name is that of the
// flag.
type configKey struct {
	config.Key
	def   string // what holds without it, as a flag takes it
	about string
	// env is what the environment says in its place, and which variable; "" for nothing. It
	// may be nil.
	env func() (value, variable string, err error)
}

// configKeys are the settings that may stand in the file. Any program of the user may
// have written it, so none of them lets a call through that would wait or be refused
// without it, and none names a program.
func configKeys() []configKey {
	limit := func(name string, least, most, def int, about string) configKey {
		check := func(text string) error {
			n, err := strconv.Atoi(text)
			return cmp.Or(err, checkLimit(name, n, least, most, "", def))
		}
		return configKey{Key: key(name, config.Whole, strconv.Itoa(def), check), def: strconv.Itoa(def), about: about}
	}
	return []configKey{
		{
			Key: key("timeout", config.Text, `"10m"`, checkTimeoutText), def: "10m", env: timeoutInEnv,
			about: "most time to answer a call before it is refused",
		},
		{
			Key: key("on-timeout", config.Text, `"deny"`, func(v string) error { return checkLate("on-timeout", v) }), def: string(broker.Deny),
			about: "what becomes of a call that nobody answers in time: deny, or defer",
		},
		{Key: key("keep", config.Text, `"90d"`, checkKeep), about: "archive calls and events that are older; without it everything is kept"},
		{Key: key("no-output", config.Switch, "true", nil), def: "false", about: "record nothing of what a call printed or returned"},
		{
			Key: key("notify", config.Text, `"auto"`, checkNotify), def: "auto", env: notifyInEnv,
			about: "how the terminal tells that a call waits: auto, off, or some of bell,osc9,osc777,osc99",
		},
		{Key: key("desktop", config.Switch, "true", nil), def: "false", about: "notify the desktop as well, with notify-send or osascript"},
		limit("max-pending", 1, mostPending, defaultMaxPending, "calls that may wait in all; the next one is refused"),
		limit("max-pending-session", 1, mostPending, defaultMaxPendingSession, "calls of one session that may wait, its sub-agents' included"),
		limit("max-rate", 1, mostRate, defaultMaxRate, "new calls a second of one session, five times that at once"),
	}
}

// configRefused are the console's other flags, and why a file does not set them: it would
// open the gate, or run what an agent wrote there.
var configRefused = map[string]config.Refusal{
	"observe":          {Why: "nothing would be held", Instead: "type: aoctl --observe"},
	"on-wait":          {Why: "it runs a program", Instead: "type: aoctl --on-wait COMMAND"},
	"listen":           {Why: "more could reach the console", Instead: "type: aoctl --listen 127.0.0.1:8765"},
	"listen-operators": {Why: "more could allow calls", Instead: "type: aoctl --listen 127.0.0.1:8765 --listen-operators"},
	"socket":           {Why: "hooks do not read this file, and would ask elsewhere", Instead: "set AOCTL_SOCKET, then: aoctl install"},
	"no-bell":          {Why: "notify says the same", Instead: `write notify = "off"`},
}

// configSchema is what the settings file may have.
func configSchema() config.Schema {
	s := config.Schema{Refused: configRefused, Together: limitsTogether}
	for _, k := range configKeys() {
		s.Keys = append(s.Keys, k.Key)
	}
	return s
}

// key is a setting whose values a function of the flags checks.
func key(name string, kind config.Kind, such string, check func(string) error) config.Key {
	k := config.Key{Name: name, Kind: kind, Such: such}
	if check != nil {
		k.Check = func(value string) (string, string) {
			err := check(value)
			if err == nil {
				return "", ""
			}
			u, _ := errors.AsType[usage.Error](err)
			return cmp.Or(u.Text, err.Error()), cmp.Or(u.Hint, "write "+name+" = "+such)
		}
	}
	return k
}

func checkTimeoutText(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil {
		return usage.Error{Text: fmt.Sprintf("timeout %q is no time", text), Hint: "give a number with its unit, such as 10m or 90s"}
	}
	return checkTimeout("timeout", t)
}

func checkKeep(text string) error {
	_, err := parseKeep("keep", text)
	return err
}

func checkNotify(text string) error {
	if _, err := tui.ParseNotify(text, os.Getenv); err != nil {
		return usage.Error{Text: "notify: " + err.Error(), Hint: notifyHint}
	}
	return nil
}

// limitsTogether refuses more waiting calls of one session than of all.
func limitsTogether(list []config.Setting) (name, wrong, cure string) {
	all, one := defaultMaxPending, 0
	for _, s := range list {
		n, err := strconv.Atoi(s.Value)
		switch {
		case err != nil:
		case s.Key == "max-pending":
			all = n
		case s.Key == "max-pending-session":
			one = n
		}
	}
	if one <= all {
		return "", "", ""
	}
	return "max-pending-session", fmt.Sprintf("max-pending-session %d is more than max-pending, %d", one, all), fmt.Sprintf("give a number from 1 to %d", all)
}

func timeoutInEnv() (value, variable string, err error) {
	t, err := timeoutFromEnv(os.Getenv(timeoutEnv))
	if err != nil || t == 0 {
		return "", "", err
	}
	return t.String(), timeoutEnv, nil
}

func notifyInEnv() (value, variable string, err error) {
	if silent := os.Getenv(noBellEnv); silent != "" && silent != "0" {
		return "off", noBellEnv, nil
	}
	if ways := os.Getenv(notifyEnv); ways != "" {
		return ways, notifyEnv, nil
	}
	return "", "", nil
}

// newConfigText is a file in which every setting stands as a comment, as it is without it.
func newConfigText() []byte {
	var b strings.Builder
	b.WriteString("# Settings of the console: TOML, one a line. aoctl reads this file when it starts.\n" +
		"# Flags and environment variables win. \"aoctl config\" lists what holds.\n")
	for _, k := range configKeys() {
		fmt.Fprintf(&b, "\n# %s\n# %s = %s\n", k.about, k.Name, k.inFile())
	}
	return []byte(b.String())
}

// inFile is the default as it stands in a file, or an example where there is none.
func (k configKey) inFile() string {
	switch {
	case k.def == "":
		return k.Such
	case k.Kind == config.Text:
		return fmt.Sprintf("%q", k.def)
	}
	return k.def
}

// as is a value as JSON has it.
func (k configKey) as(text string) any {
	if text == "" {
		return nil
	}
	switch k.Kind {
	case config.Whole:
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	case config.Switch:
		return text == "true"
	case config.Text:
	}
	return text
}

func configNames() []string {
	var names []string
	for _, k := range configKeys() {
		names = append(names, k.Name)
	}
	return names
}
