package hookclient

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/hookclient/profile"
)

const usage = `usage: aoctl hook [--timeout 10m] [--at-most 1h] [--gate] [--on-down deny|ask]
                  [--socket PATH | --url URL [--token-file FILE]] AGENT
(or aoctl-hook with the same arguments)

Reads one hook payload of AGENT (such as claude) from stdin, asks the console,
and prints the agent's own answer. Agents run it; "aoctl install AGENT" tells
them to.

  --timeout     how long a person has to answer;
                AGENT_ORCHESTRATOR_APPROVAL_TIMEOUT says it in seconds
  --at-most     how long it waits when the person gives the call more time;
                without it, no longer than --timeout
  --gate        the hook decides: to an agent that reads a refusal from its
                output (codex, copilot, gemini, qwen) a refusal of the client's
                own is printed there, with exit 0
  --on-down     what to say when no console can be reached: deny (the default),
                or ask, which leaves the call to the agent's own prompt; only
                claude's holds, and only in its hook before a tool
  --socket      the console's socket; AOCTL_SOCKET does the same
  --url         a console over TCP, such as http://localhost:8765; AOCTL_URL
                does the same
  --token-file  an absolute path, of a file of yours with mode 0600 that holds
                the token for asking over TCP; AOCTL_TOKEN holds the token
                itself
  --not-under   flags, with commas between them, with which the agent asks about
                no call: if it was started with one of them the prompt is
                refused; any other prompt the console is only told of

--socket or --url pin the console: then none of these variables but AOCTL_TOKEN
counts, and that one only with --url and without --token-file. Without them
AOCTL_URL comes before AOCTL_SOCKET.

Exit 0: the answer was printed. Exit 2: the call is refused and stderr says why;
this help exits 2 as well, because an agent takes any silent 0 for permission.
`

const (
	timeoutEnv     = "AGENT_ORCHESTRATOR_APPROVAL_TIMEOUT" // seconds
	defaultTimeout = 10 * time.Minute
	maxTimeout     = 24 * time.Hour // no agent lets a hook run longer
)

// settings is what one run was told by arguments and environment. It is complete when parseArgs
// returns without an error: nothing later looks at the environment for it.
type settings struct {
	agent   string
	console address
	timeout time.Duration
	atMost  time.Duration // with more time from the person; timeout when they can give none
	gate    bool          // a refusal may be printed as the agent's own answer
	askDown bool          // where no console can be reached the agent's own prompt is to ask
	help    bool

	notUnder string // before a prompt: flags, with commas between them, with which the agent must not have been started
}

// flags are the values of the flags, each "" when it was not given. Package flag is not used,
// since it costs its start and takes "-timeout" as well.
type flags struct{ timeout, atMost, socket, url, tokenFile, notUnder, onDown string }

// named returns where the value of the flag of that name goes, nil for no such flag.
func (f *flags) named(name string) *string {
	switch name {
	case "--timeout":
		return &f.timeout
	case "--at-most":
		return &f.atMost
	case "--socket":
		return &f.socket
	case "--url":
		return &f.url
	case "--token-file":
		return &f.tokenFile
	case "--not-under":
		return &f.notUnder
	case "--on-down":
		return &f.onDown
	}
	return nil
}

// pinned reports whether the arguments themselves say where the console is. What starts
// the agent may then set variables as it likes.
func (f *flags) pinned() bool { return f.socket != "" || f.url != "" }

// parseArgs reads the arguments; flags may stand before or after the agent's name. An unknown
// flag is an error, so a line of a newer release does not run with half of its meaning.
func parseArgs(args []string) (settings, error) {
	var s settings
	var f flags
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, inline := strings.Cut(arg, "=")
		into := f.named(name)
		switch {
		case arg == "--help" || arg == "-h":
			return settings{help: true}, nil
		case arg == "--gate":
			s.gate = true
		case into != nil:
			if !inline && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			// An empty value is most often a variable that was not set in the line.
			if value == "" {
				return s, badArgs(name + " needs a value")
			}
			*into = value
		case strings.HasPrefix(arg, "-"):
			return s, badArgs("unknown flag " + strconv.Quote(arg))
		case s.agent != "":
			return s, badArgs("unexpected argument " + strconv.Quote(arg))
		case !plainName(arg):
			return s, badArgs("unknown agent " + strconv.Quote(arg))
		default:
			s.agent = arg
		}
	}
	if s.agent == "" {
		return s, badArgs("the agent's name is missing")
	}
	return s.complete(f)
}

