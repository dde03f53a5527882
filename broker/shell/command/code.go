package command

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Reasons that several interpreters share.
const (
	fromStdin  = "%s reads its program from standard input"
	atPrompt   = "can run anything from its prompt"
	statements = "runs statements that may do anything"
)

// scriptFile reads the first operand as a program; without one the program comes from
// standard input, unless it was given otherwise or only the version was asked for.
func scriptFile(c *call) {
	if len(c.rest) > 0 && c.rest[0].Text != "-" {
		c.reads(c.rest[0])
		if faraway(c.rest[0]) {
			c.exactf("%s runs a program from outside of the project", c.name)
		}
		if frameworks.Has(path.Base(c.rest[0].Text)) {
			framework(c, c.rest[1:])
		}
		return
	}
	if len(c.rest) > 0 || c.Exact == "" && !c.has("-v", "-V", "-h", "--version", "--help") {
		c.exactf(fromStdin, c.name)
	}
}

// frameworks are programs that a framework puts into a project, with many subcommands.
var frameworks = wordset.New("manage.py artisan console rails wp wp-cli.phar craft spark yii occ")

// atCode are subcommands of those that run code or statements.
var atCode = wordset.New("shell shell_plus dbshell tinker runscript db serve runserver console runner dbconsole eval eval-file")

// framework judges the words of such a program.
func framework(c *call, words []Word) {
	for i, w := range words {
		here := len(words) == 1 && (w.Text == "runserver" || w.Text == "serve") // for this machine alone
		if i < 2 && atCode.Has(w.Text) && !here {
			c.exactf("%s can run code by its words, or opens a server to others", c.rest[0].Text)
		}
		if begins(w.Text, "--pythonpath", "--settings") {
			c.exactf("%s is given code to load", c.rest[0].Text)
		}
	}
	foreignWords(c.Meaning, words)
}

// phpOps: -f names the program, too. -i and -m only tell of php itself.
func phpOps(c *call) {
	if slices.ContainsFunc(c.values("-f", "--file"), faraway) {
		c.exactf("php runs a program from outside of the project")
	}
	if len(c.rest) > 0 || !c.has("-f", "--file", "-i", "-m") {
		scriptFile(c)
	}
}

// codeModules are modules of Python that run what their own words say.
var codeModules = wordset.New("timeit pdb code profile cProfile trace runpy idlelib asyncio bdb doctest webbrowser IPython ptpython http.server smtpd smtplib ftplib telnetlib zipapp ensurepip zipfile tarfile pip._internal pydoc antigravity turtledemo jupyter notebook jupyterlab flask uvicorn gunicorn celery coverage django streamlit locust invoke nox tox pipx uv poetry twine build setuptools easy_install pre_commit ansible")

// pythonOps: "python -m pip" is pip, and so on; a module of one's own is like a script.
func pythonOps(c *call) {
	if anyHolds(c.values("-W"), ".") {
		c.exactf("%s -W imports a module", c.name)
	}
	modules := c.values("-m")
	if len(modules) == 0 {
		if len(c.rest) == 0 && !c.has("-V", "-h", "--version", "--help") {
			c.exactf(fromStdin, c.name) // -v does not stop it
		}
		scriptFile(c)
		return
	}
	switch name := modules[0].Text; {
	case codeModules.Has(name):
		c.exactf("python -m %s runs what its words say", name)
	case name == "pip" || name == "pytest":
		c.adopt(Inspect(append([]Word{literal(name)}, c.rest...)))
	case name == "json.tool" && len(c.rest) > 1:
		lastWritten(1)(c)
	default:
		c.farOperands()
	}
}

// pydocOps: a module is imported, which runs it, and so are all modules that -k looks through.
func pydocOps(c *call) {
	if c.has("-k", "-b", "-p", "-n") || len(c.rest) > 0 {
		c.exactf("pydoc runs the modules that it shows, and may open a server")
	}
	for _, w := range c.rest {
		name := path.Base(w.Text)
		module := strings.HasSuffix(name, ".py")
		switch {
		case module:
			c.reads(w)
		case strings.Contains(w.Text, "/"):
			c.readsTree(w)
		}
		if c.has("-w") && (module || !strings.Contains(w.Text, "/")) {
			c.writes(tail(w, strings.TrimSuffix(name, ".py")+".html"))
		}
	}
}

// nodeReporters come with node; any other name is a module that is loaded.
var nodeReporters = wordset.New("spec tap dot junit lcov")

