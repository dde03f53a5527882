package risk

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell"
)

// line judges what a command line would do.
func (j *judge) line(c Call) {
	l := c.Line
	j.raw = l.Raw
	f := newFlow(j, l)
	for i, e := range l.Elements {
		j.about(i, e.Text)
		j.elementOf(l, i, f)
		if AppliesPatch(e) {
			j.patch(strings.Join(slices.Concat(e.Argv[1:], []string{l.Raw}), "\n"), j.dirOf(e))
		}
	}
	f.judge()
	j.about(0, l.Raw)
	j.forkBomb(l.Raw)
	if !l.Parsed {
		j.rawText(l.Raw)
	}
	j.about(0, "")
	input, known := inputOf(c.Input)
	j.otherInput(input)
	j.read = l.Parsed && l.Plain && len(l.Elements) > 0 && c.Tool == "Bash" && known && j.onlyReads(l)
}

// elementOf judges one element for itself.
func (j *judge) elementOf(l *shell.Line, at int, f *flow) {
	e := l.Elements[at]
	if e.Host != "" {
		j.danger("runs on another machine")
		return
	}
	switch e.Kind {
	case shell.Read:
		for _, t := range j.targets(e, false) {
			j.readPath(t, e.Tree)
			j.shows(l, at, t)
		}
	case shell.Write:
		c := change{deletes: e.Deletes, wide: e.Tree, moves: e.Deletes && f.moved[f.key(e)]}
		for _, t := range j.targets(e, e.Deletes && !e.Tree) {
			j.writePath(t, c)
		}
	case shell.Assign:
		j.assign(e)
	case shell.Command:
		j.command(e)
		j.handed(l, at)
	case shell.Unknown:
		j.rawText(e.Text)
	}
}

// fromHome is the beginning of a path that starts in the user's home by its variable.
var fromHome = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$(HOME\b|\{HOME\})`) })

// unquote takes the quotes out of a text.
var unquote = strings.NewReplacer(`"`, "", "'", "")

// targets are what the path of an element may be. One that is not known is taken by
// the names that its text ends in, from its first slash on.
func (j *judge) targets(e shell.Element, entry bool) []target {
	if e.Path != "" {
		return []target{j.resolve(e.Path, j.spotOf(e, entry))}
	}
	text := unquote.Replace(strings.TrimLeft(e.Text, "0123456789&<>| "))
	if m := fromHome().FindString(text); m != "" && (len(text) == len(m) || text[len(m)] == '/') {
		return []target{j.resolve("~"+text[len(m):], spot{tilde: true, glob: true, entry: entry})}
	}
	_, names, ok := strings.Cut(text, "/")
	if !ok || names == "" {
		return nil
	}
	return []target{j.resolve(names, spot{glob: true})}
}

// spotOf is where the paths of an element start.
func (j *judge) spotOf(e shell.Element, entry bool) spot {
	return spot{dir: j.dirOf(e), tilde: e.Home, glob: e.Glob, entry: entry}
}

// dirOf is the folder that an element works in, "" when it is not known.
func (j *judge) dirOf(e shell.Element) string {
	switch {
	case e.DirUnsure || !path.IsAbs(j.at.CWD):
		return ""
	case e.Dir == "":
		return j.at.CWD
	case e.Dir == "~" || len(e.Dir) > 1 && e.Dir[:2] == "~/":
		if j.at.Home == "" {
			return ""
		}
		return path.Join(j.at.Home, e.Dir[1:])
	case path.IsAbs(e.Dir):
		return e.Dir
	}
	return path.Join(j.at.CWD, e.Dir)
}

// bashInput are the parameters of Bash that do not change what its line does.
var bashInput = map[string]bool{"command": true, "description": true, "timeout": true, "run_in_background": true}

// inputOf reads the parameters of a call, and reports whether each of them is one of
// Bash that does not change what the line does.
func inputOf(raw json.RawMessage) (input map[string]json.RawMessage, known bool) {
	if len(raw) == 0 {
		return nil, true
	}
	if json.Unmarshal(raw, &input) != nil {
		return nil, false
	}
	for name := range input {
		if !bashInput[name] {
			return input, false
		}
	}
	return input, true
}

// otherInput judges what a tool that runs a line is given beside it.
func (j *judge) otherInput(input map[string]json.RawMessage) {
	if string(input["dangerouslyDisableSandbox"]) == "true" {
		j.note("leaves the agent's sandbox")
	}
	for _, name := range []string{"cwd", "workdir", "directory", "dir_path"} {
		var dir string
		if json.Unmarshal(input[name], &dir) == nil && dir != "" && dir != j.at.CWD {
			j.note("may run in another folder")
		}
	}
}
