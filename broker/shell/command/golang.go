package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Flags that go hands to its compiler, assembler and linker. Others write or read files,
// or run other programs.
var (
	compilerFlag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^-(N|l|l=[0-9]|m|m=[0-9]|S|S=[0-9]|B|C|e|L|live|race|msan|asan|shared|dynlink|c=[0-9]+|lang=go[0-9.]+|d=(ssa/)?[a-z_/]+(=[0-9]+)?|spectre=[a-z,]+|std|w|trimpath)$`)
	})
	linkerFlag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^-(s|w|v|X|a|n|d|race|msan|asan|c|X=.*|[sw]=(true|false|0|1)|buildid=.*|compressdwarf=[a-z]+|checklinkname=[0-9]|H=?[a-z]*|B=?(0x[0-9a-fA-F]+|gobuildid|none)?)$`)
	})
)

// goFlags: what of these the compiler and the linker are handed.
func goFlags(c *call) {
	for _, flag := range goFields(c.values("-gcflags", "-asmflags")) {
		if !compilerFlag().MatchString(flag) {
			c.exactf("%s hands options to the compiler that may write files", c.name)
		}
	}
	for _, flag := range goFields(c.values("-ldflags")) {
		if strings.HasPrefix(flag, "-") && !linkerFlag().MatchString(flag) {
			c.exactf("%s hands options to the linker that may write files", c.name)
		}
	}
}

// goFields are the flags in values, without the quotes that go takes off. The first flag of a value
// follows an optional pattern of packages and its equals sign.
func goFields(values []Word) []string {
	var all []string
	for _, w := range values {
		for i, field := range strings.Fields(w.Text) {
			if i == 0 {
				field = field[max(0, strings.Index(field, "=-")+1):]
			}
			all = append(all, strings.Trim(field, `'"`))
		}
	}
	return all
}

// goOps: the linker can be told to run another one; a module by its address and
// version comes from elsewhere.
func goOps(c *call) {
	if anyHolds(c.values("-ldflags", "-gcflags", "-asmflags"), "ext", "tmpdir", "linkmode", "@", "plugin") {
		c.unsuref("%s can make the linker run another program", c.name)
	}
	goFlags(c)
	if c.name != "go mod" && c.name != "go work" {
		c.farOperands()
	}
	if c.name == "go doc" && c.has("-http") {
		c.exactf("go doc -http opens a server and a window")
	}
	for _, w := range c.values("-o") {
		if !isBelow(w.Text) && !Streams.Has(w.Text) {
			c.exactf("%s -o writes outside its folder", c.name)
		}
	}
	if slices.ContainsFunc(c.values("-C"), outside) {
		c.exactf("go -C works in another folder")
	}
	if c.has("-pkgdir") {
		c.exactf("go -pkgdir writes elsewhere")
	}
	for _, w := range c.words {
		// Flags of the test's own program, such as -test.cpuprofile, go past the row.
		if strings.HasPrefix(w.Text, "-test.") && strings.Contains(w.Text, "/") {
			c.exactf("%s writes a file", c.name)
		}
	}
	if c.name == "go mod" || c.name == "go work" {
		goModOps(c)
	}
	if c.name == "go install" && anyHolds(c.rest, "@") {
		c.exactf("go install builds a program from elsewhere")
	}
}

// goModOps: these decide which code is built.
func goModOps(c *call) {
	if sub := textAt(c.words, 0); sub == "edit" || sub == "use" {
		c.exactf("%s changes which code is built", c.name)
	}
	if slices.ContainsFunc(c.words, faraway) {
		c.exactf("%s writes elsewhere", c.name)
	}
}

// goRunOps: a package of the project is like its other programs.
func goRunOps(c *call) {
	goOps(c)
	if len(c.rest) == 0 {
		return
	}
	w := c.rest[0]
	local := w.Text == "." || strings.HasPrefix(w.Text, "./") || strings.HasSuffix(w.Text, ".go") && !strings.HasPrefix(w.Text, "-")
	if !local || !isBelow(w.Text) {
		c.exactf("go run compiles and runs code from elsewhere")
	}
	if strings.HasSuffix(w.Text, ".go") {
		c.reads(w)
	}
}

// goTools come with Go itself; any other name is a tool of the module, which is code from
// elsewhere.
var goTools = wordset.New("cover nm objdump buildid addr2line test2json vet fix doc")

// goToolOps: each tool has flags of its own, of which only those that write matter here.
func goToolOps(c *call) {
	if len(c.rest) == 0 {
		return
	}
	name, words := c.rest[0].Text, c.rest[1:]
	if !goTools.Has(name) {
		c.exactf("go tool runs a program by its name")
	}
	if name == "test2json" {
		d := newCall(adhoc(programs.Row{Single: true, Stop: true, Lax: true, OK: "-p="}), "", words, &Meaning{})
		d.parse()
		if c.run(d.rest); len(d.rest) > 0 {
			c.exactf("go tool test2json %s", handsOn)
		}
		return
	}
	d := newCall(adhoc(programs.Row{Single: true, Lax: true, Spills: "-o="}), c.name, words, c.Meaning)
	d.parse()
	if name == "buildid" && d.has("-w") {
		c.exactf("go tool buildid -w changes a file")
		c.writes(d.rest...)
	}
}

// gofmtOps: -w writes the files, and a folder stands for all below it.
func gofmtOps(c *call) {
	c.files(c.rest, File{Write: c.has("-w"), Tree: true})
}
