package main

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// event is a system call that did something, with the absolute paths that it was about.
type event struct {
	call  string
	by    string   // the program, by its file's name
	paths []string // as the program named them; of an open where it led, too
	flags string   // all arguments, as strace shows them
	fails bool
	raw   string
}

// trace is what the processes of one line did.
type trace struct {
	events []event
	pids   map[string]bool
	output string // what it printed
}

// callLine is one line of strace: the call, its arguments, what it returned.
var callLine = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+|\?|0x[0-9a-f]+)(?:<(.*)>)?( .*)?$`)

// readTrace reads what strace wrote of each process, by its number. dir is where the first one
// began to work.
func readTrace(texts map[string]string, dir string) trace {
	t := trace{pids: map[string]bool{}}
	for pid := range texts {
		t.pids[pid] = true
	}
	// A process that nobody seems to have made is the first one.
	made := map[string]bool{}
	for _, text := range texts {
		for l := range strings.Lines(text) {
			if m := callLine.FindStringSubmatch(strings.TrimSpace(l)); m != nil && makesProcess(m[1]) {
				made[m[3]] = true
			}
		}
	}
	done := map[string]bool{}
	for _, pid := range slices.Sorted(maps.Keys(texts)) {
		if !made[pid] {
			t.process(texts, pid, dir, "", done)
		}
	}
	return t
}

func makesProcess(call string) bool {
	return slices.Contains([]string{"clone", "clone3", "fork", "vfork"}, call)
}

// process reads the calls of a process that begins to work in dir and with a program, and of those that it makes.
func (t *trace) process(texts map[string]string, pid, dir, by string, done map[string]bool) {
	if done[pid] {
		return
	}
	done[pid] = true
	for l := range strings.Lines(texts[pid]) {
		m := callLine.FindStringSubmatch(strings.TrimSpace(l))
		if m == nil {
			continue
		}
		e := event{call: m[1], flags: m[2], fails: strings.HasPrefix(m[3], "-"), raw: strings.TrimSpace(l)}
		switch {
		case makesProcess(e.call):
			if _, ok := texts[m[3]]; ok {
				t.process(texts, m[3], dir, by, done)
			}
			continue
		case e.call == "chdir" && !e.fails:
			dir = at(dir, quoted(m[2])...)[0]
			continue
		case e.call == "fchdir" && !e.fails:
			if p := handles(m[2]); len(p) > 0 {
				dir = p[0]
			}
			continue
		}
		e.paths = pathsOf(e.call, m[2], dir)
		if e.call == "execve" && !e.fails && len(e.paths) > 0 {
			by = path.Base(e.paths[0])
		}
		e.by = by
		if m[4] != "" { // where it led
			e.paths = []string{unescape(strings.TrimSuffix(m[4], " (deleted)"))}
		}
		t.events = append(t.events, e)
	}
}

// pathsOf are the paths among the arguments of a call. Those behind a folder's handle start in it.
func pathsOf(call, args, dir string) []string {
	switch {
	case strings.HasPrefix(call, "fch") && !strings.HasSuffix(call, "at"):
		return handles(args)
	case strings.HasPrefix(call, "symlink"):
		args = args[len(firstQuoted(args)):] // the text of the link is no file
	case call == "execve":
		args = firstQuoted(args)
	}
	var list []string
	from := dir
	for _, tok := range tokens.FindAllString(args, -1) {
		if tok[0] == '"' {
			list = append(list, at(from, unescape(tok[1:len(tok)-1]))...)
			continue
		}
		from = unescape(tok[strings.IndexByte(tok, '<')+1 : len(tok)-1])
	}
	if list == nil && call == "utimensat" { // by its handle alone
		return handles(args)
	}
	return list
}

// tokens are quoted texts, and handles with the path behind them.
var tokens = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|(?:AT_FDCWD|\b\d+)<(?:[^>\\]|\\.)*>`)

func firstQuoted(args string) string {
	i := quotedText.FindStringIndex(args)
	if i == nil {
		return ""
	}
	return args[:i[1]]
}

var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// quoted are the texts among the arguments.
func quoted(args string) (list []string) {
	for _, q := range quotedText.FindAllString(args, -1) {
		list = append(list, unescape(q[1:len(q)-1]))
	}
	return append(list, ".")
}

// handles are the paths behind open files among the arguments.
func handles(args string) (list []string) {
	for _, tok := range tokens.FindAllString(args, -1) {
		if tok[0] != '"' {
			list = append(list, unescape(tok[strings.IndexByte(tok, '<')+1:len(tok)-1]))
		}
	}
	return list
}

// at are paths that start in a folder.
func at(dir string, names ...string) (list []string) {
	for _, p := range names {
		if !path.IsAbs(p) {
			p = dir + "/" + p
		}
		list = append(list, path.Clean(p))
	}
	return list
}

// unescape reads the escapes of strace: those of C, with octal numbers of one to three digits.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		n := i
		for n < len(s) && n < i+3 && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		if v, err := strconv.ParseUint(s[i:n], 8, 8); err == nil {
			b.WriteByte(byte(v))
			i = n - 1
			continue
		}
		if k := strings.IndexByte("ntrvfae", s[i]); k >= 0 {
			b.WriteByte("\n\t\r\v\f\a\x1b"[k])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
