package check

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// geminiDialect: settings.json with comments, timeouts in milliseconds.
// Source: runs of Gemini CLI 0.61.0. The shape of the file is Claude Code's.
func geminiDialect() dialect {
	return dialect{
		gates: []string{"BeforeTool"}, commands: []string{"command"}, timeouts: []string{"timeout"},
		unit: func(v float64) time.Duration {
			// A number that looks like "never" is "at once".
			if v > math.MaxInt32 {
				return 0 // its timer overflows, and the hook times out at once
			}
			return time.Duration(v * float64(time.Millisecond))
		},
		standard: 60 * time.Second, loud: true, matches: everything, read: jsonc.Plain,
		broken: "Gemini CLI does not start with it",
	}
}

func init() { checks["gemini"] = checkGemini }

// checkGemini looks at the settings' hooks and at what turns them off. The order: is there a
// gate, is it switched off as a whole or by name, does the folder let hooks run at all.
func checkGemini(c *checker) {
	d := geminiDialect()
	user := machine.InHome("", filepath.Join(".gemini", "settings.json"))
	files := c.hookFiles(d, hookFile{path: user},
		hookFile{path: filepath.Join(c.o.Project, ".gemini", "settings.json"), project: true},
		hookFile{path: "/etc/gemini-cli/settings.json"})
	if !c.installedHooks(d, files, func(f *hookFile, h foundHook) { c.geminiEditors(d, f, h) }) {
		return
	}
	c.ungated()
	c.switchedOff(files, "hooksConfig.enabled", "false")
	for _, f := range files {
		if f.doc == nil {
			continue
		}
		// Hooks of ours have no name, but a line by hand may.
		for _, name := range f.doc.Root.Member("hooksConfig").Children("disabled") {
			c.add(Fail, "settings", "remove it there, unless it is another's", "%s disables the hook %q by name", f.path, machine.Shorten(name.Text))
		}
	}
	c.geminiTrust(files)
	c.typedCommands()
	c.started()
}

// geminiEditors looks, beside a gate in f, for the hook that refuses prompts in the mode in
// which the gate is not asked. Both halves must be there, the flag and the same list, or some
// form of the mode is let through.
func (c *checker) geminiEditors(d dialect, f *hookFile, gate foundHook) {
	for _, h := range d.hooksIn(f) {
		// A line that does more than refuse such prompts is not counted on.
		l, ok := hookline.Read(h.command, c.a.Name)
		if h.event == install.GeminiPrompt && ok && l.Guarded && slices.Contains(l.Words, hookline.NotUnder) && slices.Contains(l.Words, strings.Join(install.GeminiEditors, ",")) {
			c.add(OK, "editors", "", "gemini --acp, as editors start it, fires no hook before a call: its prompts are refused")
			return
		}
	}
	l, _ := hookline.Read(gate.command, c.a.Name)
	cure, repair := c.anew(f, l)
	c.add(Fail, "editors", cure, "nothing refuses prompts of gemini --acp, as editors start it, which fires no hook before a call: calls run unasked").Repair = repair
}

// geminiTrust looks whether the project's folder is trusted: in one that is not, no hook
// runs, the user's own neither.
//
// Not to be trusted is a failure, although it is Gemini CLI's own safety: the person relies on a
// gate that is not asked.
func (c *checker) geminiTrust(files []*hookFile) {
	for _, f := range files {
		// A project cannot say that it is trusted.
		if f.doc == nil || f.project {
			continue
		}
		if v := f.doc.Root.Member("security").Member("folderTrust").Member("enabled"); v != nil && v.Text == "false" {
			c.add(OK, "folder trust", "", "switched off, every folder counts as trusted")
			return
		}
	}
	// It is this shell's variable, which a gemini started from it would have.
	if v := os.Getenv("GEMINI_CLI_TRUST_WORKSPACE"); v == "true" {
		c.add(OK, "folder trust", "", "GEMINI_CLI_TRUST_WORKSPACE is set")
		return
	}
	path := machine.InHome("", filepath.Join(".gemini", "trustedFolders.json"))
	text, err := machine.ReadBounded(path, maxRC)
	const cure = "start gemini in the folder and trust it"
	// Where nothing is on record the folder is not trusted, as far as is known.
	if err != nil {
		c.add(Warn, "folder trust", cure, "%s is not known to be trusted (%v); in an untrusted folder no hook runs", c.o.Project, err)
		return
	}
	doc, err := install.ParseClaude(jsonc.Plain(text))
	if err != nil {
		c.add(Warn, "folder trust", "correct the file by hand", "cannot tell what is in %s", path)
		return
	}
	if trustedBy(doc, c.o.Project) {
		c.add(OK, "folder trust", "", "%s is trusted", c.o.Project)
		return
	}
	c.add(Fail, "folder trust", cure, "%s is not trusted: no hook runs there, yours neither", c.o.Project)
}

// trustedBy reports whether the nearest entry at or above dir trusts it. The longest path wins,
// whatever its order in the file.
func trustedBy(doc *jsonc.Document, dir string) bool {
	best, trusted := -1, false
	for i, k := range doc.Root.Keys {
		base := filepath.Clean(k.Name)
		value := doc.Root.Items[i].Text
		// Such an entry is about the folder above the one that it names.
		if value == "TRUST_PARENT" {
			base = filepath.Dir(base)
		}
		if (dir == base || strings.HasPrefix(dir, strings.TrimSuffix(base, "/")+"/")) && len(base) > best {
			best, trusted = len(base), value != "DO_NOT_TRUST"
		}
	}
	return trusted
}
