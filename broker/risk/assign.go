package risk

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/wordset"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// runners are variables that make other programs run something, whatever their value. They are
// Dangerous also where package command only wants an exact rule: a person should see why.
var runners = wordset.New(`LD_PRELOAD LD_AUDIT BASH_ENV PROMPT_COMMAND GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS
	SSH_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR PYTHONSTARTUP PERL5OPT PERL5DB RUBYOPT ZDOTDIR
	JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER LESSOPEN LESSCLOSE PS4
	GCONV_PATH GLIBC_TUNABLES`)

// showers are variables that name a program to show or edit a text with; these values
// do nothing more.
var (
	showers      = wordset.New("PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR BROWSER")
	plainShowers = wordset.New("cat less more true : nano vi vim /bin/cat /bin/true /usr/bin/cat /usr/bin/true")
)

// quietVariables change how programs print, nothing else.
var quietVariables = wordset.New(`LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME TZ TERM COLUMNS LINES NO_COLOR
	CLICOLOR FORCE_COLOR GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT PAGER GIT_PAGER MANPAGER`)

// plainVariables are read by many programs, and load nothing by any of these values.
var plainVariables = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for names, values := range map[string]string{
		"PORT RUST_TEST_THREADS GOMAXPROCS GOGC RUST_BACKTRACE UV_THREADPOOL_SIZE OMP_NUM_THREADS":   `[0-9]+|off|full`,
		"CI DEBUG VERBOSE NODE_ENV APP_ENV RAILS_ENV RACK_ENV FLASK_ENV LOG_LEVEL LOGLEVEL RUST_LOG": `[A-Za-z0-9_:,*=-]*`,
		"CGO_ENABLED GO111MODULE PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONHASHSEED PYTHONUTF8": `[a-z0-9]*`,
		"PYTEST_DISABLE_PLUGIN_AUTOLOAD FLASK_DEBUG CARGO_TERM_COLOR CLICOLOR_FORCE":                 `[a-z0-9]*`,
		"GOOS GOARCH":      `[a-z0-9]+`,
		"GOTOOLCHAIN":      `local`,
		"PYTHONWARNINGS":   `ignore|default|error|always`,
		"PYTHONIOENCODING": `utf-?8`,
		"NODE_OPTIONS":     `(--max-old-space-size=[0-9]+|--experimental-vm-modules|--no-warnings|--trace-warnings)( (--max-old-space-size=[0-9]+|--experimental-vm-modules|--no-warnings|--trace-warnings))*`,
	} {
		for _, name := range strings.Fields(names) {
			all[name] = regexp.MustCompile(`^(` + values + `)$`)
		}
	}
	return all
})

// ownVariable are names that bundlers keep for the project's own pages, and put into them as texts; dotted is a
// module of Python by its name.
var (
	ownVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(VITE|REACT_APP|NEXT_PUBLIC)_[A-Z][A-Z0-9_]*$`) })
	dotted      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`) })
)

// ownNames are names in capital letters that scripts give to what they work with. No program asks for them, should
// they be exported already.
var ownNames = wordset.New("DIR FILE FILES SRC DEST OUT OUTPUT NAME BASE BRANCH COMMIT SHA RESULT COUNT")

// onlyShell reports whether a variable is set for the shell alone: no program is told of it, and its name means
// nothing to any shell. npm exports names of its own to what it runs, and an agent may be that.
func onlyShell(e shell.Element) bool {
	own := strings.ToLower(e.Name) == e.Name || len(e.Name) == 1 || ownNames.Has(e.Name)
	return own && e.Name != "_" && !strings.HasPrefix(e.Name, "npm_") && e.Exact+e.Unsure == ""
}