// nodeOps: the test runner finds its files by itself.
func nodeOps(c *call) {
	for range c.values("--inspect", "--inspect-brk") {
		c.exactf("%s --inspect lets others run code at an address", c.name)
	}
	if anyBut(c.values("--test-reporter"), nodeReporters) {
		c.exactf("%s --test-reporter loads code", c.name)
	}
	if c.has("--test", "--run") && len(c.rest) == 0 {
		return
	}
	if c.operand(0) == "inspect" {
		c.exactf("%s %s", c.name, atPrompt)
	}
	scriptFile(c)
	if strings.Contains("/"+c.operand(0), "/node_modules/") {
		installed(c, c.rest)
	}
}

// installed judges the words of a program that a package brings along, as if it were called by its name.
func installed(c *call, words []Word) {
	name := path.Base(words[0].Text)
	name = strings.TrimSuffix(name, path.Ext(name))
	m := Inspect(append([]Word{literal(name)}, words[1:]...))
	c.adopt(m)
	if c.Runs, c.Scripts = append(c.Runs, m.Runs...), append(c.Scripts, m.Scripts...); len(m.Runs)+len(m.Scripts) > 0 {
		c.exactf("%s %s", c.name, handsOn)
	}
}

// denoRun: without a file, or with "-", the program comes from what it is fed.
func denoRun(c *call) {
	denoFiles(c)
	if len(c.rest) == 0 || c.rest[0].Text == "-" {
		c.exactf(fromStdin, c.name)
	}
}

// denoFiles: code from elsewhere may be anything tomorrow.
func denoFiles(c *call) {
	for i, w := range c.rest {
		code := i == 0 || !c.Stop
		if strings.Contains(w.Text, ":") || code && faraway(w) {
			c.exactf("%s runs code from elsewhere", c.name)
		}
		if code && !strings.Contains(w.Text, ":") {
			c.reads(w)
		}
	}
}

// promptIfAlone: with no words, bun, deno and their like open a prompt.
func promptIfAlone(c *call) {
	projectScript(c)
	if c.name == "deno" && strings.Contains(c.operand(0), ":") { // npm:x
		c.exactf("%s runs code from elsewhere", c.name)
	}
	if len(c.rest) == 0 && !c.has("-V", "-h", "--version", "--help") {
		c.exactf("%s %s", c.name, atPrompt)
	}
}

// projectScript is "run NAME": a script of the project, or a file. What the script does is in
// the project's own files, which a person can read; an address or a far path is not.
func projectScript(c *call) {
	if len(c.rest) > 0 && (c.rest[0].Text == "-" || strings.Contains(c.rest[0].Text, "://") || faraway(c.rest[0])) {
		c.exactf("%s runs code from elsewhere", c.name)
	}
}

// swiftOps: swift build and its like can be sent elsewhere, or be given options for the
// compiler and the linker.
func swiftOps(c *call) {
	compilerDriver("build test run package")(c)
	if len(c.rest) == 0 {
		return
	}
	if anyBegins(c.rest[1:], "--package-path", "-X", "--allow-", "plugin", "--disable-sandbox", "--toolchain", "--toolset", "--sdk", "--scratch-path", "--build-path", "--swift-sdk") {
		c.exactf("swift is given an option that can do more than the rest of the command says")
	}
	if c.rest[0].Text == "repl" || c.rest[0].Text == "script" {
		c.exactf("swift %s", atPrompt)
	}
}

// compilerDriver is a program whose subcommands are harmless and which otherwise runs
// the file that it is given.
func compilerDriver(subs string) func(*call) {
	names := wordset.Map(subs)
	return func(c *call) {
		if !names[c.operand(0)] {
			scriptFile(c)
		}
	}
}

// tsNodeOps: settings may name files of code to load first.
func tsNodeOps(c *call) {
	farSettings(c, "-P", "--project", "--tsconfig")
	scriptFile(c)
}

// farSettings doubts a file of settings that is no part of the project: it may name code to
// load.
func farSettings(c *call, options ...string) {
	if slices.ContainsFunc(c.values(options...), faraway) {
		c.exactf("%s takes its settings from outside of the project", c.name)
	}
}

// tsxOps: tsx is node with TypeScript, and "tsx watch" runs the same again and again.
func tsxOps(c *call) {
	farSettings(c, "--tsconfig")
	if len(c.rest) > 1 && c.rest[0].Text == "watch" {
		c.rest = c.rest[1:]
	}
	nodeOps(c)
}

// editorOps: an editor waits for a person, and most can run programs.
func editorOps(c *call) {
	if len(c.words) == 1 && (c.words[0].Text == "--version" || c.words[0].Text == "--help") {
		return
	}
	c.exactf("%s is an editor, which waits for keys and can run programs", c.name)
	for _, w := range c.rest {
		if strings.HasPrefix(w.Text, "+") {
			if !integer().MatchString(w.Text) && w.Text != "+" {
				c.unsuref("%s is given a command to start with", c.name)
			}
			continue
		}
		c.writes(w)
	}
}
