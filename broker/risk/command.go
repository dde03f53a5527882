package risk

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/leaves"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// commandJudge judges commands by their words. It carries the other judges, as words may name
// files and hold texts.
type commandJudge struct {
	scene
	files   fileJudge
	secrets secretJudge
	texts   *textJudge
	raw     string // the whole line
}

func newCommandJudge(s scene, raw string) commandJudge {
	return commandJudge{scene: s, files: fileJudge{s}, secrets: secretJudge{s}, texts: &textJudge{scene: s}, raw: raw}
}

// command judges one command by its words. That it runs through sudo is told whatever the
// command is, even when its words are not known.
func (j commandJudge) command(e shell.Element) {
	a := cmdline.Of(e)
	if a.Is(programs.Raises) || a.ThroughOne(programs.Raises) {
		j.dangerIn("runs as another user", commands.Raises(a))
	}
	if len(e.Argv) == 0 {
		return
	}
	for _, r := range commands.Of(a) {
		j.remark(r)
	}
	if a.Name == "git" || strings.HasPrefix(a.Name, "git-") {
		j.secrets.gitShows(a)
	}
	j.deleters(a)
	j.guess(func() {
		j.copies(a)
		j.words(a)
	})
	j.code(a)
}

// remark finds what a table says of a command.
func (f *findings) remark(r commands.Remark) {
	found := Finding{Class: Dangerous, Why: r.Why, Says: r.Says, Guarded: r.Guarded}
	if r.Note && !r.Guarded {
		found.Class = Normal
	}
	f.find(found)
}

// deleters judges what a command removes by its words, should the line's elements not say it.
// The same path is mostly judged twice, which merge makes one finding.
func (j commandJudge) deleters(a cmdline.Command) {
	s := j.spotOf(a.Element, true)
	switch a.Name {
	case "rm", "rmdir", "unlink", "shred", "srm", "trash":
		wide := a.Name == "rm" && a.Has("-r", "-R", "--recursive") || a.Name == "srm" || a.Name == "trash"
		for _, w := range a.Operands() {
			switch {
			case w != "":
				s.tilde, s.entry = strings.HasPrefix(w, "~"), true
				j.files.writePath(j.resolve(w, s), change{deletes: true, wide: wide})
				// rm -r x/ goes into a folder that x links to.
				if s.entry = false; wide {
					j.files.writePath(j.resolve(w, s), change{deletes: true, wide: true})
				}
			// find's own folders say what its rm takes away.
			case wide && !a.Through("find", "fd", "fdfind"):
				j.danger("deletes what the line does not say")
			}
		}
		if wide && a.Through("xargs", "parallel") {
			j.danger("deletes what the line does not say")
		}
	}
}

// copies judges the files that come to be when something is copied into a folder: the line
// names the folder only. Whether the target is a folder is not asked, so only the names count.
func (j commandJudge) copies(a cmdline.Command) {
	switch a.Name {
	case "cp", "mv", "ln", "install", "rsync":
	default:
		return
	}
	ops := a.Operands()
	if len(ops) == 0 {
		return
	}
	target, ok := a.Value("-t", "--target-directory")
	if !ok || a.Name == "rsync" {
		// -t means something else to rsync.
		target, ops = ops[len(ops)-1], ops[:len(ops)-1]
	}
	if target == "" {
		return
	}
	s := j.spotOf(a.Element, false)
	s.tilde = strings.HasPrefix(target, "~")
	for _, from := range ops {
		if name := from[strings.LastIndexByte(from, '/')+1:]; name != "" && name != "." && name != ".." && from != target {
			j.files.writeNames(j.resolve(target+"/"+name, s))
		}
	}
}

// writeNames judges t by its names alone: it may or may not be what is written.
func (j fileJudge) writeNames(t target) {
	if why, ok := j.guarded(t, false, true); ok {
		j.guard(why)
	}
	if e, ok := writes().Find(t.forms); ok {
		j.danger(e.Why)
	} else if j.reachesHooks(t, change{}) {
		j.danger(changesHooks)
	}
}

// maxWords caps how many words of a line are looked up as files.
const maxWords = 4000

// tooLong is the reason of a call that was not looked at to its end.
const tooLong = "too long to look at all of it"

// words judges files that a command names among its words although the line's elements do not:
// its program may be one that nobody knows. What it finds is at most a suspicion, so it leaves
// out what is known to be no file.
func (j commandJudge) words(a cmdline.Command) {
	if a.Is(programs.WordsNoFiles) || a.Name == "find" && !a.Has("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls") {
		return
	}
	// A word that is not known may hold a path in its text all the same.
	if slices.Contains(a.Element.Argv, "") && a.Name != "git" {
		j.texts.namesIn(a.Element.Text)
	}
	s := j.spotOf(a.Element, false)
	s.glob, s.tilde = a.Element.Glob, true
	known, ok := effects.Known(a)
	looks := ok && known.Does == effects.Of(effects.Look)
	for i, w := range a.Element.Argv {
		if j.texts.tooMany() {
			return
		}
		if i == 1 && a.Element.Argv[0] == "go" && goCommands.Has(w) {
			continue
		}
		for _, p := range cmdline.Pieces(w) {
			t := j.resolve(p, s)
			if why, ok := j.guarded(t, false, false); ok && (!looks || !j.onlySeen(t)) {
				j.guard(why)
			}
			// git has a judge of its own for what it shows (secrets_git.go).
			if why, ok := credential(t); ok && i > 0 && a.Name != "git" && !t.isFolder(".ssh") && !writesOnly(a, p) && !omits(a, p) {
				j.dangerIn(why, says(why, t))
			}
			// Whether it reads or writes the file is not known of such a program.
			_, runs := writes().Find(t.forms)
			if (runs || j.reachesHooks(t, change{})) && i > 0 && !a.Is(programs.PlainReader) {
				j.danger("may change a file that runs something")
			}
		}
	}
}

// goCommands are first words of go that are never files, even where a file has the name.
var goCommands = wordset.New("bug build clean doc env fix fmt generate get help install list mod run telemetry test tool version vet work")

// writesOnly reports whether a program only makes the file p, as cp does with its last operand.
// What is written is judged as such, and shows nothing of a key.
func writesOnly(a cmdline.Command, p string) bool {
	switch a.Name {
	case "rm", "unlink", "shred", "tee", "truncate":
		return true
	case "cp", "mv", "ln", "install":
		ops := a.Operands()
		return len(ops) > 1 && ops[len(ops)-1] == p
	}
	return false
}

// omits reports whether a program that packs or copies is told to leave p out. The pattern has
// to be p itself.
func omits(a cmdline.Command, p string) bool {
	return cmdline.Matches("tar|gtar|bsdtar|rsync|zip", a.Name) && slices.ContainsFunc(leaves.LeftOut(a.Element).Picks, func(x leaves.Pick) bool { return x.Not && x.Pattern == p })
}
