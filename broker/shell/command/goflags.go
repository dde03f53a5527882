package command

import (
	"regexp"
	"strings"
	"sync"
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

// goFlags: a flag follows an optional pattern of packages and its equals sign.
func goFlags(c *call) {
	for _, w := range c.values("-gcflags", "-asmflags") {
		for i, field := range strings.Fields(w.Text) {
			if i == 0 {
				field = field[max(0, strings.Index(field, "=-")+1):]
			}
			if !compilerFlag().MatchString(unquoted(field)) {
				c.exactf("%s hands options to the compiler that may write files", c.name)
			}
		}
	}
	for _, w := range c.values("-ldflags") {
		for i, field := range strings.Fields(w.Text) {
			if i == 0 {
				field = field[max(0, strings.Index(field, "=-")+1):]
			}
			if field = unquoted(field); strings.HasPrefix(field, "-") && !linkerFlag().MatchString(field) {
				c.exactf("%s hands options to the linker that may write files", c.name)
			}
		}
	}
}

// unquoted is a field without the quotes that go takes off.
func unquoted(field string) string { return strings.Trim(field, `'"`) }
