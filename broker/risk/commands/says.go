package commands

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/risk/said"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// tame are the options of a fetching program with which it talks to the host of its URL, and to
// no other: letters and names that take no value, and those that do. A value may be of any
// kind. Proxies, redirecting headers and files of options are missing on purpose.
type tame struct{ letters, valued, names, namesValued string }

var tameOptions = map[string]tame{
	"curl": {
		"fsSLgGikvIOJ#46n", "dFTHXobAem",
		"--fail --silent --show-error --location --globoff --get --insecure --compressed --tlsv1.2 --tlsv1.3 --http1.1 --http2 --remote-name --no-progress-meter",
		"--data --data-raw --data-binary --data-urlencode --form --form-string --json --upload-file --header --request --output --proto --retry --retry-delay --max-time --connect-timeout --user-agent",
	},
	"wget": {"qcNSv46", "OtT", "--quiet --no-verbose --https-only", "--output-document --tries --timeout --post-file --post-data --body-file --body-data --method --header"},
}

// HostOf is the only host that curl or wget talks to, as its words say; "" when that is not
// certain. A person decides by this name, so it must not be one that the agent could have made
// up.
func HostOf(a cmdline.Command) string {
	opts, ok := tameOptions[a.Name]
	// /tmp/curl is not curl.
	if !ok || len(a.Element.Argv) == 0 || a.Element.Argv[0] != a.Name || a.AnyWord(hostHeader().MatchString) {
		return ""
	}
	address := ""
	for i := 0; i < len(a.Words); i++ {
		switch w := a.Words[i]; {
		case w == "" || w == "-" || w == "--":
			return ""
		case w[0] != '-':
			if address != "" || said.Address(w) == "" {
				return ""
			}
			address = w
		default:
			skip, ok := opts.takes(w)
			if !ok {
				return ""
			}
			i += skip
		}
	}
	return said.Host(address)
}

// hostHeader fits a word that may be a header with another host than the address has.
var hostHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(^|[^a-z]|h)host:`) })

// takes says how many words behind an option are its value; false when it is none of the tame
// ones. A cluster ends at the first letter that takes a value.
func (o tame) takes(w string) (words int, ok bool) {
	if strings.HasPrefix(w, "--") {
		name, _, attached := strings.Cut(w, "=")
		switch {
		case slices.Contains(strings.Fields(o.names), w):
			return 0, true
		case !slices.Contains(strings.Fields(o.namesValued), name):
			return 0, false
		case attached:
			return 0, true
		}
		return 1, true
	}
	for i := 1; i < len(w); i++ {
		switch c := w[i : i+1]; {
		case strings.Contains(o.letters, c):
		case strings.Contains(o.valued, c) && i+1 < len(w):
			return 0, true
		case strings.Contains(o.valued, c):
			return 1, true
		default:
			return 0, false
		}
	}
	return 0, true
}

// Raises says which program runs which other one as another user, as in: sudo runs "make" as
// another user.
func Raises(a cmdline.Command) string {
	for _, via := range a.Element.Via {
		name, _, _ := strings.Cut(via, " ")
		if by := cmdline.Program(name); programs.Is(programs.Raises, by) && len(a.Element.Argv) > 0 {
			// The program's name could be one of our words, so it stands in quotes.
			what := said.Quoted(a.Element.Argv[0])
			return said.Sentence(by+" runs "+what+" as another user", what)
		}
	}
	return ""
}

// sends says to which host a program sends something. what is one of our own words.
func sends(what string) func(cmdline.Command) string {
	return func(a cmdline.Command) string {
		host := HostOf(a)
		return said.Sentence(a.Name+" sends "+what+" to "+host, host)
	}
}

// tamePush are options of git push that do not change where it pushes to.
var tamePush = []string{
	"-f", "--force", "--force-with-lease", "-u", "--set-upstream", "-q", "--quiet", "-v", "--verbose", "--no-verify", "-d", "--delete",
	"--mirror", "--progress", "--porcelain",
}

// pushes says what a push does to which branch of which remote. An option that is not tame
// could send it elsewhere, and then it says nothing.
func pushes(verb string) func(cmdline.Command) string {
	return func(a cmdline.Command) string {
		for _, w := range a.Words {
			name, _, _ := strings.Cut(w, "=")
			if w == "" || w[0] == '-' && !slices.Contains(tamePush, name) {
				return ""
			}
		}
		ops := a.Operands()
		if len(ops) == 0 {
			return ""
		}
		remote := said.Quoted(ops[0])
		switch {
		case a.Exactly("--mirror"):
			return said.Sentence("overwrites every branch on "+remote, remote)
		case len(ops) != 2 && verb == "overwrites":
			return said.Sentence("forces a push to "+remote, remote)
		case len(ops) != 2:
			return said.Sentence("deletes on "+remote, remote)
		}
		_, to, both := strings.Cut(strings.TrimPrefix(ops[1], "+"), ":")
		if !both {
			to = strings.TrimPrefix(ops[1], "+")
		}
		branch := said.Quoted(to)
		return said.Sentence(verb+" "+branch+" on "+remote, branch, remote)
	}
}

// writesDevice says over which device a program writes, as for a file that is written.
func writesDevice(a cmdline.Command) string {
	d := device(a)
	return said.Sentence("writes to a device: "+d, d)
}

// changesDisk says which disk a program changes.
func changesDisk(a cmdline.Command) string {
	who, d := said.Program(a.Name), device(a)
	return said.Sentence(who+" changes "+d, who, d)
}

// device is the only device among a command's words; "" when there are several or it is not
// plain.
func device(a cmdline.Command) string {
	found := ""
	for _, w := range a.Words {
		p := strings.TrimPrefix(w, "of=")
		switch {
		case !strings.HasPrefix(p, "/dev/") || pathtable.HarmlessDevice(p):
		case found != "" || said.Path(p) == "" || path.Clean(p) != p:
			return ""
		default:
			found = p
		}
	}
	return found
}
