package risk

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/shell"
)

// lineJudge judges a command line: element by element, then as a whole.
type lineJudge struct {
	commandJudge
	line *shell.Line
	flow *flow
}

func newLineJudge(s scene, l *shell.Line) lineJudge {
	return lineJudge{commandJudge: newCommandJudge(s, l.Raw), line: l, flow: newFlow(s, l)}
}

// judge judges what the line would do, and says it of each element. That is only known of a line in
// words that every shell reads alike.
func (j lineJudge) judge(c Call) []doing {
	l := j.line
	for i, e := range l.Elements {
		j.about(i, e.Text)
		j.elementOf(i)
		if AppliesPatch(e) {
			j.files.patch(strings.Join(slices.Concat(e.Argv[1:], []string{l.Raw}), "\n"), j.dirOf(e))
		}
	}
	j.flow.judge()
	j.about(0, l.Raw)
	j.texts.forkBomb(l.Raw)
	if !l.Parsed {
		j.texts.rawText(l.Raw)
	}
	j.about(0, "")
	input, known := inputOf(c.Input)
	j.otherInput(input)
	switch {
	case len(l.Elements) == 0 || !l.Parsed || !known:
		return []doing{does(effects.Unknown, "cannot be read")}
	case !l.Plain:
		return []doing{does(effects.Unknown, "some shells may read the line differently")}
	}
	own := *j.resolver // what it cannot follow is unknown by itself, and is no finding
	return doesJudge{resolver: &own}.line(l)
}

// elementOf judges one element for itself. On another machine its paths mean other files, so
// nothing more is said of them.
func (j lineJudge) elementOf(at int) {
	l, f := j.line, j.flow
	e := l.Elements[at]
	if e.Host != "" {
		j.danger("runs on another machine")
		return
	}
	switch e.Kind {
	case shell.Read:
		for _, t := range j.targets(e, false) {
			j.files.readPath(t, e.Tree)
			j.secrets.shows(l, at, t)
		}
	case shell.Write:
		// The words of mv say that its sources go; its elements say that they are deleted.
		c := change{deletes: e.Deletes, wide: e.Tree, moves: e.Deletes && f.moved[f.key(e)]}
		for _, t := range j.targets(e, e.Deletes && !e.Tree) {
			j.files.writePath(t, c)
		}
	case shell.Assign:
		j.assign(e)
	case shell.Command:
		j.command(e)
		j.secrets.handed(l, at)
	case shell.Unknown:
		j.texts.rawText(e.Text)
	}
}

// fromHome is the beginning of a path that starts in the user's home by its variable.
var fromHome = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$(HOME\b|\{HOME\})`) })

// unquote takes the quotes out of a text.
var unquote = strings.NewReplacer(`"`, "", "'", "")

// targets are what the path of an element may be. One that is not known is taken by the names
// that its text ends in, from its first slash on. entry: a removal of a link is one of the link
// itself.
func (r *resolver) targets(e shell.Element, entry bool) []target {
	if e.Path != "" {
		return []target{r.resolve(e.Path, r.spotOf(e, entry))}
	}
	text := unquote.Replace(strings.TrimLeft(e.Text, "0123456789&<>| "))
	if m := fromHome().FindString(text); m != "" && (len(text) == len(m) || text[len(m)] == '/') {
		return []target{r.resolve("~"+text[len(m):], spot{tilde: true, glob: true, entry: entry})}
	}
	_, names, ok := strings.Cut(text, "/")
	if !ok || names == "" {
		return nil
	}
	return []target{r.resolve(names, spot{glob: true})}
}

// spotOf is where the paths of an element start.
func (r *resolver) spotOf(e shell.Element, entry bool) spot {
	return spot{dir: r.dirOf(e), tilde: e.Home, glob: e.Glob, entry: entry}
}

// dirOf is the folder that an element works in, "" when it is not known. It is not followed
// here; resolve does that with the whole path.
func (r *resolver) dirOf(e shell.Element) string {
	switch {
	case e.DirUnsure || !path.IsAbs(r.at.CWD):
		return ""
	case e.Dir == "":
		return r.at.CWD
	case e.Dir == "~" || len(e.Dir) > 1 && e.Dir[:2] == "~/":
		if r.at.Home == "" {
			return ""
		}
		return path.Join(r.at.Home, e.Dir[1:])
	case path.IsAbs(e.Dir):
		return e.Dir
	}
	return path.Join(r.at.CWD, e.Dir)
}

// bashInput are the parameters of Bash that do not change what its line does.
var bashInput = map[string]bool{"command": true, "description": true, "timeout": true, "run_in_background": true}

// folderInput are parameters that name the folder to start in. otherInput says when that is another one than
// the Place's.
var folderInput = []string{"cwd", "workdir", "directory", "dir_path"}

// inputOf reads the parameters of a call, and reports whether each of them is one of Bash that
// does not change what the line does. No parameters at all are known.
func inputOf(raw json.RawMessage) (input map[string]json.RawMessage, known bool) {
	if len(raw) == 0 {
		return nil, true
	}
	if json.Unmarshal(raw, &input) != nil {
		return nil, false
	}
	for name, v := range input {
		var dir string
		folder := slices.Contains(folderInput, name) && json.Unmarshal(v, &dir) == nil && dir != ""
		if !bashInput[name] && !folder {
			return input, false
		}
	}
	return input, true
}

// otherInput judges what a tool that runs a line is given beside it. These are notes, as the
// line itself was judged as if they were not there.
func (j lineJudge) otherInput(input map[string]json.RawMessage) {
	if string(input["dangerouslyDisableSandbox"]) == "true" {
		j.note("leaves the agent's sandbox")
	}
	// The folder in the call is the agent's word; the Place has the one that was looked up.
	for _, name := range folderInput {
		var dir string
		if json.Unmarshal(input[name], &dir) == nil && dir != "" && dir != j.at.CWD {
			j.note("may run in another folder")
		}
	}
}
