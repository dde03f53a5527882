package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

const byName = "runs a package by name"

// packageRows are package managers and runners of packages.
func packageRows() map[string]spec {
	rows := map[string]spec{
		"npm":      npmRow(),
		"pnpm":     nodeManager(),
		"yarn":     nodeManager(),
		"yarnpkg":  nodeManager(),
		"corepack": {lax: true, whole: byName},
		"pip":      {lax: true, stop: true, spill: "--log=", exact: "--python= --proxy= --cert=", unsure: "--keyring-provider=", subs: pipSubs()},
		"uv": {
			lax: true, stop: true, exact: "--directory= --project= --config-file= --python= --index= --index-url= --default-index=",
			subs: map[string]spec{
				"run":  {stop: true, wraps: true, ok: "-qv --frozen --locked --no-sync --quiet --verbose --offline --no-dev --dev --all-extras --isolated --no-project --group= --extra=", exact: "--with= --with-requirements= --with-editable= --python= -p= --env-file= --directory= --project= --index= -m= --module= -s --script --gui-script --package=", ops: uvRunOps},
				"tool": {lax: true, stop: true, subs: map[string]spec{"run": {lax: true, whole: byName}, "install": {lax: true, whole: "installs programs"}, "uvx": {lax: true, whole: byName}}},
				"pip":  {lax: true, stop: true, subs: pipSubs()}, "export": {lax: true, spill: "-o= --output-file="}, "auth": {lax: true, whole: "shows or changes keys"}, "lock": {lax: true, exact: "--index-url= --index= --default-index= --extra-index-url="}, "x": {lax: true, whole: byName}, "publish": {lax: true}, "self": {lax: true, whole: "replaces itself"},
			},
		},
		"pipx":     {lax: true, stop: true, subs: map[string]spec{"inject": {lax: true, whole: "installs programs"}, "run": {lax: true, whole: byName}, "runpip": {lax: true, whole: byName}}},
		"gem":      {lax: true, stop: true, exact: "--config-file=", other: "an unknown subcommand may be a plugin", subs: gemSubs(map[string]spec{"server": {lax: true, whole: "opens a server"}, "exec": {lax: true, whole: byName}, "open": {lax: true, whole: "opens an editor"}})},
		"composer": {lax: true, exact: "-d= --working-dir=", subs: map[string]spec{"exec": {lax: true, whole: "runs a program by its name"}, "global": {lax: true, whole: "works in another folder"}, "config": {lax: true, whole: "changes settings"}, "create-project": {lax: true, whole: byName}}},
		"conda":    {lax: true, stop: true, subs: map[string]spec{"run": {stop: true, wraps: true, ok: "-n= -p= --name= --prefix= --no-capture-output --live-stream -v", whole: "runs a program of another environment"}}},
		"rustup":   {lax: true, stop: true, subs: map[string]spec{"toolchain": {lax: true, stop: true, subs: map[string]spec{"list": {lax: true}}, other: "changes which compiler runs"}, "override": {lax: true, whole: "changes which compiler runs"}, "default": {lax: true, whole: "changes which compiler runs"}, "self": {lax: true, whole: "replaces itself"}, "set": {lax: true, whole: "changes settings"}, "run": {stop: true, wraps: true, skip: 1, ok: "--install"}, "doc": {lax: true, whole: "opens a window"}}},
		"nix":      {lax: true, whole: "evaluates code and may run what it builds"},
		"nvm":      {lax: true, stop: true, subs: map[string]spec{"exec": {lax: true, whole: "runs a program of another environment"}, "run": {lax: true, whole: "runs code"}}},
	}
	rows["pip"] = spec{lax: true, stop: true, spill: "--log=", exact: "--python= --proxy= --cert=", unsure: "--keyring-provider=", subs: pipSubs()}
	rows["mamba"], rows["micromamba"] = rows["conda"], rows["conda"]
	rows["npx"] = spec{whole: byName, raw: npxOps}
	same(rows, spec{lax: true, whole: byName}, "bunx uvx pnpx pkgx dlx npm-init create-react-app degit")
	same(rows, spec{lax: true, stop: true, subs: map[string]spec{"exec": {lax: true, stop: true, wraps: true, whole: "runs a program of another environment"}, "x": {lax: true, stop: true, wraps: true, whole: "runs a program of another environment"}, "plugin": {lax: true, whole: "installs code"}, "trust": {lax: true, whole: "trusts the settings of a folder"}, "run": {lax: true, whole: "runs a program of another environment"}, "shell": {lax: true, whole: "opens a shell"}}},
		"pyenv rbenv nodenv asdf mise rtx fnm volta jenv goenv")
	same(rows, spec{lax: true, code: "--run= --command= -c=", exact: "--expr= -E= -p= -i= --packages=", whole: "evaluates code and may run what it builds"}, "nix-shell nix-build nix-env nix-instantiate nix-store nix-collect-garbage nix-channel guix")
	return rows
}

