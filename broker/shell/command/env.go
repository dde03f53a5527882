package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Setting says what setting a variable means: exact and unsure as in Element; neither when it
// harms nothing whatever its value is. exported: programs see it. A value that is not known is
// "", and the caller doubts it on its own.
func Setting(name, value string, exported bool) (exact, unsure string) {
	switch {
	case !identifier().MatchString(name):
		return "", "the name of a variable is not plain"
	case harmlessValue(name, value):
		return "", ""
	case exactVariables.Has(name), name == "PYTHONPATH" && isBelow(value):
		return "sets " + name + " for what runs", ""
	}
	if why := dangerousVariable(name); why != "" {
		return "", name + " " + why
	}
	if exported || harmlessVariables.Has(name) || maybeExported(name) {
		return "sets " + name + " for what runs", ""
	}
	return "", ""
}

// harmlessValue says whether the variable harms nothing with this value. A value that
// looks like a path may lead a program to a file of somebody's choice.
func harmlessValue(name, value string) bool {
	switch {
	case harmlessVariables.Has(name) || strings.HasPrefix(name, "LC_"):
		odd := begins(value, "/", "~") || strings.Contains(value, "..") || strings.ContainsAny(value, "`$\x00\n")
		return !odd && (name == "TZ" && !strings.HasPrefix(value, ":") || !strings.Contains(value, "/") || name == "DEBUG")
	case strings.HasSuffix(name, "PAGER") && dangerousVariable(name) != "":
		// A pager that only copies is how agents switch a pager off.
		return value == "cat" || value == ""
	case name == "EDITOR" || name == "VISUAL" || name == "GIT_EDITOR" || name == "GIT_SEQUENCE_EDITOR":
		// So is an editor that changes nothing.
		return value == "true" || value == ":"
	case name == "NODE_OPTIONS":
		return heapSize().MatchString(value)
	}
	return false
}

