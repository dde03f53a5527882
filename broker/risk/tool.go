package risk

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/leaves"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// toolKind is what a tool does with the paths among its parameters. The zero toolKind names no
// file.
type toolKind struct {
	read  []string // parameters whose files it reads
	tree  bool     // with everything below
	names bool     // of that it tells the names only
	shown bool     // what it writes is shown with what stands around it
	write []string // parameters whose files it writes
	text  []string // parameters that hold a patch
	globs []string // parameters that choose files by patterns
	must  bool     // means nothing without its path
	safe  bool     // safe when it stays inside the project
}

// tools are the tools of agents that name files, by name. Only Claude Code's names are trusted
// to mean what they say: those in the first rows, which alone can be safe.
var tools = map[string]toolKind{
	"Read":         {read: []string{"file_path"}, must: true, safe: true},
	"NotebookRead": {read: []string{"notebook_path"}, must: true, safe: true},
	"LS":           {read: []string{"path"}, tree: true, names: true, safe: true},
	"Glob":         {read: []string{"path"}, tree: true, names: true, safe: true},
	"Grep":         {read: []string{"path", "file_path"}, tree: true, globs: []string{"glob"}, safe: true},
	"Write":        {write: []string{"file_path"}},
	"Edit":         {write: []string{"file_path"}, shown: true},
	"MultiEdit":    {write: []string{"file_path"}, shown: true},
	"NotebookEdit": {write: []string{"notebook_path"}, shown: true},

	"read_file": {read: []string{"absolute_path", "file_path", "path"}}, "read_many_files": {read: []string{"paths", "include"}, tree: true},
	"list_directory": {read: []string{"path", "dir_path"}, tree: true, names: true}, "list_dir": {read: []string{"path", "dir_path"}, tree: true, names: true}, "grep_search": {read: []string{"path", "dir_path"}, tree: true, globs: []string{"include", "include_pattern", "glob"}}, "grep_files": {read: []string{"path"}, tree: true, globs: []string{"include", "include_pattern", "glob"}}, "search_file_content": {read: []string{"path", "dir_path"}, tree: true, globs: []string{"include", "include_pattern", "glob"}},
	"write_file": {write: []string{"file_path", "path"}}, "replace": {write: []string{"file_path", "path"}, shown: true},
	"read": {read: []string{"filePath", "path"}}, "view": {read: []string{"path", "filePath"}}, "grep": {read: []string{"path"}, tree: true, globs: []string{"include", "include_pattern", "glob"}},
	"glob": {read: []string{"path", "dir_path"}, tree: true, names: true}, "list": {read: []string{"path"}, tree: true, names: true},
	"write": {write: []string{"filePath", "path"}}, "edit": {write: []string{"filePath", "path"}, shown: true}, "create": {write: []string{"path"}},
	"apply_patch": {text: []string{"input", "patch", "patchText", "command"}}, "patch": {text: []string{"patchText", "input"}},
}

// idle are tools that touch nothing of the user's.
var idle = wordset.New(`TodoWrite TodoRead TaskCreate TaskUpdate TaskGet TaskList TaskOutput BashOutput ToolSearch ExitPlanMode
	EnterPlanMode AskUserQuestion`)

// toolJudge judges calls that run no command line. All parameters are the agent's.
type toolJudge struct {
	scene
	files   fileJudge
	secrets secretJudge
	texts   *textJudge
}

func newToolJudge(s scene) toolJudge {
	return toolJudge{scene: s, files: fileJudge{s}, secrets: secretJudge{s}, texts: &textJudge{scene: s}}
}

