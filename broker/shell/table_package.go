package shell

import "strings"

const byName = "runs a package by name"

// packageRows are package managers and runners of packages.
func packageRows() map[string]spec {
	rows := map[string]spec{
		"npm":      npmRow(),
		"pnpm":     nodeManager(),
		"yarn":     nodeManager(),
		"yarnpkg":  nodeManager(),
		"corepack": {lax: true, whole: byName},
		"pip":      {lax: true, stop: true, exact: "--python= --proxy= --cert=", unsure: "--keyring-provider=", subs: pipSubs()},
		"uv": {
			lax: true, stop: true, exact: "--directory= --project= --config-file= --python= --index= --index-url= --default-index=",
			subs: map[string]spec{
				"run":  {stop: true, wraps: true, ok: "-qv --frozen --locked --no-sync --quiet --verbose --offline --no-dev --dev --all-extras --isolated --no-project --group= --extra=", exact: "--with= --with-requirements= --with-editable= --python= -p= --env-file= --directory= --project= --index= -m= --module= -s --script --gui-script --package=", ops: uvRunOps},
				"tool": {lax: true, stop: true, subs: map[string]spec{"run": {lax: true, whole: byName}, "install": {lax: true, whole: "installs programs"}}},
				"pip":  {lax: true, stop: true, subs: pipSubs()}, "x": {lax: true, whole: byName}, "publish": {lax: true}, "self": {lax: true, whole: "replaces itself"},
			},
		},
		"pipx":     {lax: true, stop: true, subs: map[string]spec{"run": {lax: true, whole: byName}, "runpip": {lax: true, whole: byName}}},
		"gem":      {lax: true, stop: true, exact: "--config-file=", subs: map[string]spec{"exec": {lax: true, whole: byName}, "open": {lax: true, whole: "opens an editor"}}},
		"composer": {lax: true, exact: "-d= --working-dir=", subs: map[string]spec{"exec": {lax: true, whole: "runs a program by its name"}, "global": {lax: true, whole: "works in another folder"}, "config": {lax: true, whole: "changes settings"}, "create-project": {lax: true, whole: byName}}},
		"conda":    {lax: true, stop: true, subs: map[string]spec{"run": {stop: true, wraps: true, ok: "-n= -p= --name= --prefix= --no-capture-output --live-stream -v", whole: "runs a program of another environment"}}},
		"rustup":   {lax: true, stop: true, subs: map[string]spec{"run": {stop: true, wraps: true, skip: 1, ok: "--install"}, "doc": {lax: true, whole: "opens a window"}}},
		"nix":      {lax: true, whole: "evaluates code and may run what it builds"},
		"nvm":      {lax: true, stop: true, subs: map[string]spec{"exec": {lax: true, whole: "runs a program of another environment"}, "run": {lax: true, whole: "runs code"}}},
	}
	rows["pip"] = spec{lax: true, stop: true, exact: "--python= --proxy= --cert=", unsure: "--keyring-provider=", subs: pipSubs()}
	rows["mamba"], rows["micromamba"] = rows["conda"], rows["conda"]
	same(rows, spec{lax: true, whole: byName}, "npx bunx uvx pnpx pkgx dlx npm-init create-react-app degit")
	same(rows, spec{lax: true, stop: true, subs: map[string]spec{"exec": {lax: true, stop: true, wraps: true, whole: "runs a program of another environment"}, "x": {lax: true, stop: true, wraps: true, whole: "runs a program of another environment"}, "run": {lax: true, whole: "runs a program of another environment"}, "shell": {lax: true, whole: "opens a shell"}}},
		"pyenv rbenv nodenv asdf mise rtx fnm volta jenv goenv")
	same(rows, spec{lax: true, code: "--run= --command= -c=", exact: "--expr= -E= -p= -i= --packages=", whole: "evaluates code and may run what it builds"}, "nix-shell nix-build nix-env nix-instantiate nix-store guix")
	return rows
}

// npmRow: npm takes its options before and after every subcommand.
func npmRow() spec {
	subs := map[string]spec{
		"config": {raw: configOps}, "c": {raw: configOps}, "pkg": {raw: configOps},
		"init": {raw: initOps}, "create": {raw: initOps}, "innit": {raw: initOps},
	}
	same(subs, spec{lax: true, ops: npmInstall}, "add i in install update up upgrade install-test it")
	same(subs, spec{lax: true}, `access audit cache ci clean-install cit completion dedupe ddp deprecate diff dist-tag doctor explain why find-dupes fund help
		install-ci-test install-test it ll la list ls login logout ping pack prefix profile prune publish query r rb rebuild remove restart rm root run run-script rum
		sbom search s se find shrinkwrap star stop start t tst test team token un uninstall unlink unpublish up update upgrade v version view info show whoami outdated org owner get`)
	return spec{
		lax:    true,
		ok:     "-w= --workspace= --loglevel= --omit= --include= --tag= --access= --otp= --depth= --cache= --save-prefix= --scope=",
		exact:  "-C= --prefix= --registry= --location= -g --global --call= -c= --package= -p",
		unsure: "--script-shell= --shell= --userconfig= --globalconfig= --node-options= --git= --editor= --viewer= --browser= --init-module= --onload-script=",
		subs:   subs, other: "it may run a package by its name or change settings",
	}
}

