package check

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// codexDialect: hooks.json as Claude Code's, strict JSON, timeouts in seconds.
// Source: runs of Codex 0.169.0.
func codexDialect() dialect {
	return dialect{
		gates: []string{"PreToolUse"}, commands: []string{"command"}, timeouts: []string{"timeout"},
		unit: secondsUnit, standard: claudeDefaultTimeout, loud: true, matches: everything,
		broken: "Codex drops the whole file, and every call runs",
	}
}

func init() { checks["codex"] = checkCodex }

// checkCodex looks at hooks.json, at the trust that Codex keeps per hook, and at what
// turns hooks off.
//
// Codex itself is asked which hooks it trusts, since only Codex can work out the hash. Where it
// cannot be asked, config.toml is read, which tells less.
func checkCodex(c *checker) {
	dir := machine.InHome("CODEX_HOME", ".codex")
	var user string
	if dir != "" {
		user = filepath.Join(dir, "hooks.json")
	}
	d := codexDialect()
	// A project's hooks.json counts for Codex as well, once it is trusted.
	files := c.hookFiles(d, hookFile{path: user}, hookFile{path: filepath.Join(c.o.Project, ".codex", "hooks.json"), project: true})
	config, path, err := install.ReadCodexConfig(dir)
	// Codex is started once, and only when there is a hook to ask about.
	ask := sync.OnceValues(func() ([]install.CodexHook, error) { return c.o.CodexHooks(c.r.Program, dir, c.o.Project) })
	if !c.installedHooks(d, files, func(f *hookFile, h foundHook) {
		switch why, _ := install.Ungated("codex", c.r.Version); {
		case why != "": // no hook runs, trusted or not
		case !install.CodexTrusts(c.r.Version):
			c.add(OK, "hook trust", "", "Codex %s runs hooks without being told to trust them; one from %s on does not", c.r.Version, install.CodexTrustsFrom)
		case c.r.Program == "" || c.o.Quick || !c.codexAsked(ask, f, h):
			c.codexTrust(config, f, h)
		}
	}) {
		return
	}
	c.ungated()
	if err != nil {
		c.add(Warn, "settings", "correct the file by hand", "cannot tell what is in %s: %v", path, err)
	}
	for _, name := range []string{"hooks", "codex_hooks"} {
		if v, ok := config.Features[name].(bool); ok && !v {
			c.add(Fail, "settings", "remove that line from "+path, "%s has %s = false under [features]: no hook runs, and nothing is asked", path, name)
		}
	}
	// The word alone is looked for: what an administrator's file says in full, Codex knows.
	if text, err := machine.ReadBounded("/etc/codex/requirements.toml", maxRC); err == nil && strings.Contains(string(text), "allow_managed_hooks_only") {
		c.add(Warn, "settings", "ask the administrator", "/etc/codex/requirements.toml names allow_managed_hooks_only: hooks of users may not run")
	}
	// It is a limit of Codex, told in every report, because no setting mends it.
	c.add(Warn, "write_stdin", "", "what is typed into a terminal session that already runs is never asked about")
	hooksOff := func(v string) bool { return v == "hooks" || v == "codex_hooks" }
	c.started(silencer{flag: "--disable", value: hooksOff},
		silencer{flag: "-c", value: func(v string) bool { return strings.Contains(v, "features.hooks=false") }})
}

// codexAsked reports what Codex itself says of the hook h of f; false when it says nothing. A
// hook is known by its file and place, as Codex knows it.
func (c *checker) codexAsked(ask func() ([]install.CodexHook, error), f *hookFile, h foundHook) bool {
	hooks, err := ask()
	if err != nil {
		c.add(Warn, "hook trust", "", "Codex does not tell which hooks it trusts: %v", err)
		return false
	}
	// Codex's key begins with the file, which it may name by another path.
	place := fmt.Sprintf(":%s:%d:%d", install.SnakeCase(h.event), h.group, h.handler)
	for _, k := range hooks {
		if !strings.HasSuffix(k.Key, place) || !machine.SameFile(k.SourcePath, f.path) {
			continue
		}
		switch {
		case k.Runs():
			c.add(OK, "hook trust", "", "Codex says that it is %s", k.TrustStatus)
		case !k.Enabled:
			c.add(Fail, "hook trust", codexTrustCure, "%s is switched off: Codex skips it without a word, and every call runs", k.Key)
		// Untrusted, or trusted in an earlier form.
		default:
			c.add(Fail, "hook trust", codexTrustCure, "Codex says that it is %s: it skips it without a word, and every call runs", k.TrustStatus)
		}
		return true
	}
	c.add(Fail, "hook trust", codexTrustCure, "Codex does not see the hook at all: every call runs")
	return true
}

const codexTrustCure = "aoctl install codex --trust, or start codex and trust the hook with /hooks"

// codexTrust looks whether Codex was told to trust the hook h of f. Codex also compares a
// hash of the hook's definition, which only Codex can work out. An OK here is weaker than Codex's
// own word, and says so.
func (c *checker) codexTrust(config install.CodexConfig, f *hookFile, h foundHook) {
	key := fmt.Sprintf("%s:pre_tool_use:%d:%d", f.path, h.group, h.handler)
	state, _ := config.Hooks["state"].(map[string]any)
	entry, _ := state[key].(map[string]any)
	// config.toml is the user's, and any of it may have another type than Codex writes.
	hash, _ := entry["trusted_hash"].(string)
	enabled, said := entry["enabled"].(bool)
	const cure = codexTrustCure
	switch {
	case said && !enabled:
		c.add(Fail, "hook trust", cure, "%s is switched off in config.toml: Codex skips it without a word", key)
	case hash == "":
		c.add(Fail, "hook trust", cure, "Codex does not trust %s: it skips it without a word, and every call runs", key)
	// Codex writes it in this form.
	case !strings.HasPrefix(hash, "sha256:"):
		c.add(Fail, "hook trust", cure, "the hash of %s in config.toml is none: %s", key, machine.Shorten(hash))
	default:
		c.add(OK, "hook trust", "", "trusted as %s; a hook that was edited since is skipped: see /hooks in codex", machine.Shorten(hash[:min(len(hash), 15)]))
	}
}