// judge judges such a call, and says what it does.
func (j toolJudge) judge(c Call) doing {
	var input map[string]any
	if json.Unmarshal(c.Input, &input) != nil {
		j.note("its parameters cannot be read")
		return does(effects.Unknown, "its parameters cannot be read")
	}
	kind, known := tools[c.Tool]
	switch {
	case idle.Has(c.Tool):
		if plain(input) {
			return does(effects.Look, "")
		}
	case c.Tool == "WebFetch" || c.Tool == "web_fetch" || c.Tool == "webfetch":
		j.fetch(input)
		return does(effects.Network, "")
	case c.Tool == "WebSearch":
		j.anyInput(c.Tool, input)
		return does(effects.Network, "")
	// The text of a skill may have commands that the agent runs before anybody is asked.
	case c.Tool == "Skill":
		j.note("may run shell commands in the skill's text, which ask nobody")
		j.anyInput(c.Tool, input)
	case c.Tool == "SlashCommand":
		j.slash(input)
	case known:
		return j.filesOf(c.Tool, kind, input)
	default:
		j.nameOf(c.Tool)
		j.anyInput(c.Tool, input)
	}
	return does(effects.Unknown, "aoctl does not know what "+c.Tool+" does")
}

// filesOf judges a tool that names files, and says what it does. A path that may be read in two ways
// leads nobody knows where.
func (j toolJudge) filesOf(tool string, kind toolKind, input map[string]any) doing {
	looks := j.named(tool, kind, input)
	var changed []string
	for _, p := range texts(input, kind.write) {
		if !sameForAll(p) {
			return does(effects.Unknown, "its path can be read in two ways")
		}
		changed = append(changed, p)
	}
	for _, text := range texts(input, kind.text) {
		for p, deletes := range patched(text) {
			if deletes {
				return does(effects.Delete, "deletes files")
			}
			changed = append(changed, p)
		}
	}
	switch {
	case looks:
		return does(effects.Look, "")
	case len(changed) == 0 && len(kind.read) > 0:
		return does(effects.Outside, "reads outside the project, or where nobody can say")
	case len(changed) == 0 || !plain(input) || !allTexts(input, kind.write) || otherPaths(input, kind.write) || !effects.OnlyEdits(input):
		return does(effects.Unknown, "its parameters are not all known")
	}
	for _, p := range changed {
		if !j.inProject(j.resolve(p, spot{dir: j.at.CWD, tilde: true})) {
			return does(effects.Outside, "writes outside the project")
		}
	}
	return doesJudge{resolver: j.resolver}.edits()
}

// slash judges a custom command that the user typed, by what is known of its text. The files in
// which that stands lie among an agent's settings, and are only read. runs, head and unknown
// are what the broker found in them, not what the agent says.
func (j toolJudge) slash(input map[string]any) {
	runs, _ := input["runs"].([]any)
	head, _ := input["head"].(string)
	unknown, _ := input["unknown"].(string)
	switch {
	case unknown != "":
		j.note("may run commands in the text of what was typed: " + unknown)
	case len(runs) > 0:
		j.note("runs the shell commands in the text of what was typed")
	case head == "":
		j.note("may run shell commands in its text, which ask nobody")
	}
	if head != "" {
		j.note("brings hooks, or an agent that may have some, and they run unasked")
	}
	for _, text := range append(runs, head) {
		if s, ok := text.(string); ok {
			j.texts.rawText(s)
		}
	}
}

// named judges the paths of a tool that names files, and reports whether it is known to only
// read. A parameter that may hold another path makes it unsafe, as nobody has looked there.
func (j toolJudge) named(tool string, kind toolKind, input map[string]any) bool {
	safe := kind.safe && plain(input)
	paths := texts(input, kind.read)
	// Without a path these tools start in the session's folder.
	if len(paths) == 0 && kind.tree {
		safe = j.reads(tool, ".", spot{dir: j.at.CWD}, input) && safe
	}
	for _, p := range paths {
		j.about(0, p)
		for _, q := range readings(p) {
			safe = j.reads(tool, q, spot{dir: j.at.CWD, tilde: true, glob: kind.tree}, input) && safe
		}
		// Each reading was judged, but which one the agent takes is not known.
		safe = safe && sameForAll(p)
	}
	for _, p := range texts(input, kind.write) {
		j.about(0, p)
		for _, q := range readings(p) {
			t := j.resolve(q, spot{dir: j.at.CWD, tilde: true})
			j.files.writePath(t, change{})
			// To change a line of a key file is to see its neighbours.
			if why, ok := credential(t); ok && kind.shown {
				j.danger(why)
			}
		}
	}
	for _, p := range texts(input, kind.text) {
		j.files.patch(p, j.at.CWD)
	}
	j.about(0, "")
	return safe && !otherPaths(input, kind.read) && (len(paths) > 0 || !kind.must) && j.patterns(tool, input) && allTexts(input, kind.read)
}