// assigns is what it does to set a variable. By PYTHONPATH, what stands in a folder of the project
// runs as the project's own code.
func (j doesJudge) assigns(e shell.Element) doing {
	values := plainVariables()[e.Name]
	switch {
	case e.Exact == "" && (quietVariables.Has(e.Name) || strings.HasPrefix(e.Name, "LC_")) && (!showers.Has(e.Name) || plainShowers.Has(e.Value)):
		return doing{}
	// Nobody knows what it had before.
	case strings.Contains(e.Text, e.Name+"+="):
	case values != nil && values.MatchString(e.Value), ownVariable().MatchString(e.Name), onlyShell(e):
		return doing{}
	case e.Name == "DJANGO_SETTINGS_MODULE" && dotted().MatchString(e.Value):
		return does(effects.Check, "")
	case e.Name == "PYTHONPATH" && e.Value != "" && j.foldersInside(e):
		return does(effects.Check, "")
	}
	return does(effects.Unknown, cmp.Or(e.Exact, "sets a variable"))
}

// foldersInside reports whether all folders of a list with colons lie in the project. An empty one is
// the folder that a program works in, which a later part of the line may change.
func (j doesJudge) foldersInside(e shell.Element) bool {
	for dir := range strings.SplitSeq(e.Value, ":") {
		if dir == "" || strings.ContainsAny(dir, "$~*?[{\\") || !j.inProject(j.resolve(dir, spot{dir: j.dirOf(e)})) {
			return false
		}
		if _, key := credential(j.resolve(dir, spot{dir: j.dirOf(e)})); key {
			return false
		}
	}
	return true
}

// assign judges that a variable is set. A value that is not known is looked at as it stands in
// the text.
func (j lineJudge) assign(e shell.Element) {
	name, value := e.Name, e.Value
	// The text may still show a path or a name, where the value has only a doubt.
	if _, text, ok := strings.Cut(e.Text, "="); ok && value == "" && e.Unsure != "" {
		value = strings.Trim(text, `"'`)
	}
	switch {
	case steersAoctl(name):
		j.guard("changes how aoctl or an agent is set up")
	case runners.Has(name), strings.HasPrefix(name, "DYLD_"), strings.HasPrefix(name, "GIT_CONFIG"), strings.HasPrefix(name, "BASH_FUNC_"):
		j.danger("makes programs run something else")
	// ENV names a start-up file to sh, and is a harmless "production" to many programs.
	case name == "ENV" && (value == "" || strings.ContainsAny(value, "/~.$")):
		j.danger("makes programs run something else")
	case name == "NODE_OPTIONS" && loadsCode(value):
		j.danger("makes programs run something else")
	// A folder that anybody may fill can bring its own "git".
	case name == "PATH" && !plainPath(value):
		j.danger("lets a folder replace programs")
	case showers.Has(name) && value != "" && !plainShowers.Has(value):
		j.note("sets the program that shows texts")
	}
}

// steering are the variables that say where agents' settings are.
var steering = sync.OnceValue(func() []string {
	return profile.Gather(func(p *profile.Profile) []string { return p.Settings.Steer })
})

// steersAoctl reports whether a variable says where aoctl or an agent's settings are.
func steersAoctl(name string) bool {
	if strings.HasPrefix(name, "AOCTL_") || strings.HasPrefix(name, "AGENT_ORCHESTRATOR_") {
		return true
	}
	return slices.Contains(steering(), name)
}

// loadsCode reports whether NODE_OPTIONS has an option that loads a module or opens a port.
func loadsCode(value string) bool {
	return slices.ContainsFunc(strings.Fields(value), func(w string) bool {
		return cmdline.Matches("-r|--require*|--import*|--loader*|--experimental-loader*|--inspect*", w)
	})
}

// plainPath reports whether a new PATH has no folder that anybody may fill: no
// relative and no temporary one. What begins with a variable is not looked into.
func plainPath(value string) bool {
	if value == "" {
		return true
	}
	for _, dir := range strings.Split(value, ":") {
		switch {
		case strings.HasPrefix(dir, "$"), strings.HasPrefix(dir, "~/"):
		case !path.IsAbs(dir), pathtable.Temporary(path.Clean(dir)):
			return false
		}
	}
	return true
}