// complete fills in what the flags, and where they leave it open the environment and the
// defaults say.
func (s settings) complete(f flags) (settings, error) {
	var err error
	switch {
	case f.socket != "" && f.url != "":
		return s, badArgs("--socket and --url name two consoles")
	case f.tokenFile != "" && f.url == "":
		return s, badArgs("--token-file goes with --url")
	}
	s.notUnder, s.askDown = f.notUnder, f.onDown == "ask"
	switch {
	case f.onDown != "" && f.onDown != "deny" && !s.askDown:
		return s, badArgs("--on-down " + strconv.Quote(f.onDown) + " is neither deny nor ask")
	case s.askDown && !profile.Of(s.agent).Traits.Ask:
		return s, badArgs("--on-down ask is for an agent whose own prompt holds every call: claude")
	}
	if s.timeout, err = parseTimeout(f.timeout, f.pinned()); err != nil {
		return s, err
	}
	if s.atMost, err = parseAtMost(f.atMost, s.timeout); err != nil {
		return s, err
	}
	// No hook waits for longer than its agent does: an agent that gives up first may run the
	// call.
	at := profile.Of(s.agent) // whatever the line says that an older version installed
	s.atMost = at.Limit(s.atMost)
	s.timeout = min(s.timeout, s.atMost)
	if f.url != "" {
		s.console, err = pinnedAddress(f.url, f.tokenFile)
		return s, err
	}
	s.console, err = whereTo(f.socket)
	s.console.pinned = f.pinned()
	return s, err
}

// socketPath is the absolute form of path, or the usual place when path is empty. A relative path
// is seen from the folder in which the agent runs the hook.
func socketPath(path string) (string, error) {
	var err error
	if path == "" {
		path, err = paths.Socket()
	} else {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", &refusalError{kind: ErrInput, text: err.Error(), cause: err}
	}
	return path, nil
}

// parseTimeout reads the flag, or where there is none the environment unless that must not
// matter: a deadline beyond the agent's own would let the agent give up first.
func parseTimeout(flag string, pinned bool) (time.Duration, error) {
	if flag != "" {
		d, err := time.ParseDuration(flag)
		if err != nil || d <= 0 || d > maxTimeout {
			return 0, badArgs("--timeout " + strconv.Quote(flag) + " is not a duration such as 10m, up to 24h")
		}
		return d, nil
	}
	env := os.Getenv(timeoutEnv)
	if env == "" || pinned {
		return defaultTimeout, nil
	}
	seconds, err := strconv.ParseFloat(env, 64)
	// The comparison is written so that NaN fails it.
	if err != nil || !(seconds > 0 && seconds <= maxTimeout.Seconds()) {
		return 0, &refusalError{
			kind: ErrInput, text: timeoutEnv + "=" + strconv.Quote(env) + " is not a number of seconds from 1 to 86400",
			hint: "correct or unset it", cause: err,
		}
	}
	// At least a millisecond, the unit in which the console is told.
	return max(time.Duration(seconds*float64(time.Second)), time.Millisecond), nil
}

// parseAtMost reads the flag that says how long a run may take whatever the person and the
// environment say. Without the flag the person can give no more time than the usual.
func parseAtMost(flag string, timeout time.Duration) (time.Duration, error) {
	if flag == "" {
		return timeout, nil
	}
	d, err := time.ParseDuration(flag)
	if err != nil || d <= 0 || d > maxTimeout {
		return 0, badArgs("--at-most " + strconv.Quote(flag) + " is not a duration such as 1h, up to 24h")
	}
	return d, nil
}

// plainName keeps an agent's name to what can stand in a request line.
func plainName(s string) bool { return len(s) <= 64 && onlyPlain(s) }

// onlyPlain reports whether s has nothing but letters, digits and - _ . in it, and is not one of
// the two names that a path would resolve.
func onlyPlain(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return s != "" && s != "." && s != ".."
}

// badArgs is an error for whoever wrote the hook's line. The hint is one line, since an agent may
// show it.
func badArgs(text string) error {
	return &refusalError{kind: ErrInput, text: text, hint: "usage: aoctl hook [--timeout 10m] [--at-most 1h] [--socket PATH | --url URL [--token-file FILE]] AGENT"}
}
