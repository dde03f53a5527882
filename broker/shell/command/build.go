package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// compilerOps: @file holds further options. The names of a compiler's options are open at the
// end, so they are found by how they begin; whatever starts another program or loads a plugin
// is unsure, and whatever writes beside -o is exact.
func compilerOps(c *call) {
	for _, w := range c.words {
		switch {
		case strings.HasPrefix(w.Text, "@"):
			c.unsuref("%s reads options from a file", c.name)
		case begins(w.Text, "-J", "-Xplugin", "--config", "--ld-path", "-shell-escape"), w.Text == "-cc1":
			c.unsuref("%s is given a program or a plugin to run", c.name)
		case begins(w.Text, "-Wp,-M", "-fdump-", "-fcallgraph", "-fprofile-dir", "-dump", "-save-temps="), writesBesides().MatchString(w.Text), c.name == "rustc" && w.Text == "--extern":
			c.exactf("%s reads or writes more files than it seems", c.name)
		case begins(w.Text, "-B", "-fplugin", "-specs", "--specs", "-fuse-ld") || strings.Contains(w.Text, "-plugin"):
			c.unsuref("%s is given a program or a plugin to run", c.name)
		case begins(w.Text, "-Wl,", "-Wa,", "-Wp,"):
			passOn(c, w)
		case strings.HasPrefix(w.Text, "-T") && !strings.HasPrefix(w.Text, "-Ttext") && !strings.HasPrefix(w.Text, "-Tdata") && !strings.HasPrefix(w.Text, "-Tbss"):
			c.unsuref("%s is given a script for the linker", c.name)
		case strings.HasPrefix(w.Text, "-o"):
			c.writes(tail(w, w.Text[2:]))
		case strings.HasPrefix(w.Text, "-MF"):
			c.writes(tail(w, w.Text[3:]))
		}
	}
	readAll(c)
}