// reads judges one path that a tool reads, and reports whether it stays in the project.
func (j toolJudge) reads(tool, p string, at spot, input map[string]any) bool {
	kind := tools[tool]
	t := j.resolve(p, at)
	j.files.readPath(t, kind.tree)
	if kind.tree && !kind.names {
		j.secrets.holdsSecrets(t, toolLeaves(tool, input))
	}
	return j.inProject(t) || t.within(j.ownOutput)
}

// toolLeaves are the files that a search by a tool leaves out. What another tool than Claude
// Code's takes for a pattern that leaves out is not known.
func toolLeaves(tool string, input map[string]any) leaves.Leaves {
	l := leaves.Leaves{Dotted: true}
	for _, name := range tools[tool].globs {
		text, _ := input[name].(string)
		for _, p := range toolGlobs(text) {
			if tool == "Grep" {
				l.Glob(p)
			} else if p[0] != '!' {
				l.Choose(p)
			}
		}
	}
	if kind, _ := input["type"].(string); tool == "Grep" && kind != "" {
		l.Picks = append([]leaves.Pick{{Pattern: leaves.KindGlobs(kind)}}, l.Picks...)
		l.Only = true
	}
	return l
}

// toolGlobs are the patterns in a text, as Claude Code tells them apart.
func toolGlobs(text string) []string {
	var list []string
	for _, p := range strings.Fields(text) {
		if strings.Contains(p, "{") && strings.Contains(p, "}") {
			list = append(list, p)
			continue
		}
		list = append(list, strings.FieldsFunc(p, func(r rune) bool { return r == ',' })...)
	}
	return list
}

// otherPaths reports whether a parameter beside those named looks as if it held a path. It goes
// by the name's end, in any case of letters.
func otherPaths(input map[string]any, names []string) bool {
	for name := range input {
		low := strings.ToLower(name)
		for _, word := range []string{"path", "paths", "file", "files", "dir", "directory", "cwd", "folder"} {
			if strings.HasSuffix(low, word) && !slices.Contains(names, name) {
				return true
			}
		}
	}
	return false
}

// readings are the ways in which an agent may read a path: as it is, or without the
// blanks around it.
func readings(p string) []string {
	if q := strings.TrimSpace(p); q != p && q != "" {
		return []string{p, q}
	}
	return []string{p}
}