// heapSize is the one option of node that agents set all the time and that loads nothing.
var heapSize = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--max[-_]old[-_]space[-_]size=[0-9]{1,7}$`) })

// exactVariables say who or what a program works for.
var exactVariables = wordset.New(`AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
	GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE`)

// harmlessVariables change how much a program says, how it looks, or which of its own
// modes it is in. A name is here only if no well-known program runs, loads, reads or
// writes something, or talks to somebody else, because of any plain value of it. So
// LANGUAGE, TERMINFO, HOST, GOFLAGS and RAILS_ENV (names a file that is loaded) are not.
var harmlessVariables = wordset.New(`
	CI NODE_ENV DEBUG FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM VERBOSE QUIET
	COLUMNS LINES PORT RUST_BACKTRACE RUST_LIB_BACKTRACE RUST_LOG RUST_LOG_STYLE
	GOOS GOARCH GOARM GOAMD64 GOARM64 CGO_ENABLED GOMAXPROCS GOGC GOMEMLIMIT GOTRACEBACK
	PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8
	TERM_PROGRAM DO_NOT_TRACK NEXT_TELEMETRY_DISABLED HOMEBREW_NO_AUTO_UPDATE
	HOMEBREW_NO_ANALYTICS DOTNET_CLI_TELEMETRY_OPTOUT GATSBY_TELEMETRY_DISABLED
	TF_IN_AUTOMATION TF_INPUT PYTEST_DISABLE_PLUGIN_AUTOLOAD LOG_LEVEL LOGLEVEL
	DEBIAN_FRONTEND VITEST JEST_WORKER_ID TZ LANG TERM OMP_NUM_THREADS MKL_NUM_THREADS
	GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_PAGER_IN_USE SOURCE_DATE_EPOCH UPDATE_SNAPSHOTS
	NPM_CONFIG_LOGLEVEL npm_config_loglevel CARGO_TERM_COLOR CARGO_INCREMENTAL MYPY_FORCE_COLOR
	PY_COLORS PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT PLAYWRIGHT_HEADLESS HEADLESS`)

// dangerousNames decide, by some value, what runs, what a file is, who is asked or how
// a shell reads commands; so do all names that begin with one of dangerousPrefixes.
var dangerousNames = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for why, names := range map[string]string{
		"decides which program runs": "PATH path SHELL EDITOR VISUAL PAGER BROWSER FCEDIT SUDO_EDITOR SUDO_ASKPASS CC CXX CPP LD AR AS FC F77 RANLIB NM STRIP OBJCOPY PKG_CONFIG MAKE " +
			"RUSTC SYSTEMD_PAGER SYSTEMD_EDITOR DELTA_PAGER BAT_PAGER GH_PAGER GH_EDITOR GH_BROWSER AWS_PAGER PSQL_PAGER PSQL_EDITOR HGEDITOR SVN_EDITOR SVN_SSH HG CVS_RSH CVSEDITOR RSYNC_RSH TAR_OPTIONS " +
			"RIPGREP_CONFIG_PATH FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS COMPOSER VIMINIT EXINIT MYVIMRC KUBE_EDITOR KUBECTL_EXTERNAL_DIFF CMD_ENV COMSPEC WATCH_INTERVAL TEXEDIT MAILCAPS INPUTRC SCREENRC TCLLIBPATH " +
			"WGETRC CURL_HOME NETRC ACKRC FPATH fpath module_path MODULE_PATH cdpath CDPATH manpath mailpath fignore argv dirstack nameddirs userdirs HASH_CMDS hash_cmds commands aliases galiases saliases functions dis_functions dis_aliases builtins options BUNDLE_GEMFILE " +
			"BUNDLE_PATH GEM_HOME GEM_PATH COMPOSE_FILE JAVA_HOME JAVA_OPTS GRADLE_OPTS MAVEN_OPTS MAVEN_ARGS SBT_OPTS CLASSPATH GOROOT GOPATH GOBIN GOENV GOFLAGS GOTOOLDIR GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GOPRIVATE " +
			"GOINSECURE GOVCS GOTOOLCHAIN GOWORK GOMODCACHE GOCACHE GOCACHEPROG GOAUTH GOEXE CGO_CFLAGS CGO_LDFLAGS CGO_CPPFLAGS CGO_CXXFLAGS PKG_CONFIG_PATH CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX " +
			"CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH VIRTUAL_ENV CONDA_PREFIX PIPENV_PIPFILE UV_PYTHON LESSOPEN LESSCLOSE PROMPT RPROMPT prompt NULLCMD READNULLCMD TMOUT psvar POSTEDIT chpwd_functions precmd_functions preexec_functions periodic_functions",
		"changes how a shell reads commands":        "IFS BASH_ENV ENV ZDOTDIR SHELLOPTS BASHOPTS PROMPT_COMMAND GLOBIGNORE POSIXLY_CORRECT EXECIGNORE FIGNORE histchars HISTFILE HISTCONTROL BASH_COMPAT BASH_CMDS BASH_ALIASES BASH_FUNC COMP_WORDBREAKS BASH_XTRACEFD BASH_LOADABLES_PATH TIMEFMT TIMEFORMAT WORDCHARS MAILPATH MAIL MAILCHECK GLOBSORT",
		"changes where programs find their files":   "HOME TMPDIR TEMP TMP TERMCAP TERMINFO TERMINFO_DIRS NLSPATH LOCPATH LOCALDOMAIN HOSTALIASES RES_OPTIONS RESOLV_HOST_CONF PWD OLDPWD USER LOGNAME APPDATA USERPROFILE KUBECONFIG DATABASE_URL PGSERVICEFILE PGPASSFILE PGSYSCONFDIR MYSQL_HOME SQLITE_HISTORY OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GCONV_PATH GETCONF_DIR GNUPGHOME MANPATH INFOPATH COREPACK_HOME COREPACK_NPM_REGISTRY NVM_DIR HF_ENDPOINT ELECTRON_RUN_AS_NODE",
		"sends what programs say to other machines": "http_proxy https_proxy ftp_proxy all_proxy no_proxy rsync_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY RSYNC_PROXY RSYNC_CONNECT_PROG SOCKS_SERVER",
	} {
		for name := range wordset.Map(names) {
			all[name] = why
		}
	}
	return all
})

// dangerousPrefixes are those of programs that read dozens of variables, among which there are
// such that run or load something. Listing the bad ones would miss next year's.
var dangerousPrefixes = sync.OnceValue(func() []string {
	return strings.Fields(`
	LD_ DYLD_ BASH_FUNC_ BASH_ GIT_ LESS MAN_ MANPAGER MANOPT MANROFFOPT PYTHON PERL RUBY NODE_ npm_config_ NPM_CONFIG_ npm_package_config_ YARN_ PNPM_ SSH_ CARGO_ RUSTC RUSTDOC RUSTUP_ RUSTFLAGS
	MAKEFLAGS MFLAGS GNUMAKEFLAGS XDG_ DOCKER_ BUILDKIT_ PODMAN_ CONTAINER_ COMPOSE_ AWS_ AZURE_ GOOGLE_ CLOUDSDK_ KUBE HELM_ PS0 PS1 PS2 PS3 PS4 SUDO_ MALLOC_ GLIBC_ _JAVA_ JAVA_TOOL_ JDK_JAVA_
	PIP_ UV_ POETRY_ PYTEST_ PHP COMPOSER_ LUA_ TCL DENO_ BUN_ ANSIBLE_ VAGRANT_ TF_ TERRAFORM_ ELECTRON_ QT_ GTK_ GST_ NIX_ DIRENV_ HOMEBREW_ TMUX SCREENDIR ZSH CLAUDE ANTHROPIC_ CODEX_ GEMINI_ OPENAI_ AOCTL BASH_ENV CONDA_ DOTNET_ CORECLR_ COR_
	MSBUILD NUGET_ SWIFT_ CMAKE_ CTEST_ MESON_ NINJA_ GRADLE_ MAVEN_ EMACS VIM NVIM JULIA_ R_ OCAML ERL_ ELIXIR_ MIX_ HEX_ GHC STACK_ CABAL_ GPG_ PINENTRY_ VSCODE_ CCACHE SCCACHE DISTCC`)
})

// dangerousVariable says what is wrong with setting the variable, "" if nothing is.
func dangerousVariable(name string) string {
	if harmlessVariables.Has(name) {
		return ""
	}
	if why, ok := dangerousNames()[name]; ok {
		return why
	}
	if begins(name, dangerousPrefixes()...) {
		return "can make programs run or load something else"
	}
	return ""
}

// maybeExported says whether a name that a line sets without export may be exported
// already and matter to programs. The names that are known to matter are above.
func maybeExported(name string) bool {
	return strings.ToUpper(name) == name && slices.ContainsFunc(exportedSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// exportedSuffixes are how programs commonly name variables of options and of programs to run.
var exportedSuffixes = []string{"_OPTS", "_OPTIONS", "_FLAGS", "_EDITOR", "_PAGER", "_COMMAND", "_PROXY", "_PRELOAD", "_ASKPASS", "_WRAPPER"}
