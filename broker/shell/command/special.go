package command

import (
	"fmt"
	"strconv"
	"strings"
)

// specials are the functions that the pages of programs call by their names: what takes more
// than lists of options to say. Those of maker take arguments. It is a function and no
// variable, so that nothing is made until a command is looked at.
func specials() map[string]func(*call) {
	return map[string]func(*call){
		"alias":             aliasOps,
		"applet":            appletOps,
		"apt":               aptOps,
		"ar":                arOps,
		"awk":               awkOps,
		"aws":               awsOps,
		"az":                azOps,
		"bat":               batOps,
		"cargo":             cargoOps,
		"cd":                cdOps,
		"cmake":             cmakeOps,
		"command":           commandOps,
		"compgen":           compgenOps,
		"compiler":          compilerOps,
		"config":            configOps,
		"convmv":            convmvOps,
		"copy":              copyOps,
		"cpio":              cpioOps,
		"crontab":           crontabOps,
		"csplit":            csplitOps,
		"curl":              curlOps,
		"date":              dateOps,
		"dd":                ddOps,
		"declare":           declareOps,
		"delete-all":        deleteAll,
		"deno-files":        denoFiles,
		"deno-run":          denoRun,
		"diff":              diffOps,
		"docker-build":      dockerBuild,
		"docker-copy":       dockerCopy,
		"dotnet":            dotnetOps,
		"editor":            editorOps,
		"env":               envOps,
		"eslint":            eslintOps,
		"eval":              evalOps,
		"exec":              execOps,
		"far-file":          farFileOps,
		"far-options":       farOptions,
		"far-test":          farTestOps,
		"fd":                fdOps,
		"ffmpeg":            ffmpegOps,
		"find":              findOps,
		"flock":             flockOps,
		"format":            formatOps,
		"gcloud":            gcloudOps,
		"getopts":           getoptsOps,
		"gh-a-p-i":          ghAPI,
		"gh-files":          ghFiles,
		"gh-repo":           ghRepo,
		"git-archive":       gitArchive,
		"git-bundle":        gitBundle,
		"git-clean":         gitClean,
		"git-clone":         gitClone,
		"git-config":        gitConfig,
		"git-diff":          gitDiff,
		"git-foreach":       gitForeach,
		"git-global":        gitGlobal,
		"git-grep":          gitGrep,
		"git-guard":         gitGuard,
		"git-mail":          gitMail,
		"git-remote":        gitRemote,
		"git-remotes":       gitRemotes,
		"git-remove":        gitRemove,
		"git-reset":         gitReset,
		"git-strategy":      gitStrategy,
		"git-trailers":      gitTrailers,
		"git-worktree":      gitWorktree,
		"git-worktree-move": gitWorktreeMove,
		"go":                goOps,
		"go-run":            goRunOps,
		"go-tool":           goToolOps,
		"gofmt":             gofmtOps,
		"grep":              grepOps,
		"hash":              hashOps,
		"haskell":           haskellOps,
		"hg":                hgOps,
		"history":           historyOps,
		"httpie":            httpieOps,
		"init":              initOps,
		"install":           installOps,
		"ip":                ipOps,
		"jar":               jarOps,
		"java":              javaOps,
		"javac":             javacOps,
		"jobs":              jobsOps,
		"jq":                jqOps,
		"just":              justOps,
		"jvm":               jvmOps,
		"kube":              kubeOps,
		"linter":            linterOps,
		"make":              makeOps,
		"mapfile":           mapfileOps,
		"merge-file":        mergeFileOps,
		"miller":            millerOps,
		"mode":              modeOps,
		"mount":             mountOps,
		"move":              moveOps,
		"neutral":           neutralOps,
		"node":              nodeOps,
		"node-manager":      nodeManagerOps,
		"npm-install":       npmInstall,
		"npm-options":       npmOptions,
		"npx":               npxOps,
		"number":            numberOps,
		"openssl":           opensslOps,
		"pager":             pagerOps,
		"pandoc":            pandocOps,
		"patch":             patchOps,
		"pax":               paxOps,
		"php":               phpOps,
		"pip-install":       pipInstall,
		"prettier":          prettierOps,
		"print":             printOps,
		"printf":            printfOps,
		"project-script":    projectScript,
		"prompt-if-alone":   promptIfAlone,
		"protoc":            protocOps,
		"ps":                psOps,
		"pydoc":             pydocOps,
		"pytest":            pytestOps,
		"python":            pythonOps,
		"rclone":            rcloneOps,
		"read":              readOps,
		"read-all":          readAll,
		"read-setting":      readSetting,
		"read-trees":        readTrees,
		"remote-copy":       remoteCopyOps,
		"rm":                rmOps,
		"rspec":             rspecOps,
		"rsync":             rsyncOps,
		"rtk":               rtkOps,
		"rustc":             rustcOps,
		"script":            scriptOps,
		"script-file":       scriptFile,
		"script-words":      scriptWords,
		"sed":               sedOps,
		"set":               setOps,
		"seven":             sevenOps,
		"sh":                shOps,
		"shell-operands":    shellOperands,
		"shopt":             shoptOps,
		"socat":             socatOps,
		"source":            sourceOps,
		"split":             splitOps,
		"ssh":               sshOps,
		"ssh-settings":      sshSettings,
		"strace":            straceOps,
		"su":                suOps,
		"sudo":              sudoOps,
		"swift":             swiftOps,
		"systemctl":         systemctlOps,
		"tar":               tarOps,
		"test":              testOps,
		"tmux":              tmuxOps,
		"trap":              trapOps,
		"ts-node":           tsNodeOps,
		"tsc":               tscOps,
		"tsx":               tsxOps,
		"umask":             umaskOps,
		"unar":              unarOps,
		"unset":             unsetOps,
		"unzip":             unzipOps,
		"uv-run":            uvRunOps,
		"vitest":            vitestOps,
		"wait":              waitOps,
		"watch":             watchOps,
		"wget":              wgetOps,
		"write-all":         writeAll,
		"write-first":       writeFirst,
		"write-object":      writeObject,
		"xargs":             xargsOps,
		"xcode":             xcodeOps,
		"xcrun":             xcrunOps,
		"yq":                yqOps,
		"zip":               zipOps,
	}
}

