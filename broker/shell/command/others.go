package command

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// handsOn is the reason for programs that start another one in a way that Runs cannot say.
const handsOn = "runs a command that its words name"

// millerOps: the language of mlr runs and writes.
func millerOps(c *call) {
	if anyHolds(c.words, "system", "exec", "|", ">", "tee", "split", "emit1", "-f") {
		c.exactf("mlr may run a program or write a file")
	}
}

// paxOps: without -r and -w it lists the archive.
func paxOps(c *call) {
	if c.has("-r") || c.has("-w") {
		c.exactf("pax reads or writes files by the names in its archive")
	}
}

// protocOps: --NAME_out runs protoc-gen-NAME.
func protocOps(c *call) {
	for _, w := range c.words {
		name, _, _ := strings.Cut(w.Text, "=")
		if strings.HasSuffix(name, "_out") && !protocOwn.Has(name) {
			c.exactf("protoc runs a generator by its name")
		}
		if faraway(tail(w, afterEquals(w.Text))) {
			c.exactf("protoc writes outside of its folder")
		}
	}
	compilerOps(c)
}

// protocOwn are the languages that protoc writes by itself.
var protocOwn = wordset.New("--cpp_out --java_out --python_out --pyi_out --ruby_out --php_out --csharp_out --objc_out --kotlin_out --rust_out")

// rspecOps: a formatter that is a path is code.
func rspecOps(c *call) {
	for _, w := range c.values("-f", "--format") {
		if !identifier().MatchString(w.Text) {
			c.exactf("rspec -f loads a formatter")
		}
	}
	farTestOps(c)
}

// farTestOps: tests outside of the project are somebody else's code.
func farTestOps(c *call) {
	if slices.ContainsFunc(c.rest, faraway) || anyBegins(c.rest, "@") {
		c.exactf("%s runs tests from elsewhere", c.name)
	}
}

// farFileOps: formatters change the files that they are given.
func farFileOps(c *call) {
	if slices.ContainsFunc(c.rest, faraway) {
		c.exactf("%s may change files outside of its folder", c.name)
	}
}

// linterOps: golangci-lint has an output option for each format, and each may name a file.
func linterOps(c *call) {
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, "--output.") && strings.Contains(w.Text, "path") {
			c.exactf("golangci-lint writes a file")
		}
	}
}

// jarOps: jar makes, changes and unpacks archives, which its words name.
func jarOps(c *call) {
	if anyBegins(c.words, "@", "-J") || slices.ContainsFunc(c.words, faraway) {
		c.exactf("jar is given files or options from elsewhere")
	}
	writeAll(c)
}

// xcrunOps: with these options it tells where a tool lies, in place of running it.
func xcrunOps(c *call) {
	if c.has("--find", "--show-sdk-path", "--show-sdk-version") {
		c.Wrapper, c.Runs = "", nil
	}
}

// haskellOps: the compiler can be told to run other programs.
func haskellOps(c *call) {
	if anyBegins(c.words, "--ghc-options", "--with-", "-w", "--test-wrapper") {
		c.exactf("%s is given another compiler or options for it", c.name)
	}
}

// onlyWith makes a program exact for all subcommands but those that only look.
func onlyWith(names string) func(*call) {
	looks := wordset.Map(names)
	return func(c *call) {
		if len(c.rest) == 0 || !looks[c.rest[0].Text] {
			c.exactf("%s changes settings or what runs", c.name)
		}
	}
}

// writeObject: these change the files that they name.
func writeObject(c *call) {
	c.optionFile()
	if slices.ContainsFunc(c.words, faraway) {
		c.exactf("%s works on files from elsewhere", c.name)
	}
	writeAll(c)
}

// xcodeOps: NAME=VALUE is a setting of the build, which may name a program.
func xcodeOps(c *call) {
	if anyHolds(c.words, "=") || slices.ContainsFunc(c.words, faraway) {
		c.exactf("xcodebuild is given a setting or a project from elsewhere")
	}
}

// azOps: these change the tool itself, or who it works as.
func azOps(c *call) {
	cloudOps(c)
	c.farOperands()
	for i, w := range c.rest {
		if i < 3 && (w.Text == "login" || w.Text == "configure" || w.Text == "extension" || w.Text == "get-credentials" || i == 0 && (w.Text == "config" || w.Text == "cloud")) {
			c.exactf("az changes settings or keys")
		}
	}
}

// cloudOps: subcommands of cloud tools that run a command on another machine.
func cloudOps(c *call) {
	for i, w := range c.rest {
		if i < 4 && (hands.Has(w.Text) || w.Text == "scp" || w.Text == "start-iap-tunnel" || w.Text == "start-session") {
			c.exactf("%s runs a command on another machine", c.name)
		}
	}
}
