package risk

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// worst are the texts that make a line dangerous even when nobody can read it as a command
// line. They also fit what only speaks of such commands; a line that nobody can read may as
// well be looked at.
var worst = sync.OnceValue(func() []look {
	return []look{
		{regexp.MustCompile(`\brm\s+(-\S+\s+)*-\S*[rRf]\S*\s+(-\S+\s+)*["']?(/|~|\$HOME|\*|\.\.|\$\{HOME)`), "deletes outside the project"},
		{regexp.MustCompile(`\b(mkfs(\.\w+)?|wipefs|fdisk|parted|diskutil\s+erase\w*)\b`), "changes disks"},
		{regexp.MustCompile(`\bdd\b[^|;&\n]*\bof=/dev/[a-z]`), "writes to a device"},
		{regexp.MustCompile(`>\s*/dev/(sd|hd|nvme|vd|xvd|disk|mmcblk|mem)`), "writes to a device"},
		{regexp.MustCompile(`\b(curl|wget|fetch|nc|ncat|aria2c)\b[^\n;&]*\|\s*(\S*/)?(sudo\s+)?(env\s+)?(ba|z|da|k|fi)?sh\b`), "runs what comes from the network"},
		{regexp.MustCompile(`\b(curl|wget)\b[^\n;&]*\|\s*(\S*/)?(sudo\s+)?(python[0-9.]*|node|perl|ruby|php)\s*(-\s*)?($|[;&|)\n'"])`), "runs what comes from the network"},
		{regexp.MustCompile("\\b(sh|bash|zsh|eval|source|python[0-9.]*|node|perl|ruby|php)\\b[^\\n;&]*(<\\(|\\$\\(|`)\\s*(curl|wget)\\b"), "runs what comes from the network"},
		{regexp.MustCompile(`[\w:.]+\s*\(\)\s*\{[^}]*\|[^}]*&[^}]*\}\s*;`), "starts processes endlessly"},
		{regexp.MustCompile(`/dev/(tcp|udp)/`), "talks to the network"},
		{regexp.MustCompile(`\b(sudo|doas|pkexec)\s`), "runs as another user"},
		{regexp.MustCompile(`\bgit\b[^\n;&|]*\bpush\b[^\n;&|]*(\s-f\b|--force|--mirror|\s\+\w)`), "forces a push"},
		{regexp.MustCompile(`\bgit\b[^\n;&|]*\breset\b[^\n;&|]*--hard\b`), "throws away uncommitted work"},
		{regexp.MustCompile(`\bchmod\s+(-\S+\s+)*(-\w*R|--recursive)`), "changes the rights of a whole folder"},
		{regexp.MustCompile(`(?i)dangerously-(skip|bypass|allow)|--yolo\b`), commands.AsksNobody},
	}
})

// look is a text that a line must not have.
type look struct {
	re  *regexp.Regexp
	why string
}

// bomb is a function that starts itself twice, with whatever name.
var bomb = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w:.]+)\s*\(\)\s*\{\s*([\w:.]+)\s*\|\s*([\w:.]+)\s*&`)
})

// textJudge judges texts that nobody can read as commands or as paths. It counts what it looks
// up, over all texts of a call, and so is passed by its address.
type textJudge struct {
	scene
	looked int // words that were looked up as files
}

// tooMany counts one more word that is looked up as a file, and reports whether that is too many.
func (j *textJudge) tooMany() bool {
	if j.looked++; j.looked > maxWords {
		j.note(tooLong)
		return true
	}
	return false
}

// rawText judges a text that could not be read as commands, by its looks.
func (j *textJudge) rawText(text string) {
	for _, w := range worst() {
		if w.re.MatchString(text) {
			j.danger(w.why)
		}
	}
	j.namesIn(text)
}

// forkBomb looks for a function that starts itself over and over, which is well-formed: no
// element of the line shows it.
func (j *textJudge) forkBomb(raw string) {
	if !strings.Contains(raw, "|") { // of most lines that is all to see
		return
	}
	for _, m := range bomb().FindAllStringSubmatch(raw, -1) {
		if m[1] == m[2] && m[2] == m[3] {
			j.danger("starts processes endlessly")
		}
	}
}

// namesIn judges all that may be a path in a text of code. Only names with a dot are looked at,
// as nearly all files with keys have one.
func (j *textJudge) namesIn(text string) {
	for _, p := range strings.FieldsFunc(text, endsName) {
		if j.tooMany() {
			return
		}
		// Shorter words are no names of keys, and longer ones no names at all.
		if len(p) < 4 || len(p) > 1000 || !strings.Contains(p, ".") || isMember(p) {
			continue
		}
		j.names(j.looseNames(p), false)
	}
}

// isMember reports whether p looks like a member of an object rather than a file: e.key and
// secrets.token, but not secrets.json. Only in code is that a question.
func isMember(p string) bool {
	if strings.ContainsAny(p, "/~") {
		return false
	}
	return strings.HasSuffix(p, ".key") || strings.HasPrefix(p, "secrets.") && !pathtable.EndsIn(p, ".json", ".yml", ".yaml", ".toml", ".env", ".txt", ".ini")
}

// looseNames reads p without asking the disk: a text may hold hundreds of such words.
func (r *resolver) looseNames(p string) target {
	if strings.HasPrefix(p, "/") {
		return target{lost: true, forms: []pathtable.Form{r.newForm(p, false)}}
	}
	return target{lost: true, forms: []pathtable.Form{r.looseForm(p, false)}}
}

// endsName reports whether a character ends a path in most languages.
func endsName(r rune) bool { return strings.ContainsRune(" \t\n\r'\"`(),;=[]{}<>|&:$\\", r) }

// code judges the programs that are given to an interpreter on the command line or as a text in
// the line. It does not read their language; it looks for the names of files in them.
func (j commandJudge) code(a cmdline.Command) {
	// What is fed to the client stands in the line, if anywhere.
	if a.Is(programs.Database) && a.Element.Stdin != "" && commands.DestroysData(j.raw) {
		j.danger("deletes data in a database")
	}
	if !a.Is(programs.Interpreter) && a.Name != "awk" && a.Name != "sed" {
		return
	}
	for _, w := range a.Words {
		if strings.ContainsAny(w, " \n\t('\"") {
			j.texts.namesIn(w)
		}
	}
	if a.Element.Stdin == "text" {
		j.texts.namesIn(j.raw)
	}
}