// makeOps: a variable of the command line beats the one in the file, whatever runs it. A number
// in one, as in V=1, names no program.
func makeOps(c *call) {
	if slices.ContainsFunc(c.values("-C", "--directory"), outside) {
		c.exactf("make -C works in another folder")
	}
	for _, w := range c.rest {
		name, value, found := strings.Cut(w.Text, "=")
		name = strings.TrimRight(name, ":+?!")
		switch {
		case !found:
		case isSwitch(w) && !strings.HasPrefix(name, "MAKE") && name != "SHELL": // V=1
		case name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKEFLAGS" || name == "MAKE" || strings.ContainsAny(name, "$!") || holds(value, "$(", "${") || strings.Contains(w.Text, "!="):
			c.unsuref("make is given a variable that decides what runs")
		default:
			c.exactf("make is given a variable, which may decide what runs")
		}
	}
}

// toolchain is the name of a compiler that rustup would fetch from its makers; others may be a
// folder.
var toolchain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\+(stable|beta|nightly|[0-9]+\.[0-9.]+)(-[0-9]{4}-[0-9]{2}-[0-9]{2})?$`)
})

// cargoOps: +NAME before all else chooses among the installed compilers. It is no option to the
// grammar and is taken off before the words are told apart.
func cargoOps(c *call) {
	if strings.HasPrefix(textAt(c.words, 0), "+") {
		if !toolchain().MatchString(c.words[0].Text) {
			c.exactf("cargo is given a compiler of an unusual name")
		}
		c.words = c.words[1:]
	}
	c.parse()
	c.sub(c.rest)
	cargoWords(c)
}

// cargoWords: what follows -- goes to a compiler or to a program of the project.
func cargoWords(c *call) {
	if len(c.rest) == 0 {
		return
	}
	compiles := c.rest[0].Text == "rustc" || c.rest[0].Text == "clippy" || c.rest[0].Text == "rustdoc" || c.rest[0].Text == "fix"
	behind, target := false, false
	for _, w := range c.rest {
		behind = behind || w.Text == "--"
		if behind && compiles && begins(w.Text, "-C", "--codegen", "-Z", "-L", "--extern", "-o", "--out", "@") {
			c.unsuref("cargo hands options to the compiler that may run a program")
		}
		if !behind && (w.Text == "--target-dir" || strings.HasPrefix(w.Text, "--target-dir=")) && c.rest[0].Text == "clean" {
			c.exactf("cargo clean removes another folder")
		}
		if faraway(w) || strings.HasPrefix(w.Text, "-") && elsewhereIn(tail(w, afterEquals(w.Text))) {
			c.exactf("cargo is given a file outside of its folder")
		}
		if !behind && (strings.HasPrefix(w.Text, "--target=") || w.Text == "--target") {
			target = true
		}
		if target && strings.HasSuffix(w.Text, ".json") {
			c.exactf("cargo is given a target by its file, which may name a linker")
		}
		if !behind && (w.Text == "--open" || begins(w.Text, "--config-file", "--tool-config-file", "--archive-file")) {
			c.exactf("cargo is given an option that can do more than the rest of the command says")
		}
	}
}

// farOptions: a folder elsewhere holds somebody else's build, whose files say what runs.
func farOptions(c *call) {
	for _, w := range c.words {
		// "cmake .." is how everybody calls it.
		up := w.Text == ".." // from a folder for the build to the sources
		if !up && (faraway(w) || faraway(tail(w, afterEquals(w.Text)))) {
			c.exactf("%s works in another folder", c.name)
		}
	}
}

// cmakeOps: many variables name programs that run, or files of code.
func cmakeOps(c *call) {
	farOptions(c)
	for _, w := range c.values("-D") {
		name, _, _ := strings.Cut(strings.ToUpper(w.Text), "=")
		if holds(name, "COMPILER", "LAUNCHER", "INCLUDE", "TOOLCHAIN", "COMMAND", "EXECUTABLE", "PROGRAM", "LINKER", "EMULATOR", "RULE", "SHELL", "MODULE_PATH", "PREFIX_PATH", "_DIR", "FLAGS") {
			c.exactf("cmake is given a variable that may decide what runs")
		}
	}
	if c.ended {
		c.exactf("cmake hands options to the tool that builds")
	}
}

// dotnetOps: some properties name files of code, or programs. msbuild takes / for a dash and
// does not mind capitals.
func dotnetOps(c *call) {
	for _, w := range c.words {
		text := strings.ToLower(strings.TrimLeft(w.Text, "-/"))
		property, isProperty := strings.CutPrefix(text, "p:")
		if !isProperty {
			property, isProperty = strings.CutPrefix(text, "property:")
		}
		if isProperty && holds(property, "path", "targets", "props", "tool", "exe", "before", "after", "import", "dir", "event", "x=") {
			c.exactf("dotnet is given a property that may run something")
		}
		if faraway(w) || strings.HasPrefix(w.Text, "-") && elsewhereIn(w) || strings.HasPrefix(w.Text, "@") || begins(text, "logger:", "l:", "bl:") {
			c.exactf("dotnet is given files or options from elsewhere")
		}
		for _, option := range []string{"--test-adapter-path", "--settings", "--diag", "--logger", "--collect", "--source", "-s", "-o", "--output", "--results-directory"} {
			if w.Text == option || strings.HasPrefix(w.Text, option+":") || strings.HasPrefix(w.Text, option+"=") {
				c.exactf("dotnet is given an option that loads code or writes elsewhere")
			}
		}
	}
	if len(c.rest) > 0 && !dotnetOwn.Has(c.rest[0].Text) && !strings.HasSuffix(c.rest[0].Text, ".dll") {
		c.exactf("an unknown subcommand of dotnet may be another program")
	}
}

// dotnetOwn are subcommands of dotnet itself; any other runs dotnet-NAME, or a file.
var dotnetOwn = wordset.New("build test run restore clean format publish pack list add remove new sln workload help watch msbuild")

// pytestOps: options may stand in a file; a report may go elsewhere.
func pytestOps(c *call) {
	farTestOps(c)
	if anyHolds(c.values("--cov-report"), ":") {
		c.exactf("pytest writes a report to a folder")
	}
}

// jvmOps: some properties name a program or a file of settings. One function serves ant,
// gradle, Maven and sbt; where they differ it asks for the name.
func jvmOps(c *call) {
	for _, w := range c.words {
		text := strings.ToLower(w.Text)
		switch {
		case c.name == "sbt" && strings.HasPrefix(text, "!"), begins(text, "antrun:", "dependency:get", "--gradle-distribution-url"), strings.Contains(text, ":") && strings.Contains(strings.SplitN(text, ":", 2)[0], "."):
			c.exactf("%s runs something that its words name", c.name)
		case c.name == "ant" && strings.HasPrefix(w.Text, "-Dbasedir"):
			c.exactf("ant works in another folder")
		case strings.HasPrefix(w.Text, "-I"):
			c.unsuref("%s is given a script to start with", c.name)
		case jvmGlued(c, w.Text):
			c.exactf("%s is given an option that may name another folder or a file of settings", c.name)
		case strings.HasPrefix(w.Text, "-D") && holds(text, "exec", "jvm", "argline", "multimoduleproject", "repo.local", "java.home", "javahome", "settings", "ext.class.path", "init"):
			c.unsuref("%s is given a property that may run a program", c.name)
		case c.name == "sbt" && begins(text, "-j", "-sbt-", "--sbt-"):
			c.unsuref("sbt is given code to load")
		case c.name == "sbt" && (begins(text, "eval", "set ", "apply") || text == "set"):
			c.exactf("sbt runs code given on the command line")
		case strings.HasPrefix(text, "exec:"), strings.HasPrefix(c.name, "mvn") && text[:min(1, len(text))] != "-" && strings.Count(text, ":") > 1:
			c.exactf("%s runs a program by its name", c.name)
		case strings.HasPrefix(w.Text, "-D") && (elsewhereIn(w) || strings.Contains(text, "classpath")):
			c.exactf("%s is given a property that names a file outside of its folder, or code", c.name)
		case text == "--scan" || text == "-scan":
			c.exactf("%s sends what it did to the network", c.name)
		}
	}
}

// vmSetting are settings of the machine that are on, off or a number.
var vmSetting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-XX:([+-][A-Za-z0-9]+|[A-Za-z0-9]+=[0-9.]+[kKmMgGtT]?)$`)
})

