package check

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// cursorDialect: hooks.json in which all behind "//" on a line is cut away, timeouts in seconds.
// Source: the hook loader of @cursor/sdk 1.0.32, run with fake homes.
func cursorDialect() dialect {
	return dialect{
		gates: []string{"preToolUse"}, commands: []string{"command"}, timeouts: []string{"timeout"},
		unit: secondsUnit, standard: 60 * time.Second, failSafe: "failClosed", matches: everything,
		read: jsonc.CutSlashes, broken: "Cursor drops the whole file, and every call runs",
	}
}

func init() { checks["cursor"] = checkCursor }

// checkCursor looks at hooks.json and at what makes Cursor drop it. What voids the file is looked
// for only where a hook of ours stands in it.
func checkCursor(c *checker) {
	d := cursorDialect()
	files := c.hookFiles(d, hookFile{path: machine.InHome("", filepath.Join(".cursor", "hooks.json"))},
		hookFile{path: filepath.Join(c.o.Project, ".cursor", "hooks.json"), project: true},
		hookFile{path: "/etc/cursor/hooks.json"})
	if !c.installedHooks(d, files, func(_ *hookFile, h foundHook) { c.cursorGroup(h) }) {
		return
	}
	for _, f := range files {
		if f.doc != nil && hookline.Mentions(string(f.data)) {
			c.cursorFile(f)
		}
	}
	// A limit of Cursor, which no setting mends.
	c.add(Warn, "WriteShellStdin", "", "typing into a running shell is asked about without the text")
	c.started()
}

// cursorGroup: Cursor's payload is a here-document, which belongs to the last command.
func (c *checker) cursorGroup(h foundHook) {
	// In "a || b" without braces the payload goes to b.
	if l, ok := hookline.Read(h.command, "cursor"); ok && l.Guarded && !bytes.HasPrefix(bytes.TrimSpace([]byte(h.command)), []byte("{")) {
		c.add(Warn, "command", "put it in braces: { …; }", "without braces around it the client's standard input may be empty, and every call is refused")
	}
}

// cursorFile looks for what voids the file as a whole. The rules are those of install, which
// refuses to write into such a file.
func (c *checker) cursorFile(f *hookFile) {
	// Each thing that voids the file is told, so that one correction is enough.
	void := func(format string, args ...any) {
		c.add(Fail, "settings", "correct "+f.path+" by hand", format+": Cursor drops the whole file, and every call runs", args...)
	}
	v := f.doc.Root.Member("version")
	if n, err := strconv.Atoi(v.String()); v == nil || v.Kind != jsonc.NumberKind || err != nil || n < 1 {
		void(`no "version": 1`)
	}
	hooks := f.doc.Root.Member("hooks")
	if hooks == nil || hooks.Kind != jsonc.ObjectKind {
		return
	}
	for i, k := range hooks.Keys {
		if !slices.Contains(install.CursorEvents, k.Name) {
			void("it knows no event %q", machine.Shorten(k.Name))
		}
		for _, h := range hooks.Items[i].Children("") {
			install.CursorEntry(h, func(_ *jsonc.Node, format string, args ...any) { void(format, args...) })
		}
	}
}