// patterns judges Glob's and Grep's patterns of names, and reports whether they stay below the
// folder they start in. A pattern that spells the name of a key is judged like that name.
func (j toolJudge) patterns(tool string, input map[string]any) bool {
	name := map[string]string{"Glob": "pattern", "Grep": "glob"}[tool]
	if name == "" {
		return true
	}
	v, given := input[name]
	p, isText := v.(string)
	if !given && tool == "Grep" {
		return true
	}
	if !isText || p == "" {
		return false
	}
	j.about(0, p)
	list := []string{p}
	if tool == "Grep" {
		list = toolGlobs(p)
	}
	for _, one := range list {
		// What is left out is not looked at.
		if tool == "Grep" && one[0] == '!' {
			continue
		}
		for _, q := range leaves.Braces(strings.ReplaceAll(one, `\`, "")) {
			j.names(j.resolve(q, spot{dir: j.at.CWD, tilde: true, glob: true}), false)
		}
	}
	return sameForAll(p) && !path.IsAbs(p) && !strings.Contains(p, "..") && !strings.Contains(p, "~")
}

// AppliesPatch reports whether e is the program by which Codex's shell applies a patch: in its
// words, or in what it is given to read. Package rules asks too.
func AppliesPatch(e shell.Element) bool {
	if e.Kind != shell.Command || len(e.Argv) == 0 {
		return false
	}
	name := path.Base(e.Argv[0])
	return name == "apply_patch" || name == "applypatch" || name == "apply-patch"
}

// patch judges the files that a patch names; dir is the folder that it is applied in, "" when
// that is not known.
func (j fileJudge) patch(text, dir string) {
	for p, deletes := range patched(text) {
		j.about(0, p)
		j.writePath(j.resolve(p, spot{dir: dir, tilde: true, entry: deletes}), change{deletes: deletes})
	}
}

// anyInput judges a tool that nobody knows: every text of it may be a path, and one may be a
// command line. Names are taken in order, so that the same call has the same findings.
func (j toolJudge) anyInput(tool string, input map[string]any) {
	if strings.Contains(strings.ToLower(tool), "grep") {
		dir, _ := input["path"].(string)
		j.secrets.holdsSecrets(j.resolve(cmp.Or(dir, "."), spot{dir: j.at.CWD, tilde: true}), leaves.Leaves{})
	}
	for _, name := range slices.Sorted(maps.Keys(input)) {
		v := input[name]
		if text, ok := v.(string); ok && (name == "command" || name == "cmd" || name == "script" || name == "code") {
			j.about(0, text)
			j.texts.rawText(text)
			j.texts.forkBomb(text)
			continue
		}
		j.walk(v, 0)
	}
	j.about(0, "")
}

// maxDepth caps how deep the parameters of an unknown tool are looked into.
const maxDepth = 50

// walk looks at every text in a value.
func (j toolJudge) walk(v any, depth int) {
	if depth > maxDepth {
		j.note("its parameters are nested too deep")
		return
	}
	switch v := v.(type) {
	case string:
		j.texts.mayBePath(v)
	case []any:
		for _, e := range v {
			j.walk(e, depth+1)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			j.walk(v[name], depth+1)
		}
	}
}

// mayBePath judges a text as the path that it may be. One of several lines is none.
func (j *textJudge) mayBePath(text string) {
	if text == "" || len(text) > 4096 || strings.ContainsRune(text, '\n') {
		return
	}
	j.about(0, text)
	for _, p := range readings(strings.TrimPrefix(text, "file://")) {
		j.names(j.resolve(p, spot{dir: j.at.CWD, tilde: true, glob: true}), true)
	}
}

// sameForAll reports whether everybody reads p as the same file. Agents expand a tilde
// and trim blanks, and some file systems fold characters beyond ASCII.
func sameForAll(p string) bool {
	return !strings.HasPrefix(p, "~") && strings.TrimSpace(p) == p && !strings.ContainsAny(p, "$\\\n\t") &&
		!strings.ContainsFunc(p, func(r rune) bool { return r > unicode.MaxASCII })
}

// texts are the values of the named parameters that are texts, or lists of texts. Empty ones
// are left out.
func texts(input map[string]any, names []string) []string {
	var out []string
	for _, name := range names {
		switch v := input[name].(type) {
		case string:
			if v != "" {
				out = append(out, v)
			}
		case []any:
			for _, e := range v {
				if s, ok := e.(string); ok && s != "" {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// allTexts reports whether the named parameters are texts where they are given.
func allTexts(input map[string]any, names []string) bool {
	for _, name := range names {
		if v, given := input[name]; given {
			if _, ok := v.(string); !ok {
				return false
			}
		}
	}
	return true
}
