package risk

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// A finding has general words, of which there are some hundred, and where it is certain a sentence that
// says who does what to what. The sentence holds the agent's texts, so it follows three rules: it is short,
// a text in it is of plain characters, and a text that could be one of our words stands in quotes. A
// path and a host need none: they have a slash or a dot. Whatever does not fit leaves the general words.

// maxSaid is the longest sentence, bytes.
const maxSaid = 72

// said is a sentence made of our words and of parts that may be empty, for what is not known or
// not plain. With an empty part, or when it gets too long, there is none.
func said(sentence string, parts ...string) string {
	if len(sentence) > maxSaid || slices.Contains(parts, "") {
		return ""
	}
	return sentence
}

var (
	// Names, paths, addresses and hosts without a character that could be mistaken or mislead.
	pureName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+@:-]*$`) })
	purePath    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[A-Za-z0-9._/+@:*~-]*$`) })
	pureAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~/:%?&=+,-]+$`) })
	pureHost    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([a-z0-9][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+|localhost)(:[0-9]{1,5})?$`)
	})
)

// quoted is a name in quotes; "" when it is not plain. It may be a program, a branch or a
// remote.
func quoted(name string) string {
	if !pureName().MatchString(name) {
		return ""
	}
	return `"` + name + `"`
}

// pathOf is where t surely leads; "" when that is not one plain path, or when links and text
// disagree.
func pathOf(t target) string {
	if t.lost || len(t.reals) != 1 || !purePath().MatchString(t.reals[0]) {
		return ""
	}
	return t.reals[0]
}

// says names the file that is read, behind why.
func says(why string, t target) string {
	p := pathOf(t)
	return said(why+": "+p, p)
}

// program is the name of a program that a table knows.
func program(a cmdline.Command) string {
	if !pureName().MatchString(a.Name) {
		return ""
	}
	return a.Name
}

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

// hostOf is the only host that curl or wget talks to, as its words say; "" when that is not
// certain. A person decides by this name, so it must not be one that the agent could have made
// up.
func hostOf(a cmdline.Command) string {
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
			if address != "" || !pureAddress().MatchString(w) {
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
	return hostIn(address)
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

// hostIn is the host of a plain address, with its port; "" for an address with a user, whose
// name could look like the host.
func hostIn(address string) string {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || !pureHost().MatchString(strings.ToLower(u.Host)) {
		return ""
	}
	return strings.ToLower(u.Host)
}

// runsSent says which program, element i, runs what which host sends to element n. Without a
// certain host it says less, and without a known program nothing.
func (f *flow) runsSent(n, i int) string {
	who := f.runner(i)
	if host := hostOf(f.args[n]); host != "" && f.straight(n, i) {
		if text := said(who+" runs whatever "+host+" sends", who); text != "" {
			return text
		}
	}
	return said(who+" runs what comes from the network", who)
}

// runsGot says which interpreter runs a file that the line has fetched. From which host it still is, no
// line tells: the file may have been changed in between.
func (f *flow) runsGot(a cmdline.Command) string {
	who := program(a)
	if !a.Is(programs.Interpreter) {
		who = ""
	}
	return said(who+" runs a file from the network", who)
}

// runner is the program that runs a text: the command of element i, or the wrapper of one that
// could not be read. It is "" when no table knows it.
func (f *flow) runner(i int) string {
	if via := f.l.Elements[i].Via; f.args[i].Name == "" && len(via) > 0 {
		name, _, _ := strings.Cut(via[len(via)-1], " ")
		return program(cmdline.Command{Name: cmdline.Program(name)})
	}
	return program(f.args[i])
}

// handsOver is a whole line in which a program is given all of another one's output: bash <(…), eval "$(…)".
var handsOver = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]+( -[a-z]+)* ("\$\(§\)"|\$\(§\)|<\(§\))$`)
})

// straight reports whether element i surely runs what element n prints and nothing else:
// nothing stands between them, and nothing in the line changes what a name means. A variable,
// an unread part or another command in the pipeline is enough to say no.
func (f *flow) straight(n, i int) bool {
	from, to := f.l.Elements[n], f.l.Elements[i]
	// The whole line is this one command, so that nothing can stand before it.
	if strings.TrimSpace(f.l.Raw) == to.Text {
		return handsOver().MatchString(strings.Replace(to.Text, from.Text, "§", 1))
	}
	// Some shell may read other words, or there is no plain pipe between the two.
	if !f.l.Plain || from.Pipe == 0 || from.Pipe != to.Pipe || to.Stdin != "pipe" || len(from.Via) > 0 || !readsProgram(f.args[i]) || f.args[i].Through("xargs", "parallel") {
		return false
	}
	return !slices.ContainsFunc(f.l.Elements, func(e shell.Element) bool {
		if e.Kind == shell.Command {
			return e.Text != to.Text && (e.Unsure != "" || e.Pipe == from.Pipe && e.Text != from.Text)
		}
		return e.Kind == shell.Assign || e.Kind == shell.Unknown
	})
}

// raises says which program runs which other one as another user, as in: sudo runs "make" as
// another user.
func raises(a cmdline.Command) string {
	for _, via := range a.Element.Via {
		name, _, _ := strings.Cut(via, " ")
		if by := cmdline.Program(name); programs.Is(programs.Raises, by) && len(a.Element.Argv) > 0 {
			// The program's name could be one of our words, so it stands in quotes.
			what := quoted(a.Element.Argv[0])
			return said(by+" runs "+what+" as another user", what)
		}
	}
	return ""
}

// sends says to which host a program sends something. what is one of our own words.
func sends(what string) func(cmdline.Command) string {
	return func(a cmdline.Command) string {
		host := hostOf(a)
		return said(a.Name+" sends "+what+" to "+host, host)
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
		remote := quoted(ops[0])
		switch {
		case a.Exactly("--mirror"):
			return said("overwrites every branch on "+remote, remote)
		case len(ops) != 2 && verb == "overwrites":
			return said("forces a push to "+remote, remote)
		case len(ops) != 2:
			return said("deletes on "+remote, remote)
		}
		_, to, both := strings.Cut(strings.TrimPrefix(ops[1], "+"), ":")
		if !both {
			to = strings.TrimPrefix(ops[1], "+")
		}
		branch := quoted(to)
		return said(verb+" "+branch+" on "+remote, branch, remote)
	}
}

// writesDevice says over which device a program writes, as for a file that is written.
func writesDevice(a cmdline.Command) string {
	d := device(a)
	return said("writes to a device: "+d, d)
}

// changesDisk says which disk a program changes.
func changesDisk(a cmdline.Command) string {
	who, d := program(a), device(a)
	return said(who+" changes "+d, who, d)
}

// device is the only device among a command's words; "" when there are several or it is not
// plain.
func device(a cmdline.Command) string {
	found := ""
	for _, w := range a.Words {
		p := strings.TrimPrefix(w, "of=")
		switch {
		case !strings.HasPrefix(p, "/dev/") || harmlessDevice(p):
		case found != "" || !purePath().MatchString(p) || path.Clean(p) != p:
			return ""
		default:
			found = p
		}
	}
	return found
}
