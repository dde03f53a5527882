package command

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// byName is the reason for what fetches a package and runs it, in one step.
const byName = "runs a package by name"

// npmOptions: every setting of npm and pnpm is an option as well, also those for one
// registry or one scope of packages.
func npmOptions(c *call) {
	for _, w := range c.words {
		name, _, _ := strings.Cut(strings.ToLower(w.Text), "=")
		if strings.HasPrefix(name, "--") && (strings.Contains(name, ":") || strings.HasSuffix(name, "proxy")) {
			c.exactf("%s takes packages from elsewhere", c.name)
		}
		if strings.HasPrefix(name, "--config.") {
			c.unsuref("%s is given a setting, which may run another program", c.name)
		}
	}
	npmNegated(c)
	if slices.ContainsFunc(c.values("-w", "--workspace", "--cache", "-F", "--filter"), elsewhereIn) {
		c.exactf("%s works outside of its folder", c.name)
	}
}

// npmSwitches are options of npm and pnpm that are on or off.
var npmSwitches = wordset.New(`audit fund optional save save-exact save-dev save-prod save-peer save-optional save-bundle bin-links progress package-lock
	package-lock-only update-notifier color colors workspaces include-workspace-root dry-run ignore-scripts engine-strict foreground-scripts git-tag-version
	shrinkwrap unicode usage prefer-offline prefer-online offline install-links commit-hooks strict-peer-deps legacy-peer-deps force json long
	parseable timing description if-present production dev prefer-dedupe rebuild-bundle sign-git-commit sign-git-tag provenance lockfile
	frozen-lockfile hoist shamefully-hoist verify-store-integrity format-package-lock read-only emoji bail sort stream verify workspace-root`)

// npmNegated: behind --no- npm takes a value all the same, and a value of a switch is a word
// of its own: --json=exec is the subcommand exec.
func npmNegated(c *call) {
	for _, w := range c.words {
		if w.Text == "--" {
			return
		}
		name, value, has := strings.Cut(strings.ToLower(w.Text), "=")
		bare := strings.TrimPrefix(name, "--")
		for strings.HasPrefix(bare, "no-") {
			bare = bare[len("no-"):]
		}
		switch {
		case !strings.HasPrefix(name, "--"):
		case npmSwitches.Has(bare):
			if has && value != "true" && value != "false" {
				c.exactf("%s takes the value of a switch for a word of its own", c.name)
			}
		case "--"+bare != name:
			c.exactf("%s takes a value behind --no- too", c.name)
		}
	}
}

// projectTools are tools that a JavaScript project brings along, all with rows of their own.
var projectTools = wordset.New("tsc eslint prettier jest vitest mocha stylelint")

// npxOps: what may run through npx is for a rule that names it. One may leave the words of a
// project's tool open, as long as they make that tool run nothing else: "npx eslint *" is such
// a rule, as two words name it.
func npxOps(c *call) {
	if len(c.words) == 0 || !projectTools.Has(c.words[0].Text) {
		return
	}
	m := Inspect(c.words)
	c.Files = m.Files
	// "npx eslint" with any words is then no more than eslint is.
	if m.Exact == "" && m.Unsure == "" {
		c.Named = 2
	}
}

// scriptWords: a script hands the words after its name to the program in it.
func scriptWords(c *call) {
	begun := c.subs == nil
	for _, w := range c.words {
		if !begun {
			begun = w.Text == c.rest[0].Text
			continue
		}
		name, value, has := strings.Cut(w.Text, "=")
		if runsSomething(name) || has && runsSomething("--"+name) || w.Text == "-r" || faraway(w) || faraway(tail(w, value)) {
			c.exactf("%s hands options to a program that may run something", c.name)
		}
	}
}

// npmInstall: a package by its address runs whatever lies there.
func npmInstall(c *call) {
	for _, w := range c.words {
		if faraway(w) {
			c.exactf("%s installs a package from a folder outside of this one", c.name)
		}
		// "@scope/name" is a package and "./name" a folder; "user/name" is fetched from GitHub.
		if strings.Contains(w.Text, ":") || strings.Contains(w.Text, "/") && w.Text[0] != '@' && w.Text[0] != '.' {
			c.exactf("%s takes a package from an address", c.name)
		}
	}
}

// readSetting: some settings are passwords.
func readSetting(c *call) {
	for _, w := range c.words {
		low := strings.ToLower(w.Text)
		if holds(low, "auth", "token", "password") {
			c.exactf("%s shows a password", c.name)
		}
	}
}

// configOps: reading settings is harmless.
func configOps(c *call) {
	readSetting(c)
	if sub := textAt(c.words, 0); sub == "get" || sub == "list" || sub == "ls" {
		return
	}
	c.exactf("%s changes settings", c.name)
}

// initOps: npm init NAME is npx create-NAME; without a name it asks a few questions.
func initOps(c *call) {
	if len(c.words) > 0 {
		c.exactf("%s %s", c.name, byName)
	}
}

// usualScripts are names that projects give to scripts of their own and that no
// installed program has. By any other name pnpm and yarn may run a program.
var usualScripts = wordset.New(`build dev start lint format fmt typecheck type-check types check e2e coverage preview serve clean
	storybook docs release ci fix generate codegen bench watch validate verify unit integration compile bundle prepare`)

// nodeManagerOps: pnpm and yarn take any first word, as a subcommand, a script of the project
// or an installed program, in that order.
func nodeManagerOps(c *call) {
	npmOptions(c)
	if len(c.rest) == 0 {
		return
	}
	name := c.rest[0].Text
	sub, known := c.subs[name]
	if known && sub.ops != nil && name != "add" && name != "install" && name != "i" || usualScripts.Has(name) {
		scriptWords(c)
	}
	if !known && !usualScripts.Has(name) && !strings.Contains(name, ":") {
		c.exactf("%s runs a script or a program by that name", c.name)
	}
}

// pipInstall: a package from an address runs whatever lies there.
func pipInstall(c *call) {
	if slices.ContainsFunc(c.values("-r", "--requirement", "-c", "--constraint"), faraway) {
		c.exactf("pip installs what a file outside of this folder says")
	}
	for _, w := range c.rest {
		if holds(w.Text, "://", "git+", "@") {
			c.exactf("pip installs a package from an address")
		}
		if faraway(w) {
			c.exactf("pip installs a package from a folder outside of this one")
		}
	}
}

// uvRunOps: uv run starts a program, or a file of Python, which is then no wrapper's command.
func uvRunOps(c *call) {
	program := c.operand(0)
	if program == "-" || len(c.rest) == 0 {
		c.exactf(fromStdin, c.name)
	}
	if url := strings.Contains(program, "://"); url || strings.HasSuffix(program, ".py") {
		c.Wrapper, c.Runs = "", nil
		c.reads(c.rest[0])
		if faraway(c.rest[0]) {
			c.exactf("uv run runs a program from outside of the project")
		}
		if url {
			c.exactf("uv run runs code from elsewhere")
		}
	}
}