// gemSubs adds the subcommands of gem that do nothing else than they say.
func gemSubs(rows map[string]spec) map[string]spec {
	same(rows, spec{lax: true, exact: "--config-file= --target= -s= --source= --clear-sources --host= -i= --install-dir= -n= --bindir="}, `build cert check cleanup contents dependency environment fetch generate_index help info
		install list lock mirror outdated owner pristine push query rdoc search signin signout specification stale uninstall unpack update which yank`)
	rows["sources"] = spec{lax: true, exact: "-a= --add= -r= --remove= -c --clear-all -p= --prepend= --append= -f --force --config-file="}
	return rows
}

// npmRow: npm takes its options before and after every subcommand.
func npmRow() spec {
	subs := map[string]spec{
		"config": {raw: configOps}, "c": {raw: configOps}, "pkg": {raw: configOps}, "get": {ops: readSetting},
		"init": {raw: initOps}, "create": {raw: initOps}, "innit": {raw: initOps},
	}
	same(subs, spec{lax: true, ops: npmInstall}, "add i in install update up upgrade install-test it cache diff pack publish") // they fetch a package by its address, too
	same(subs, spec{lax: true, ops: scriptWords}, "run run-script rum urn t tst test")
	same(subs, spec{lax: true, whole: "changes who may publish"}, "access team profile org trust")
	same(subs, spec{lax: true}, `audit ci clean-install cit completion dedupe ddp deprecate dist-tag doctor explain why find-dupes fund help
		install-ci-test ll la list ls login logout ping prefix prune query r rb rebuild remove restart rm root
		sbom search s se find shrinkwrap star stop start token un uninstall unlink unpublish v version view info show whoami outdated owner`)
	return spec{
		lax:    true,
		ok:     "-w= --workspace= --loglevel= --omit= --include= --tag= --access= --otp= --depth= --cache= --save-prefix= --scope=",
		spill:  "--logs-dir=",
		exact:  "--diff= --logs-max= --pack-destination= -C= --prefix= --registry= --cafile= --ca= --strict-ssl? --no-strict-ssl --location= -g --global --call= -c= --package= -p",
		unsure: "--script-shell= --shell= --userconfig= --globalconfig= --node-options= --git= --editor= --viewer= --browser= --node-gyp= --init-module= --onload-script=",
		subs:   subs, other: "it may run a package by its name or change settings", ops: npmOptions,
	}
}

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
	c.npmNegated()
	for _, w := range c.values("-w", "--workspace", "--cache", "-F", "--filter") {
		if elsewhereIn(w) {
			c.exactf("%s works outside of its folder", c.name)
		}
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
func (c *call) npmNegated() {
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

// npxOps: what may run through npx is for a rule that names it. One may leave the words
// of a project's tool open, as long as they make that tool run nothing else.
func npxOps(c *call) {
	if len(c.words) == 0 || !projectTools.Has(c.words[0].Text) {
		return
	}
	m := Inspect(c.words)
	c.m.Files = m.Files
	if m.Exact == "" && m.Unsure == "" {
		c.m.Named = 2
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
		if strings.Contains(w.Text, ":") || strings.Contains(w.Text, "/") && w.Text[0] != '@' && w.Text[0] != '.' {
			c.exactf("%s takes a package from an address", c.name)
		}
	}
}

// readSetting: some settings are passwords.
func readSetting(c *call) {
	for _, w := range c.words {
		low := strings.ToLower(w.Text)
		if strings.Contains(low, "auth") || strings.Contains(low, "token") || strings.Contains(low, "password") {
			c.exactf("%s shows a password", c.name)
		}
	}
}

// configOps: reading settings is harmless.
func configOps(c *call) {
	readSetting(c)
	if len(c.words) > 0 && (c.words[0].Text == "get" || c.words[0].Text == "list" || c.words[0].Text == "ls") {
		return
	}
	c.exactf("%s changes settings", c.name)
}

func initOps(c *call) {
	if len(c.words) > 0 {
		c.exactf("%s %s", c.name, byName)
	}
}

// usualScripts are names that projects give to scripts of their own and that no
// installed program has. By any other name pnpm and yarn may run a program.
var usualScripts = wordset.New(`build dev start lint format fmt typecheck type-check types check e2e coverage preview serve clean
	storybook docs release ci fix generate codegen bench watch validate verify unit integration compile bundle prepare`)

func nodeManager() spec {
	subs := map[string]spec{
		"config": {raw: configOps}, "c": {raw: configOps}, "create": {lax: true, whole: byName}, "init": {raw: initOps},
		"exec": {lax: true, stop: true, wraps: true, whole: "runs a program by its name"}, "dlx": {lax: true, whole: byName}, "node": {lax: true, whole: "runs code"},
		"set": {lax: true, whole: "changes settings"}, "env": {lax: true, whole: "changes settings"}, "plugin": {lax: true, whole: "loads code"}, "approve-builds": {lax: true, whole: "lets packages run scripts"}, "workspaces": {lax: true, stop: true, subs: map[string]spec{"foreach": {lax: true, whole: "runs a command in each part of the project"}, "run": {lax: true}, "list": {lax: true}, "info": {lax: true}}}, "workspace": {lax: true, stop: true, whole: "runs a script or a program of a part of the project"}, "global": {lax: true, whole: "installs programs"},
	}
	subs["pack"] = spec{lax: true}
	same(subs, spec{lax: true, ops: npmInstall}, "add install i up update upgrade")
	same(subs, spec{lax: true, ops: scriptWords}, "run run-script t tst test")
	same(subs, spec{lax: true}, `ci audit why list ls ll outdated remove rm un uninstall info view publish version
		licenses login logout whoami dedupe store prune rebuild rb fetch import cache help bin root ignored-builds constraints`)
	return spec{
		lax: true, ok: "-F= --filter= --reporter= --loglevel= --depth=",
		spill:  "--logs-dir= --store-dir= --virtual-store-dir= --state-dir= --cache-dir= --lockfile-dir= --global-dir= --global-bin-dir= --cache-folder= --mutex= --link-folder= --global-folder= --preferred-cache-folder=",
		exact:  "--scripts-prepend-node-path? --out= --pack-destination= -C= --dir= --cwd= --prefix= --registry= -g --global --use-yarnrc= --modules-folder=",
		unsure: "--npm-path= --use-node-version= --script-shell= --userconfig= --globalconfig= --node-options= --config.script-shell= --pnpmfile= --global-pnpmfile=",
		ops:    nodeManagerOps, subs: subs,
	}
}

func nodeManagerOps(c *call) {
	npmOptions(c)
	if len(c.rest) == 0 {
		return
	}
	name := c.rest[0].Text
	if c.subs[name].ops != nil && name != "add" && name != "install" && name != "i" || usualScripts.Has(name) {
		scriptWords(c)
	}
	if _, known := c.subs[name]; !known && !usualScripts.Has(name) && !strings.Contains(name, ":") {
		c.exactf("%s runs a script or a program by that name", c.name)
	}
}

func pipSubs() map[string]spec {
	look := spec{lax: true, spill: "--log=", exact: "--index-url= -i= --extra-index-url= --trusted-host= --path=", unsure: "--python="}
	install := spec{
		lax: true, ok: "-U --upgrade-strategy= --no-binary= --only-binary= --platform= --python-version=", read: "-r= --requirement= -c= --constraint=", write: "-t= --target= -d= --dest= -w= --wheel-dir= --report= --root= --prefix= --src=",
		exact: "-i= --index-url= --extra-index-url= -f= --find-links= --trusted-host= --config-settings= -C= --global-option= --build-option= --install-option= --log= --proxy= --cert= --client-cert=", unsure: "--python=", ops: pipInstall,
	}
	return map[string]spec{"install": install, "download": install, "wheel": install, "config": {raw: configOps}, "sync": install, "compile": pipCompile(install), "list": look, "freeze": look, "show": look, "index": look, "check": look, "inspect": look, "uninstall": {lax: true, read: "-r=", spill: "--log=", unsure: "--python="}}
}

func pipCompile(s spec) spec {
	s.spill = "-o= --output-file="
	return s
}

// pipInstall: a package from an address runs whatever lies there.
func pipInstall(c *call) {
	for _, w := range c.values("-r", "--requirement", "-c", "--constraint") {
		if faraway(w) {
			c.exactf("pip installs what a file outside of this folder says")
		}
	}
	for _, w := range c.rest {
		if strings.Contains(w.Text, "://") || strings.Contains(w.Text, "git+") || strings.Contains(w.Text, "@") {
			c.exactf("pip installs a package from an address")
		}
		if faraway(w) {
			c.exactf("pip installs a package from a folder outside of this one")
		}
	}
}

func uvRunOps(c *call) {
	if len(c.rest) == 0 || c.rest[0].Text == "-" {
		c.exactf(fromStdin, c.name)
	}
	if len(c.rest) > 0 && (strings.HasSuffix(c.rest[0].Text, ".py") || strings.Contains(c.rest[0].Text, "://")) {
		c.m.Wrapper, c.m.Runs = "", nil
		c.reads(c.rest[0])
		if faraway(c.rest[0]) {
			c.exactf("uv run runs a program from outside of the project")
		}
		if strings.Contains(c.rest[0].Text, "://") {
			c.exactf("uv run runs code from elsewhere")
		}
	}
}