// maker makes the function of what a page says behind a name, nil when there is none of that
// name: "then read-from 1" is readFrom(1).
func (l loader) maker(name string) func(args string) (func(*call), error) {
	return map[string]func(args string) (func(*call), error){
		"read-from":         counting(readFrom),
		"last-written":      counting(lastWritten),
		"git-only-looks-at": counting(onlyLooksAt),
		"only-with":         func(args string) (func(*call), error) { return onlyWith(args), nil },
		"only-listing":      func(args string) (func(*call), error) { return onlyListing(args), nil },
		"pack":              func(args string) (func(*call), error) { return packOps(args), nil },
		"follow-links":      l.followLinks,
	}[name]
}

// counting is a maker whose argument is a number.
func counting(make func(int) func(*call)) func(string) (func(*call), error) {
	return func(args string) (func(*call), error) {
		n, err := strconv.Atoi(args)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", args)
		}
		return make(n), nil
	}
}

// followLinks takes three lists of options, of which a dash is an empty one, and a function.
func (l loader) followLinks(args string) (func(*call), error) {
	list := strings.Fields(args)
	if len(list) != 4 || l.functions[list[3]] == nil {
		return nil, fmt.Errorf("%q is not three lists and a function", args)
	}
	for i, l := range list {
		if l == "-" {
			list[i] = ""
		}
	}
	return followLinks(list[0], list[1], list[2], l.functions[list[3]]), nil
}

// function finds the function that a page names, nil for no name.
func (l loader) function(name string) (func(*call), error) {
	if name == "" {
		return nil, nil //nolint:nilnil // a row without one
	}
	if f := l.functions[name]; f != nil {
		return f, nil
	}
	head, args, _ := strings.Cut(name, " ")
	if f := l.maker(head); f != nil && args != "" {
		return f(args)
	}
	return nil, fmt.Errorf("there is no function %q", name)
}
