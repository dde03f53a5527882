package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/hookclient/install/installtest"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// corpus lists the files of an agent, in testdata/corpus/AGENT below folder.
func corpus(t *testing.T, agent, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "corpus", agent, folder, "*.js*"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	return files
}

// userFile is where hooks for the agent go, in the home of the test.
func userFile(t *testing.T, a agent) string {
	t.Helper()
	dir, err := a.home()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, a.settings().File)
}

// tree is every file and folder below dir, but no backups.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			files[path] = "a folder"
		case !strings.Contains(e.Name(), backupInfix):
			files[path] = installtest.Read(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// otherHome is home without what the machine says of agents' folders.
func otherHome(t *testing.T) Options {
	t.Helper()
	for _, name := range []string{"CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "OPENCODE_PURE", "GEMINI_CLI_TRUST_WORKSPACE"} {
		t.Setenv(name, "")
	}
	o, _ := home(t)
	return o
}

// remarksOf lists the comments of a text.
func remarksOf(src []byte) []string {
	var list []string
	commas := blankJSON(src, false)
	for i := 0; i < len(src); i++ {
		if src[i] != '/' || commas[i] != ' ' {
			continue
		}
		begin := i
		for i < len(src) && commas[i] == ' ' && src[i] != '\n' {
			i++
		}
		list = append(list, strings.TrimSpace(string(src[begin:i])))
	}
	return list
}

// What stands in people's files is there to the byte after an installation was removed,
// and to the comment while it is in.
func TestCorpus(t *testing.T) {
	for _, a := range agents() {
		files := corpus(t, a.agent, "")
		if len(files) == 0 && a.plugin == nil {
			t.Errorf("no corpus for %s", a.agent)
		}
		for name, text := range files {
			for _, backups := range []bool{true, false} {
				if backups && testing.Short() {
					continue
				}
				t.Run(a.agent+"/"+name, func(t *testing.T) { roundTrip(t, a, text, backups) })
			}
		}
	}
}

func roundTrip(t *testing.T, a agent, text []byte, backups bool) {
	t.Helper()
	o := otherHome(t)
	o.Agent = a.agent
	path := userFile(t, a)
	installtest.Put(t, path, string(text))
	first := install(t, o)
	installed := installtest.Read(t, path)
	if !first.Changed || first.Created {
		t.Errorf("report %+v", first)
	}
	for _, remark := range remarksOf(text) {
		if a.syntax != jsonc.Strict && !strings.Contains(installed, remark) {
			t.Errorf("the comment %q is gone:\n%s", remark, installed)
		}
	}
	o.Now = o.Now.Add(time.Second)
	if again := install(t, o); again.Changed || installtest.Read(t, path) != installed {
		t.Errorf("the second time, it changes:\n%s", again.Diff)
	}
	older := o
	older.Timeout, older.Program.Path = time.Hour, filepath.Join(filepath.Dir(o.Program.Path), "old", "aoctl-hook")
	install(t, older)
	o.Now = o.Now.Add(time.Second)
	if install(t, o); installtest.Read(t, path) != installed {
		t.Errorf("over an older installation:\n%s", cmp.Diff(installed, installtest.Read(t, path)))
	}
	if !backups {
		backupsGone(t, path)
	}
	o.Now = o.Now.Add(time.Second)
	r := uninstall(t, o)
	got, err := os.ReadFile(path)
	switch {
	case backups && (err != nil || string(got) != string(text)):
		t.Errorf("%v, %s", err, cmp.Diff(string(text), string(got)))
	case backups:
	case r.Deleted:
		if bare, err := a.bare(text); err != nil || string(bare) != "{}\n" {
			t.Errorf("deleted, with this in it: %s, %v", bare, err)
		}
	default:
		want, err1 := a.bare(text)
		have, err2 := a.bare(got)
		if err1 != nil || err2 != nil || !bytes.Equal(want, have) {
			t.Errorf("without a backup: %v, %v, %s", err1, err2, cmp.Diff(string(want), string(have)))
		}
		if diff := cmp.Diff(remarksOf(text), remarksOf(got)); diff != "" && a.syntax != jsonc.Strict {
			t.Errorf("comments:%s", diff)
		}
	}
}

func backupsGone(t *testing.T, path string) {
	t.Helper()
	for _, name := range (&settingsFile{path: path}).backups() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that the agent would not read is named with its place, and nothing is changed.
func TestCorpusBroken(t *testing.T) {
	for _, a := range agents() {
		files := corpus(t, a.agent, "broken")
		if len(files) == 0 {
			t.Errorf("no broken files for %s", a.agent)
		}
		for name, text := range files {
			t.Run(a.agent+"/"+name, func(t *testing.T) {
				o := otherHome(t)
				o.Agent = a.agent
				path := userFile(t, a)
				installtest.Put(t, path, string(text))
				before := tree(t, os.Getenv("HOME"))
				_, err := Install(o)
				syntax, ok := errors.AsType[*jsonc.SyntaxError](err)
				if !ok || syntax.Path != path || syntax.Line == 0 || !strings.Contains(syntax.Cure, "nothing was changed") {
					t.Errorf("got %v", err)
				}
				if diff := cmp.Diff(before, tree(t, os.Getenv("HOME"))); diff != "" {
					t.Errorf("it changed:%s", diff)
				}
			})
		}
	}
}

// All agents, each with a file of its own or with none: afterwards all is as it was.
func TestInstallAllAndUninstallAll(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	lists := map[string][]string{}
	texts := map[string]map[string][]byte{}
	most := 0
	for _, a := range agents() {
		texts[a.agent] = corpus(t, a.agent, "")
		for name := range texts[a.agent] {
			lists[a.agent] = append(lists[a.agent], name)
		}
		most = max(most, len(lists[a.agent]))
	}
	for i := range most + 1 {
		o := otherHome(t)
		for _, a := range agents() {
			if i < len(lists[a.agent]) {
				installtest.Put(t, userFile(t, a), string(texts[a.agent][lists[a.agent][i]]))
			}
		}
		before := tree(t, os.Getenv("HOME"))
		for _, a := range agents() {
			o.Agent = a.agent
			install(t, o)
			older := o
			older.Timeout = time.Hour // brought up to date once, which leaves a backup
			install(t, older)
		}
		for _, a := range agents() {
			o.Agent = a.agent
			if r := uninstall(t, o); !r.Changed {
				t.Errorf("%s: nothing was removed", a.agent)
			}
		}
		if diff := cmp.Diff(before, tree(t, os.Getenv("HOME"))); diff != "" {
			t.Errorf("not as before:%s", diff)
		}
	}
}

// Comments, commas too many and marks may stand anywhere.
func TestCommentsProperty(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	o := otherHome(t)
	rapid.Check(t, func(rt *rapid.T) {
		o := o
		o.Agent = rapid.SampledFrom([]string{"gemini", "qwen"}).Draw(rt, "agent")
		a, _ := agentNamed(o.Agent)
		text := strewn(rt, settingsText(rt))
		path := userFile(t, a)
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			rt.Fatal(err)
		}
		installtest.Put(t, path, text)
		if _, err := Install(o); err != nil {
			if d, _ := a.document([]byte(text)); d != nil && a.shape(d) == nil {
				rt.Fatalf("install into %q: %v", text, err)
			}
			return // hooks in it are of another form
		}
		installed := installtest.Read(t, path)
		kept := func(now string) {
			for _, remark := range strewnRemarks {
				if strings.Count(now, remark) != strings.Count(text, remark) {
					rt.Fatalf("comments %q of %q:\n%s", remark, text, now)
				}
			}
		}
		kept(installed)
		if r, err := Install(o); err != nil || r.Changed {
			rt.Fatalf("again: %v, %+v", err, r)
		}
		bare := rapid.Bool().Draw(rt, "without backups")
		if bare {
			backupsGone(t, path)
		}
		r, err := Uninstall(o)
		if err != nil {
			rt.Fatalf("uninstall: %v of %q", err, text)
		}
		got, err := os.ReadFile(path)
		switch {
		case r.Deleted && bare && len(remarksOf([]byte(text))) == 0:
		case err != nil || !bare && string(got) != text:
			rt.Fatalf("before %q\nafter  %q, %v", text, got, err)
		case bare:
			kept(string(got))
		}
	})
}

var strewnRemarks = []string{"/* c */", "// l, ] }", "// m", "/* two\n lines, */"}

// strewn puts comments between the tokens of a JSON text, and commas before brackets.
func strewn(t *rapid.T, text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	var b strings.Builder
	if rapid.IntRange(0, 5).Draw(t, "mark") == 0 {
		b.WriteString(jsonc.ByteOrderMark)
	}
	remark := func() {
		switch rapid.IntRange(0, 12).Draw(t, "comment") {
		case 0:
			b.WriteString("/* c */")
		case 1:
			b.WriteString(" // l, ] }\n")
		case 2:
			b.WriteString(" // m\r\n  ")
		case 3:
			b.WriteString(" /* two\n lines, */ ")
		}
	}
	before := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			end := stringEnd([]byte(text), i)
			b.WriteString(text[i : end+1])
			i, before = end, '"'
			continue
		}
		if strings.IndexByte("{}[],:", c) >= 0 {
			remark()
			if (c == '}' || c == ']') && strings.IndexByte("{[", before) < 0 && rapid.IntRange(0, 3).Draw(t, "comma") == 0 {
				b.WriteByte(',')
				remark()
			}
		}
		b.WriteByte(c)
		if strings.IndexByte("{}[],:", c) >= 0 {
			remark()
		}
		if c > ' ' {
			before = c
		}
	}
	return b.String()
}

// blankJSON blanks the comments of src, and with commas those before a closing bracket: a
// reader that shares nothing with the one it is held against.
func blankJSON(src []byte, commas bool) []byte {
	out := bytes.Clone(src)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	comma := -1 // the last comma with only space behind it so far
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i, comma = stringEnd(out, i), -1
		case c == '/' && i+1 < len(out) && out[i+1] == '/':
			end := i + lineLength(out[i:])
			blank(i, end)
			i = end - 1
		case c == '/' && i+1 < len(out) && out[i+1] == '*':
			end := len(out)
			if n := bytes.Index(out[i+2:], []byte("*/")); n >= 0 {
				end = i + 2 + n + 2
			}
			blank(i, end)
			i = end - 1
		case c == ',':
			comma = i
		case commas && (c == '}' || c == ']') && comma >= 0:
			blank(comma, comma+1)
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return out
}

// stringEnd is where the JSON string that begins at i ends: its closing quote, or the
// last byte.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(src) - 1
}

func lineLength(src []byte) int {
	if n := bytes.IndexByte(src, '\n'); n >= 0 {
		return n
	}
	return len(src)
}
