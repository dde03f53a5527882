package rules

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell"
)

// textParams are the parameters that say best what a call is about, best first. They are those
// of the agents' own tools; of others the whole input is shown.
var textParams = []string{"command", "cmd", "file_path", "notebook_path", "path", "url", "pattern", "query", "skill", "subagent_type", "description"}

// About is what a call is about, raw: its command line, its path, or all of its input. It is
// the agent's text as it is, also where the input cannot be read, and no longer than that.
func (c *Call) About() string {
	if c.line.Line != nil {
		return c.line.Raw
	}
	var in map[string]any
	if json.Unmarshal(c.q.Input, &in) == nil {
		for _, name := range textParams {
			if s, ok := in[name].(string); ok && s != "" {
				return s
			}
		}
	}
	return string(c.q.Input)
}

// Files are the absolute paths of every file that the call names, as given and as they lead,
// each once, for noticing whether one of them changes while the call waits. They are sorted.
func (c *Call) Files() []string {
	var files []string
	add := func(p *located) {
		if p == nil {
			return
		}
		// A link that is put in the place of the name is a change as well.
		for _, f := range [...]string{p.abs, p.real} {
			if f != "" {
				files = append(files, f)
			}
		}
	}
	for _, v := range c.input.params {
		for i := range v.places {
			add(&v.places[i])
		}
	}
	for i := range c.elems {
		e := &c.elems[i]
		add(e.path)
		add(e.program)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// maxOperands is how many words of a line are taken for files it may run.
const maxOperands = 2000

// Operands are the absolute paths that words of the line's commands, and what stands behind the
// = of one, would be if they were files: those that may run what such a word names are not
// always known to read it. Each once, at most maxOperands; for noticing whether a file changes
// while the call waits. Most of them are no files, which costs the one who looks a stat each.
func (c *Call) Operands() []string {
	if c.line.Line == nil {
		return nil
	}
	var files []string
	for i := range c.elems {
		x := &c.elems[i]
		dir := cmp.Or(x.dir, c.line.dir)
		if x.kind != shell.Command || dir == "" {
			continue
		}
		// The first word is the program, which Files has where it is a path.
		for _, w := range c.line.Elements[x.at].Argv[min(1, len(c.line.Elements[x.at].Argv)):] {
			if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
				w = value
			}
			if w == "" || strings.HasPrefix(w, "-") || len(w) > maxOperandName || len(files) >= maxOperands {
				continue
			}
			if !path.IsAbs(w) {
				w = path.Join(dir, w)
			}
			files = append(files, path.Clean(w))
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// maxOperandName is the longest word that is taken for a file's name, in bytes.
const maxOperandName = 4096
