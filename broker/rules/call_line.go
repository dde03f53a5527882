package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/brings"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// startParams are the parameters in which a command tool takes the folder to start in.
var startParams = []string{"workdir", "cwd", "dir", "directory", "dir_path"}

// shells run a script, as a word behind -c, in which each command is looked at.
var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true}

// runners do so too, and run a project's own programs. Whoever uses one writes it into a
// pattern as well.
var runners = map[string]bool{
	"bundle exec": true, "poetry run": true, "pipenv run": true, "hatch run": true, "pdm run": true, "rye run": true, "uv run": true,
}

// readCommand reads the command line in a parameter.
func (c *Call) readCommand(param string) {
	c.start()
	v := c.input[param]
	list, ok := stringsOf(v)
	switch {
	case !ok || len(list) == 0:
		c.doubt("it has no command line")
		c.elems = []elem{{kind: toolKind}}
		return
	case isList(v):
		for i, w := range list {
			list[i] = quoteShell(w)
		}
	}
	c.raw = strings.Join(list, " ")
	line := shell.Parse(c.raw)
	c.line = &line
	c.unclear = !line.Plain
	for i := range line.Elements {
		c.elems = append(c.elems, c.element(&line.Elements[i], i))
	}
	c.readShellPatch()
	c.trimmed = strings.TrimSpace(c.raw)
	if len(c.elems) == 0 {
		c.doubt("its command line does nothing")
		c.elems = []elem{{kind: toolKind}}
	}
	c.noSay = !slices.ContainsFunc(c.elems, func(e elem) bool { return !e.neutral && (!e.operand || e.outside) })
	if words, ok := plainWords(c.raw); ok {
		s := patterns.Speak(words)
		c.whole = &s
	}
	if c.unclear {
		c.text = patterns.ReadText(c.raw)
	}
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

// start finds the folder that the line starts in.
func (c *Call) start() {
	given := 0
	for _, name := range startParams {
		if s, _ := c.input[name].(string); s != "" {
			p := c.toolPlace(s)
			c.dir = p.real
			given++
		}
	}
	if given > 1 {
		c.doubt("it names more than one folder to start in")
	}
	project := c.q.Place.Project
	if p := c.shellPlace(".", c.dir); project != "" && !patterns.Below(project, p.real) {
		c.away = true
	}
}

// element turns an element of the line into what rules look at.
func (c *Call) element(e *shell.Element, at int) elem {
	x := elem{kind: e.Kind, at: at, neutral: e.Neutral, operand: e.Operand, exact: e.Exact, unsure: e.Unsure}
	x.dir = c.folder(e)
	switch e.Kind {
	case shell.Command:
		x.spoken = patterns.Speak(e.Argv)
		x.others = withWrappers(e.Via, e.Argv)
		if !slices.Equal(e.Via, e.ViaAs) { // a refusing rule may name /bin/sh
			x.others = append(x.others, withWrappers(e.ViaAs, e.Argv)...)
		}
		x.program = c.programPlace(e, x.dir)
		if len(e.Argv) == 0 {
			x.unsure = first(x.unsure, "has no words")
		}
	case shell.Read, shell.Write:
		c.elementPath(&x, e)
	case shell.Assign:
		x.assign = e.Name + "=" + e.Value
	case shell.Unknown:
		x.unsure = first(x.unsure, "cannot be read")
	}
	if e.Exact != "" {
		x.named = e.Named
	}
	why := behind(e)
	switch {
	case why != "" || e.Kind != shell.Command:
	case c.leaves(e, x.dir):
		why, x.neutral = "leaves the project", false
	case c.away && !e.Neutral:
		why = "works outside the project"
	}
	if why != "" {
		x.behind = true
		x.exact = first(x.exact, why)
	} else if len(e.Via) == 1 && runners[e.Via[0]] {
		x.front = len(strings.Fields(e.Via[0]))
	}
	c.gitPlace(&x)
	c.readsElsewhere(&x, e)
	c.unclear = c.unclear || x.unsure != "" || x.exact != ""
	if c.bringsFiles(e, x.dir) {
		x.exact = first(x.exact, brings.Why)
	}
	return x
}

// leaves reports whether e is a cd out of the project, or to nobody knows where: what
// runs after it finds other files under the names that its rule had in mind.
func (c *Call) leaves(e *shell.Element, dir string) bool {
	if len(e.Argv) == 0 {
		return false
	}
	switch e.Argv[0] {
	case "cd", "chdir", "pushd":
	case "popd":
		return true
	default:
		return false
	}
	to := "~"
	if last := e.Argv[len(e.Argv)-1]; len(e.Argv) > 1 && !strings.HasPrefix(last, "-") {
		to = last
	} else if len(e.Argv) > 1 {
		return true // "cd -", and options that nobody uses
	}
	var p located
	if strings.HasPrefix(to, "~") {
		p = c.homePlace(to)
	} else {
		p = c.shellPlace(to, dir)
	}
	return p.real == "" || !patterns.Below(first(c.q.Place.Project, c.q.Place.CWD), p.real)
}

// behind says why e needs a pattern that names it, because of what it runs through.
func behind(e *shell.Element) string {
	if e.Host != "" {
		return "runs on another machine"
	}
	for _, w := range e.Via {
		if !runsItself(w) {
			return "runs through " + w
		}
	}
	return ""
}

// runsItself reports whether wrapper w, which may be a shell that is given its script as a
// word, runs the very command behind it.
func runsItself(w string) bool {
	if programs.Is(programs.Transparent, w) || runners[w] {
		return true
	}
	name, flags, ok := strings.Cut(w, " ")
	name = name[strings.LastIndexByte(name, '/')+1:]
	return ok && strings.HasPrefix(flags, "-") && strings.HasSuffix(flags, "c") && shells[name]
}

// folder is where e works, as far as that is known.
func (c *Call) folder(e *shell.Element) string {
	switch {
	case e.DirUnsure:
		return ""
	case e.Dir == "~" || strings.HasPrefix(e.Dir, "~/"):
		return join(c.q.Place.Home, "."+e.Dir[1:])
	}
	return join(c.dir, e.Dir)
}

func (c *Call) elementPath(x *elem, e *shell.Element) {
	if c.places++; c.places > maxPlaces {
		x.path, x.unsure = &located{given: e.Path}, "the line names too many paths"
		return
	}
	var p located
	if e.Home {
		p = c.homePlace(e.Path)
	} else {
		p = c.shellPlace(e.Path, x.dir)
	}
	x.path = &p
	if nowhere[p.abs] {
		x.neutral, x.operand, p.odd = true, true, ""
		return
	}
	x.outside = e.Kind == shell.Write && e.Host == "" && c.leads(&p)
	p.reach(e)
	if p.abs == "" && !e.Home && e.Path != "" {
		c.guess(&p, e)
	}
	switch {
	case x.unsure != "":
	case e.Host != "":
	case !e.Operand && p.odd != "":
		x.unsure = "the path " + quote(e.Path) + " " + p.odd
	case !e.Operand && e.Glob:
		x.unsure = "the path " + quote(e.Path) + " is a pattern"
	case p.abs != "" && p.real == "":
		x.unsure = "the path " + quote(e.Path) + " " + p.odd
	}
}

// temporary are the folders that anybody may fill.
var temporary = []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"}

// leads reports whether a path leads out of the project, or of the folder that the call
// is in when there is none, to other than temporary files. What lies beside a project
// that is temporary itself is no such file.
func (c *Call) leads(p *located) bool {
	if p.real == "" {
		return true
	}
	project := first(c.q.Place.Project, c.q.Place.CWD)
	return !patterns.Below(project, p.real) && !slices.ContainsFunc(temporary, func(dir string) bool {
		return patterns.Below(dir, p.real) && !patterns.Below(dir, project)
	})
}

// nowhere are files that keep nothing and hold nothing.
var nowhere = map[string]bool{"/dev/null": true}

// reach notes what else than the path itself a wildcard or a tree may touch.
func (p *located) reach(e *shell.Element) {
	if p.abs == "" || !e.Glob && !e.Tree {
		return
	}
	wide := strings.ToLower(p.abs)
	if !e.Glob {
		wide = patterns.EscapePath(wide)
	}
	p.wide = patterns.SplitPath(wide)
	if e.Tree {
		p.wide = append(p.wide, "**")
	}
}

// guess notes what a path may be whose folder is not known, for refusing rules: a file
// of its name in any folder.
func (c *Call) guess(p *located, e *shell.Element) {
	c.addForm(p, join(c.dir, e.Path))
	p.finish()
	rest := strings.ToLower(path.Clean(e.Path))
	for strings.HasPrefix(rest, "../") {
		rest = rest[3:]
	}
	if !e.Glob {
		rest = patterns.EscapePath(rest)
	}
	p.wide = append([]string{"**"}, patterns.SplitPath(rest)...)
	if e.Tree {
		p.wide = append(p.wide, "**")
	}
}

// longChain is the number of wrappers up to which a pattern may name several of them.
const longChain = 4

// withWrappers puts the wrappers of a command in front of its words: each of them
// alone, and all from one of them on.
func withWrappers(via, argv []string) []patterns.Spoken {
	var list []patterns.Spoken
	add := func(wrappers ...string) {
		var words []string
		for _, w := range wrappers {
			words = append(words, strings.Fields(w)...)
		}
		list = append(list, patterns.Speak(append(words, argv...)))
	}
	for i, w := range via {
		if !slices.Contains(via[:i], w) {
			add(w)
		}
		if i+1 < len(via) && len(via) <= longChain {
			add(via[i:]...)
		}
	}
	return list
}

// programPlace is the file of a program that is named by a path.
func (c *Call) programPlace(e *shell.Element, dir string) *located {
	if len(e.Argv) == 0 || !strings.Contains(e.Argv[0], "/") || c.places >= maxPlaces {
		return nil
	}
	c.places++
	var p located
	if strings.HasPrefix(e.Argv[0], "~/") {
		p = c.homePlace(e.Argv[0])
	} else {
		p = c.shellPlace(e.Argv[0], dir)
	}
	return &p
}

// plainWords splits a line that is one command of nothing but literal words.
func plainWords(line string) ([]string, bool) {
	var words []string
	var w strings.Builder
	open := false // a word was begun
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case b == ' ':
			if open {
				words = append(words, w.String())
				w.Reset()
			}
			open = false
		case b == '\'' || b == '"':
			end := strings.IndexByte(line[i+1:], b)
			if end < 0 || b == '"' && strings.ContainsAny(line[i+1:i+1+end], "$`\\!") {
				return nil, false
			}
			w.WriteString(line[i+1 : i+1+end])
			i, open = i+1+end, true
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("_./:@%+,-", b) >= 0,
			b == '=' && len(words) > 0:
			w.WriteByte(b)
			open = true
		default:
			return nil, false
		}
	}
	if open {
		words = append(words, w.String())
	}
	return words, true
}

// first is a unless it is empty.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// quoteShell writes a word so that a shell reads it literally.
func quoteShell(w string) string {
	if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// quote is a text of the agent's in a sentence, cut where it gets long.
func quote(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return `"` + s + `"`
}
