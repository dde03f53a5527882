package rules

import (
	"cmp"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
)

// commandLine is the command line of a call. The zero value is that of a tool that runs none.
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

// agreed reports whether every shell reads the call's command line in the same words. Where one
// may not, nothing but a rule that names the whole line allows any part of it: what is hidden
// from the reader is hidden from a rule about a part. A call without a line is agreed on.
func (l *commandLine) agreed() bool { return l.Line == nil || l.Plain }

// trimmed is the line without blanks at its ends.
func (l *commandLine) trimmed() string { return strings.TrimSpace(l.Raw) }

// lineReader reads the command line of a call. It has what is needed only while the line is
// read; what rules need later is in commandLine.
type lineReader struct {
	*paths
	*commandLine
	away    bool // the line starts outside the project
	unclear bool // a part of it is not fully understood
}

// read reads the value of a command parameter: what rules look at, and the files of patches
// that the line applies, nil when it applies none. Some agents give a list of words, which is
// quoted so that the shell's reader sees these very words.
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
	// What shells read differently is not fully understood, whatever the elements say.
	r.unclear = !line.Plain
	for i := range line.Elements {
		elems = append(elems, r.element(&line.Elements[i], i))
	}
	touched = r.patches(elems)
	if len(elems) == 0 {
		r.doubt("its command line runs nothing")
	}
	// Of a plain line a rule may name the words; whole is what it is compared with.
	if words, ok := plainWords(line.Raw); ok {
		s := patterns.Speak(words)
		r.whole = &s
	}
	if r.unclear {
		r.text = patterns.ReadText(line.Raw)
	}
	return elems, touched
}

// isList reports whether a parameter is a list in JSON.
func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

// startParams are the parameters in which a command tool takes the folder to start in.
var startParams = []string{"workdir", "cwd", "dir", "directory", "dir_path"}

// start finds the folder that the line starts in: a parameter of the call may say it, else it
// is the session's. Rules with wildcards do not hold for a line that starts outside the
// project.
func (r *lineReader) start(in *input) {
	given := 0
	for _, name := range startParams {
		if s, _ := in.members[name].(string); s != "" {
			p := r.toolPlace(s)
			// When it leads nobody knows where, this is "" and every relative path is doubted.
			r.dir = p.real
			given++
		}
	}
	// Which of them counts is for the agent to know.
	if given > 1 {
		r.doubt("it names more than one folder to start in")
	}
	project := r.q.Place.Project
	if p := r.shellPlace(".", r.dir); project != "" && !patterns.Below(project, p.real) {
		r.away = true
	}
}

// plainWords splits a line that is one command of nothing but literal words. It is stricter
// than a shell: what it takes means the same everywhere, so a rule may name the words in place
// of the text. "git commit -m 'one two'" has four words; a line with a $, a | or a > outside of
// quotes has none.
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

// quoteShell writes a word so that a shell reads it literally, quoted only where that is
// needed.
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
