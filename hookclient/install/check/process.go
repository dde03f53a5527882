package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Process is a running process of this user. Args are the words that the system tells; a process
// can write over its own.
type Process struct {
	PID  int
	Args []string
	Pure bool // its environment has OPENCODE_PURE
}

// maxRC bounds a shell's start file, bytes.
const maxRC = 1 << 20

// runs reports whether p is the program of agent a, started by itself or by an interpreter. The
// first two words are looked at, since an interpreter comes before its script.
func (p Process) runs(a *profile.Profile) bool {
	for _, arg := range p.Args[:min(len(p.Args), 2)] {
		if slices.Contains(a.Programs, strings.TrimSuffix(filepath.Base(arg), ".js")) {
			return true
		}
		if a.Script != "" && strings.HasSuffix(arg, a.Script) {
			return true
		}
		// A flag before any script: this is the program itself with its arguments.
		if strings.HasPrefix(arg, "-") {
			return false
		}
	}
	return false
}

// A silencer is a way to start an agent that leaves its hooks out.
type silencer struct {
	flag  string              // "--bare"
	value func(v string) bool // whether the flag's value silences; nil: the flag alone does
}

// in finds s among arguments, and says how it stands there. Both forms of a flag are known, with
// "=" and with the value as the next word.
func (s silencer) in(args []string) (string, bool) {
	for i, arg := range args {
		name, value, inline := strings.Cut(arg, "=")
		// A short form of a flag, or flags that are put together, are not known here.
		if name != s.flag {
			continue
		}
		if s.value == nil {
			return arg, true
		}
		if !inline && i+1 < len(args) {
			value = args[i+1]
		}
		if s.value(value) {
			return name + " " + value, true
		}
	}
	return "", false
}

// started looks for agents that run without their hooks, and for aliases that would start
// them so. Agents that start later are not seen. doctor says what is, at one moment.
func (c *checker) started(silencers ...silencer) {
	found := 0
	for _, p := range c.processes {
		if !p.runs(c.a) {
			continue
		}
		// One process may have several; each is told, as each must go.
		for _, s := range silencers {
			if how, ok := s.in(p.Args); ok {
				c.add(Fail, "running process", fmt.Sprintf("end it (kill %d) and start it without %s", p.PID, s.flag),
					"pid %d was started with %s: it runs without the gate", p.PID, machine.Shorten(how))
				found++
			}
		}
	}
	found += c.aliases(silencers)
	switch {
	case found > 0:
	// Not to see is told as such, and not as "none".
	case c.processErr != nil:
		c.add(Skipped, "running process", "", "how running agents were started cannot be seen: %v", c.processErr)
	default:
		c.add(OK, "running process", "", "none runs, or is aliased to run, without its hooks")
	}
}

// aliases looks into the shells' start files. A function or a script that does the same is not
// found; an alias is how it is done most often.
func (c *checker) aliases(silencers []silencer) int {
	found := 0
	h := machine.Home()
	if h == "" {
		return 0
	}
	for _, name := range []string{".bashrc", ".bash_aliases", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile", ".aliases", ".config/fish/config.fish"} {
		text, err := machine.ReadBounded(filepath.Join(h, name), maxRC)
		if err != nil {
			continue
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if how, ok := aliased(line, c.a.Programs, silencers); ok {
				c.add(Fail, "alias", "take it out of that line", "%s:%d starts %s with %s", filepath.Join(h, name), n, c.a.Programs[0], machine.Shorten(how))
				found++
			}
		}
	}
	return found
}

// aliased reports whether a line of a shell's settings starts one of the programs with something
// that silences its hooks, and how. It looks at words only, since nothing of it may be run.
func aliased(line string, programs []string, silencers []silencer) (string, bool) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return "", false
	}
	// Quotes and operators divide words here: it is a guess at what a shell would make of the
	// line.
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t'\"=();&|", r) })
	named := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(programs, filepath.Base(w)) })
	if !named {
		return "", false
	}
	for _, s := range silencers {
		if how, ok := s.in(words); ok {
			return how, true
		}
	}
	return "", false
}