// jvmGlued reports whether a word is an option with its value behind its letter, as in -psub,
// or the beginning of the name of one that does more than a flag.
func jvmGlued(c *call, text string) bool {
	// A known option, or one of the flags below, is read by the row. The rest may be a letter
	// with its value, or a name cut short.
	name, _, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
	known := c.list.byName
	if text[:min(1, len(text))] != "-" || len(name) < 2 || known["-"+name].name != "" || jvmFlags.Has(name) {
		return false
	}
	letters := ""
	switch {
	case strings.HasPrefix(c.name, "gradle"):
		letters = "bcgp"
	case strings.HasPrefix(c.name, "mvn"):
		letters = "sftlg"
		for long, o := range known {
			if strings.HasPrefix(long, "-"+name) && o.effect > reads {
				return true
			}
		}
	}
	return text[1] != '-' && strings.Contains(letters, name[:1])
}

// jvmFlags are options of gradle and Maven whose names begin with a letter that takes a value.
var jvmFlags = wordset.New(`build-cache configure-on-demand configuration-cache continue continuous console parallel priority profile project-prop
	fae ff fn fail-at-end fail-fast fail-never strict-checksums lax-checksums threads llr legacy-local-repository`)

// javaOps: java loads code from the path of classes, agents and files of options, and writes
// logs by -X options that no list of a row could hold.
func javaOps(c *call) {
	if slices.ContainsFunc(append(c.values("-cp", "-classpath", "--class-path", "-p", "-module-path", "-jar"), c.first()...), elsewhereIn) {
		c.exactf("java runs a program from outside of the project")
	}
	for _, w := range c.words {
		parts := strings.Split(w.Text, ":")
		if parts[0] == "-Xlog" && len(parts) > 2 && !strings.HasSuffix(w.Text, ":stdout") && !strings.HasSuffix(w.Text, ":stderr") {
			c.exactf("java -Xlog writes a file")
			c.writes(tail(w, strings.TrimPrefix(parts[2], "file=")))
		}
		if file, ok := strings.CutPrefix(w.Text, "-Xloggc:"); ok {
			c.exactf("java -Xloggc writes a file")
			c.writes(tail(w, file))
		}
		switch {
		case strings.HasPrefix(w.Text, "-Xlog:") && strings.Contains(w.Text, "file="), begins(w.Text, "@", "-agent", "-Xrun", "-javaagent", "-Xbootclasspath", "-XX:On", "-XX:Flags", "-XX:VMOptions"):
			c.unsuref("java is given code to load or options from a file")
		case strings.HasPrefix(w.Text, "-XX:") && !vmSetting().MatchString(w.Text):
			c.exactf("java -XX is given a setting that may name a file")
		}
	}
	if strings.HasSuffix(c.operand(0), ".java") {
		c.reads(c.rest[0])
	}
}

// formatOps: -i changes the files.
func formatOps(c *call) {
	c.files(c.rest, File{Write: c.has("-i")})
}

// prettierOps: it descends into folders, and changes what it finds only with --write.
func prettierOps(c *call) {
	c.files(c.rest, File{Write: c.has("-w", "--write"), Tree: true})
}