// npmInstall: a package by its address runs whatever lies there.
func npmInstall(c *call) {
	for _, w := range c.words {
		if strings.Contains(w.text, ":") || strings.Contains(w.text, "/") && w.text[0] != '@' && w.text[0] != '.' {
			c.exactf("%s takes a package from an address", c.name)
		}
	}
}

// configOps: reading settings is harmless.
func configOps(c *call) {
	if len(c.words) > 0 && c.words[0].known && (c.words[0].text == "get" || c.words[0].text == "list" || c.words[0].text == "ls") {
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
var usualScripts = set(`build dev start test lint format fmt typecheck type-check types check e2e coverage preview serve clean
	storybook docs release ci fix generate codegen bench watch validate verify unit integration compile bundle prepare`)

func nodeManager() spec {
	subs := map[string]spec{
		"config": {raw: configOps}, "c": {raw: configOps}, "create": {lax: true, whole: byName}, "init": {raw: initOps},
		"exec": {lax: true, stop: true, wraps: true, whole: "runs a program by its name"}, "dlx": {lax: true, whole: byName}, "node": {lax: true, whole: "runs code"},
		"set": {lax: true, whole: "changes settings"}, "env": {lax: true, whole: "changes settings"}, "plugin": {lax: true, whole: "loads code"}, "global": {lax: true, whole: "installs programs"},
	}
	same(subs, spec{lax: true, ops: npmInstall}, "add install i up update upgrade")
	same(subs, spec{lax: true}, `ci audit why list ls ll outdated remove rm un uninstall run run-script info view pack publish version
		licenses login logout whoami workspaces dedupe store prune rebuild rb fetch import cache help bin root approve-builds ignored-builds constraints t tst`)
	return spec{
		lax: true, ok: "-F= --filter= --reporter= --loglevel= --depth=",
		exact:  "-C= --dir= --cwd= --prefix= --registry= -g --global --use-yarnrc= --modules-folder=",
		unsure: "--script-shell= --userconfig= --globalconfig= --node-options= --config.script-shell= --pnpmfile= --global-pnpmfile=",
		ops:    nodeManagerOps, subs: subs,
	}
}

func nodeManagerOps(c *call) {
	if len(c.rest) == 0 {
		return
	}
	name := c.rest[0].text
	if _, known := c.subs[name]; !known && !usualScripts[name] && !strings.Contains(name, ":") {
		c.exactf("%s runs a script or a program by that name", c.name)
	}
}

func pipSubs() map[string]spec {
	install := spec{
		lax: true, ok: "-U --upgrade-strategy= --no-binary= --only-binary= --platform= --python-version=", read: "-r= --requirement= -c= --constraint=", write: "-t= --target= -d= --dest= -w= --wheel-dir= --report= --root= --prefix= --src=",
		exact: "-i= --index-url= --extra-index-url= -f= --find-links= --trusted-host= --config-settings= -C= --global-option= --build-option= --install-option= --log= --proxy= --cert= --client-cert=", unsure: "--python=", ops: pipInstall,
	}
	return map[string]spec{"install": install, "download": install, "wheel": install, "config": {raw: configOps}, "sync": install, "compile": install}
}

// pipInstall: a package from an address runs whatever lies there.
func pipInstall(c *call) {
	for _, w := range c.rest {
		if strings.Contains(w.text, "://") || strings.Contains(w.text, "git+") || strings.Contains(w.text, "@") {
			c.exactf("pip installs a package from an address")
		}
	}
}

func uvRunOps(c *call) {
	if len(c.rest) == 0 || c.rest[0].text == "-" {
		c.exactf(fromStdin, c.name)
	}
	if len(c.rest) > 0 && (strings.HasSuffix(c.rest[0].text, ".py") || strings.Contains(c.rest[0].text, "://")) {
		c.m.wrapper, c.m.runs = "", nil
		c.reads(c.rest[0])
		if strings.Contains(c.rest[0].text, "://") {
			c.exactf("uv run runs code from elsewhere")
		}
	}
}
