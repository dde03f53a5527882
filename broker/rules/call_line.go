package rules

import (
	"cmp"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
)

// commandLine is the command line of a call.
type commandLine struct {
	*shell.Line                   // nil when the tool runs none
	dir         string            // where it starts; absolute, or "" when not known
	whole       *patterns.Spoken  // the words of a line that is one plain command
	text        *patterns.RawText // of a line that is not fully understood, which deny rules search
	noSay       bool              // no element has a say of its own, so all of them have
	gits        []risk.Git        // the repositories that its git commands would use
	unsure      string            // not empty: no rule may allow the call, because of this
}

// doubt keeps the first reason why no rule may allow the call.
func (l *commandLine) doubt(why string) { l.unsure = cmp.Or(l.unsure, why) }

// agreed reports whether every shell reads the call's command line in the same words. Where
// one may not, nothing but a rule that names the whole line allows any part of it: what is
// hidden from the reader is hidden from a rule about a part.
func (l *commandLine) agreed() bool { return l.Line == nil || l.Plain }

// trimmed is the line without blanks at its ends.
func (l *commandLine) trimmed() string { return strings.TrimSpace(l.Raw) }

// lineReader reads the command line of a call.
type lineReader struct {
	*paths
	*commandLine
	away    bool // the line starts outside the project
	unclear bool // a part of it is not fully understood
}

// read reads the value of a command parameter: what rules look at, and the files of patches
// that the line applies, nil when it applies none.
func (r *lineReader) read(v any) (elems []elem, touched *value) {
	list, ok := stringsOf(v)
	switch {
	case !ok || len(list) == 0:
		r.doubt("it has no command line")
		return nil, nil
	case isList(v):
		for i, w := range list {
			list[i] = quoteShell(w)
		}
	}
	line := shell.Parse(strings.Join(list, " "))
	r.Line = &line
	r.unclear = !line.Plain
	for i := range line.Elements {
		elems = append(elems, r.element(&line.Elements[i], i))
	}
	touched = r.patches(elems)
	if len(elems) == 0 {
		r.doubt("its command line runs nothing")
	}
	if words, ok := plainWords(line.Raw); ok {
		s := patterns.Speak(words)
		r.whole = &s
	}
	if r.unclear {
		r.text = patterns.ReadText(line.Raw)
	}
	return elems, touched
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

// startParams are the parameters in which a command tool takes the folder to start in.
var startParams = []string{"workdir", "cwd", "dir", "directory", "dir_path"}

// start finds the folder that the line starts in.
func (r *lineReader) start(in *input) {
	given := 0
	for _, name := range startParams {
		if s, _ := in.members[name].(string); s != "" {
			p := r.toolPlace(s)
			r.dir = p.real
			given++
		}
	}
	if given > 1 {
		r.doubt("it names more than one folder to start in")
	}
	project := r.q.Place.Project
	if p := r.shellPlace(".", r.dir); project != "" && !patterns.Below(project, p.real) {
		r.away = true
	}
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
