package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Options of a compiler by which it writes more files, and those for the linker, the assembler and the
// preprocessor that neither write nor load anything. Of a value with an equals sign nothing but
// numbers, names and patterns is let through.
var (
	writesBesides = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^-(fopt-info.*|fdiagnostics-(add|set)-output|ftime-trace|fprofile-generate|foptimization-record-file|fsave-optimization-record|fcrash-diagnostics-dir|fmodules-cache-path)=`)
	})
	linkerSafe = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(-[sSxXEnNqtvgr]|-O[0-9]?|-T(text|data|bss)(=.*)?|-[zuey]|-z[a-z-]+(=[0-9a-z]+)?|-L.*|-l[A-Za-z0-9.+-]+|-m(elf|i386|aarch64|arm|ppc|riscv)[a-z0-9_]*|-B(static|dynamic|symbolic|symbolic-functions)` +
			`|--?(no-)?(as-needed|gc-sections|print-gc-sections|whole-archive|undefined|allow-shlib-undefined|warn-[a-z-]+|fatal-warnings|export-dynamic|eh-frame-hdr|demangle|relax|copy-dt-needed-entries|add-needed|strip-all|strip-debug|strip-discarded|ld-generated-unwind-info|keep-memory|rosegment|pie|dead_strip|trace|verbose|stats|version|help)` +
			`|--?(start-group|end-group|push-state|pop-state|enable-new-dtags|disable-new-dtags|allow-multiple-definition|discard-all|discard-locals|sort-common|shared|static|nostdlib|dynamicbase|nxcompat|high-entropy-va|large-address-aware|headerpad_max_install_names|dead_strip_dylibs|ObjC|all_load)` +
			`|--?(build-id|hash-style|icf|compress-debug-sections|sort-section|unresolved-symbols|threads|thread-count|entry|defsym|wrap|undefined|export-dynamic-symbol|subsystem|stack|image-base|max-page-size|common-page-size|section-start|rpath|rpath-link|soname|install_name|current_version|compatibility_version|headerpad|framework|exported_symbol|stack_size|lto-O[0-9])(=.*)?)$`)
	})
	assemblerSafe = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(-[gWILm].*|-a[cdghlmns]*|--(no)?execstack|--(32|64|x32)|--(no-)?warn|--fatal-warnings|--gdwarf.*|--defsym|--compress-debug-sections.*)$`)
	})
	preprocessorSafe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-[DUI].*$`) })
)

// Options for those programs whose value is a file that they write, or a script that the linker does.
var (
	handedOutput = wordset.New("-o --output -map -Map --Map --dependency-file -MD --MD")
	handedScript = wordset.New("-T --script -dT --default-script --version-script")
)

// passOn looks at a list of options for the linker or its like, as in -Wl,-Map,x: there the
// list has -Map, which writes, and its value x. Whatever is on no list of harmless ones makes
// the command exact, and the files that are found in it are added, so that a rule about files
// can still refuse.
func passOn(c *call, w Word) {
	list := strings.Split(w.Text, ",")
	safe := linkerSafe()
	switch list[0] {
	case "-Wa":
		safe = assemblerSafe()
	case "-Wp":
		safe = preprocessorSafe()
	}
	for i, option := range list[1:] {
		if !strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "@") || safe.MatchString(option) {
			continue
		}
		c.exactf("%s hands options to another program that may write files", c.name)
		name, value, has := strings.Cut(option, "=")
		if !has && i+2 < len(list) {
			value = list[i+2]
		}
		for _, short := range []string{"-o", "-T"} {
			if rest, ok := strings.CutPrefix(option, short); ok && rest != "" {
				name, value = short, rest
			}
		}
		switch {
		case handedScript.Has(name):
			c.reads(tail(w, value))
		case handedOutput.Has(name), list[0] == "-Wa" && strings.HasPrefix(name, "-a") && has:
			c.writes(tail(w, value))
		}
	}
}

// rustcOps: libraries may be plugins of the compiler.
func rustcOps(c *call) {
	if slices.ContainsFunc(c.values("-L", "--emit", "--extern", "--target"), elsewhereIn) {
		c.exactf("rustc reads or writes files outside of its folder")
	}
	compilerOps(c)
}

// javacOps: what lies on the path of classes may run while it compiles.
func javacOps(c *call) {
	if slices.ContainsFunc(c.values("-cp", "-classpath", "-sourcepath"), elsewhereIn) {
		c.exactf("javac takes code from outside of the project")
	}
	compilerOps(c)
}
