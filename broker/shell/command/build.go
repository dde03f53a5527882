package command

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// buildRows are programs that build and test a project.
func buildRows() map[string]spec {
	compiler := spec{lax: true, single: true, ok: compilerValues, write: "-o= -output= -MF=", spill: "-MJ= -aux-info= -serialize-diagnostics=", exact: "-Xlinker= -Xpreprocessor= -Xassembler=", unsure: "-wrapper= -specs= -fplugin= -B= -fuse-ld= -load= -iplugindir= -Xclang= -plugin= -T=", ops: compilerOps}
	rows := map[string]spec{
		"make": makeRow(), "gmake": makeRow(), "bmake": makeRow(), "remake": makeRow(), "mvnw": jvmBuild(), "gradlew": jvmBuild(),
		"go":        goRow(),
		"gofmt":     {single: true, ok: "-d -e -l -s -w -r= -h -help", spill: "-cpuprofile=", ops: gofmtOps},
		"goimports": {single: true, lax: true, spill: "-cpuprofile= -memprofile= -trace=", ops: gofmtOps},
		"cargo":     cargoRow(),
		"rustc":     {lax: true, ok: "-L= -l= --crate-name= --crate-type= --edition= --emit= --target= --cfg= --extern= --print=", write: "-o= --out-dir=", exact: "-C= --codegen= -Z=", unsure: "--sysroot=", ops: rustcOps},
		"cmake":     {lax: true, ok: "-S= -B= -G= -D= -U= -A= -T= --build= --target= --config= --preset= --parallel? -j? -t= --install= --log-level=", ops: cmakeOps, exact: "--prefix= --install-prefix= -P= -C= -E --open= --toolchain= --graphviz= --workflow --trace-redirect= --debugger-pipe=", unsure: "--debugger"},
		"ctest":     {lax: true, ok: "--test-dir=", ops: farOptions, exact: "--test-command --build-makeprogram= -S= -D= --script= --dashboard= --build-and-test --overwrite="},
		"ninja":     {lax: true, ok: "-j= -k= -l= -d= -w=", load: "-f=", exact: "-C= -t="},
		"mvn":       jvmBuild(), "gradle": jvmBuild(), "sbt": jvmBuild(), "ant": jvmBuild(),
		"java":   {single: true, stop: true, mild: true, lax: true, ok: "-cp= -classpath= --class-path= -p= -module-path= -add-opens= -add-exports=", read: "-jar=", unsure: "-agentlib= -agentpath= -javaagent= -Xbootclasspath= -XX:OnError= -XX:OnOutOfMemoryError= -XX:Flags= -XX:VMOptionsFile=", ops: javaOps},
		"javac":  {single: true, lax: true, ok: "-cp= -classpath= -sourcepath= -source= -target= --release= -encoding=", write: "-d= -s= -h=", exact: "-processor= -processorpath= -processor-path= -Xplugin=", ops: javacOps},
		"dotnet": {lax: true, stop: true, ops: dotnetOps, subs: map[string]spec{"exec": {lax: true, whole: "runs a program by its file"}, "tool": {lax: true, whole: "installs or runs tools"}, "script": {lax: true, whole: "runs code"}, "fsi": {lax: true, whole: "runs code"}, "dnx": {lax: true, whole: "runs a package by name"}, "nuget": {lax: true, whole: "changes where packages come from"}, "msbuild": {lax: true, single: true, exact: "-logger= -l="}}},
		"rake":   {lax: true, ok: "-C= -I=", load: "-f= --rakefile=", code: "-e= -E= -p= --execute= --execute-continue= --execute-print=", exact: "-r= --require= -R= --rakelibdir="},
		"rails":  {lax: true, stop: true, subs: map[string]spec{"runner": {lax: true, whole: "runs code given on the command line"}, "r": {lax: true, whole: "runs code given on the command line"}, "console": {lax: true, whole: atPrompt}, "c": {lax: true, whole: atPrompt}, "dbconsole": {lax: true, whole: atPrompt}, "db": {lax: true, whole: atPrompt}, "new": {lax: true, unsure: "-m= --template= -r="}, "app:template": {lax: true, whole: "runs code from elsewhere"}}},
		"just":   {lax: true, ok: "-q -n", load: "-f= --justfile=", exact: "-d= --working-directory= --shell= --shell-arg= -c --command --chooser= --choose --edit -e --evaluate -g --set= --dotenv-path= --dotenv-filename= -E=", ops: justOps},
		"task":   {lax: true, load: "-t= --taskfile=", exact: "-d= --dir= -g --global"},
		"pytest": pytestRow(), "py.test": pytestRow(),
		"tox":     {lax: true, load: "-c= --conf=", exact: "-x= --override= --workdir= --result-json=", unsure: "--runner=", subs: map[string]spec{"exec": {lax: true, whole: handsOn}, "e": {lax: true, whole: handsOn}, "devenv": {lax: true, whole: "makes a folder of programs"}, "d": {lax: true, whole: "makes a folder of programs"}}},
		"webpack": {lax: true, exact: "-c= --config= --plugin= --entry= --require= -r="}, "rollup": {lax: true, exact: "-c? --config? -p= --plugin= --configPlugin="},
		"vite": {lax: true, spill: "--outDir=", exact: "-c= --config="}, "esbuild": {lax: true, spill: "--outfile= --outdir= --metafile=", exact: "--servedir="},
		"black": {lax: true, exact: "--config=", ops: farFileOps}, "isort": {lax: true, exact: "--settings-path= --sp= --settings-file=", ops: farFileOps}, "ruff": {lax: true, ops: farFileOps, spill: "-o= --output-file=", exact: "--config="}, "flake8": {lax: true, exact: "--config= --append-config=", spill: "--output-file="},
		"mypy":         {lax: true, ops: farTestOps, spill: "--html-report= --xml-report= --txt-report= --cobertura-xml-report= --any-exprs-report= --linecount-report= --linecoverage-report= --lineprecision-report= --xslt-html-report= --xslt-txt-report= --junit-xml= --cache-dir= --timing-stats= --line-checking-stats=", exact: "--custom-typeshed-dir= --custom-typing-module= --config-file= --install-types -c= --command=", unsure: "--python-executable="},
		"pylint":       {lax: true, spill: "--output=", exact: "--rcfile= --output-format= -f=", code: "--init-hook=", unsure: "--load-plugins="},
		"shellcheck":   {lax: true, exact: "--rcfile=", ops: readAll},
		"clang-tidy":   {lax: true, single: true, spill: "-export-fixes=", exact: "-fix -fix-errors -fix-notes -config-file= -config=", unsure: "-load= -plugins=", ops: readAll},
		"clang-format": {lax: true, single: true, ops: formatOps},
		"ctags":        {lax: true, exact: "--options= --options-maybe= --optlib-dir=", spill: "-f= -o="},
		"pre-commit":   {lax: true, load: "-c= --config=", subs: map[string]spec{"install": {lax: true, whole: "makes git run programs"}, "uninstall": {lax: true, whole: "changes what git runs"}, "init-templatedir": {lax: true, whole: "makes git run programs"}, "try-repo": {lax: true, whole: "runs code from elsewhere"}}},
		"bazel":        {lax: true, single: true, exact: "-bazelrc= -output_base= -output_user_root= -output_file= -install_base= -remote_executor= -remote_cache= -experimental_remote_downloader= -bes_backend= -host_jvm_args=", unsure: "-workspace_status_command= -run_under= -action_env= -spawn_strategy= -override_repository="},
		"meson":        {lax: true, exact: "--gdb --gdb-path= --setup= --native-file= --cross-file=", unsure: "--wrapper= --wrap=", subs: map[string]spec{"devenv": {lax: true, whole: "opens a shell or runs a program"}, "setup": {lax: true, ops: farOptions}}},
		"mix":          {lax: true, code: "-e= --eval=", exact: "-r= --require=", subs: mixSubs()},
		"cdk":          {lax: true, code: "-a= --app= -b= --build=", exact: "-p= --plugin= -o= --output="},
		"cppcheck":     {lax: true, exact: "--rule-file= --project=", spill: "--output-file= --cppcheck-build-dir= --plist-output= --checkers-report=", unsure: "--addon= --clang? --exe="},
		"stylelint":    {lax: true, ok: "--cache", spill: "-o= --output-file= --cache-location=", exact: "--custom-formatter= --config= --config-basedir= --custom-syntax= -f= --formatter=", ops: farFileOps},
		"nox":          {lax: true, exact: "-f= --noxfile="},
		"eslint":       {lax: true, ok: "--cache --ext= --max-warnings= -f= --format=", spill: "--cache-location= --cache-file= -o= --output-file=", exact: "-c= --config= --rulesdir= --resolve-plugins-relative-to= --plugin= --parser= --init", read: "--ignore-path=", ops: eslintOps},
		"prettier":     {lax: true, ok: "--parser= --log-level=", exact: "--plugin= --config= --find-config-path=", ops: prettierOps},
		"jest":         {lax: true, ok: "--coverage? --cache --no-cache -t= --watch? --watchAll? --testNamePattern=", spill: "--coverageDirectory= --cacheDirectory=", ops: farTestOps, exact: "--projects= --env= -c= --config= --globalSetup= --globalTeardown= --setupFiles= --setupFilesAfterEnv= --runner= --testRunner= --transform= --reporters= --resolver= --testEnvironment= --rootDir= --outputFile= --preset= --watchPlugins= --testSequencer= --filter= --haste="},
		"vitest":       {lax: true, ok: "-t= --reporter=", ops: vitestOps, exact: "--api? --api.host= --api.port= --ui --open -c= --config= -r= --root= --globalSetup= --outputFile= --environment= --runner= --dir="},
		"mocha":        {lax: true, ok: "-t= -g= --timeout= --grep=", ops: farTestOps, exact: "-u= --ui= -r= --require= --config= --reporter= -R= --loader= --import= --package= --node-option="},
		"phpunit":      {lax: true, ok: "--filter= --testdox", spill: "--log-junit= --coverage-html= --coverage-xml= --coverage-clover= --coverage-php= --coverage-text? --log-teamcity= --testdox-html= --testdox-text= --cache-directory=", exact: "--bootstrap= -c= --configuration= -d= --include-path= --printer= --extension="},
		"tsc":          {lax: true, single: true, ok: "-p= -project= -target= -module=", write: "-outDir= -outFile= -declarationDir= -tsBuildInfoFile= -generateTrace= -generateCpuProfile=", ops: tscOps},
		"ld":           {single: true, lax: true, ok: "-l= -L=", write: "-o= -Map=", unsure: "-plugin= -plugin-opt= -T= -dynamic-linker="},
	}
	same(rows, rows["ld"], "ld.gold ld.bfd ld.lld lld mold")
	for name := range wordset.Map("gcc g++ clang clang++ cc c++ cpp c89 c99 gfortran emcc em++") {
		rows[name] = compiler
	}
	return rows
}

const compilerValues = "-x= -include= -I= -L= -D= -U= -isystem= -iquote= -idirafter= -MT= -MQ= -arch= -target= -framework= -u= -z= -l="

// compilerOps: @file holds further options.
func compilerOps(c *call) {
	for _, w := range c.words {
		switch {
		case strings.HasPrefix(w.Text, "@"):
			c.unsuref("%s reads options from a file", c.name)
		case strings.HasPrefix(w.Text, "-J"), strings.HasPrefix(w.Text, "-Xplugin"), strings.HasPrefix(w.Text, "--config"), strings.HasPrefix(w.Text, "--ld-path"), w.Text == "-cc1", strings.HasPrefix(w.Text, "-shell-escape"):
			c.unsuref("%s is given a program or a plugin to run", c.name)
		case strings.HasPrefix(w.Text, "-Wp,-M"), strings.HasPrefix(w.Text, "-fdump-"), strings.HasPrefix(w.Text, "-fcallgraph"), strings.HasPrefix(w.Text, "-fprofile-dir"), strings.HasPrefix(w.Text, "-dump"), strings.HasPrefix(w.Text, "-save-temps="), writesBesides().MatchString(w.Text), c.name == "rustc" && w.Text == "--extern":
			c.exactf("%s reads or writes more files than it seems", c.name)
		case strings.HasPrefix(w.Text, "-B") || strings.HasPrefix(w.Text, "-fplugin") || strings.HasPrefix(w.Text, "-specs") || strings.HasPrefix(w.Text, "--specs") || strings.HasPrefix(w.Text, "-fuse-ld") || strings.Contains(w.Text, "-plugin"):
			c.unsuref("%s is given a program or a plugin to run", c.name)
		case strings.HasPrefix(w.Text, "-Wl,") || strings.HasPrefix(w.Text, "-Wa,") || strings.HasPrefix(w.Text, "-Wp,"):
			c.passOn(w)
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

func makeRow() spec {
	return spec{
		ok: "-bmBdeikLnpqrRsStvwh -j? -l? -O? -o= -W= --always-make --debug? --environment-overrides --help --ignore-errors --jobs? --keep-going --load-average? --max-load? --check-symlink-times --just-print --dry-run --recon --old-file= --assume-old= --new-file= --assume-new= --what-if= " +
			"--output-sync? --print-data-base --question --no-builtin-rules --no-builtin-variables --silent --quiet --no-silent --no-keep-going --stop --touch --trace --version --print-directory --no-print-directory --warn-undefined-variables --shuffle? --jobserver-style=",
		read: "-C= --directory=", load: "-f= --file= --makefile=", exact: "-I= --include-dir=", unsure: "-E= --eval=", ops: makeOps,
	}
}

// makeOps: a variable of the command line beats the one in the file, whatever runs it.
func makeOps(c *call) {
	for _, w := range c.values("-C", "--directory") {
		if !isBelow(w.Text) {
			c.exactf("make -C works in another folder")
		}
	}
	for _, w := range c.rest {
		name, value, found := strings.Cut(w.Text, "=")
		name = strings.TrimRight(name, ":+?!")
		switch {
		case !found:
		case isSwitch(w) && !strings.HasPrefix(name, "MAKE") && name != "SHELL": // V=1
		case name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKEFLAGS" || name == "MAKE" || strings.ContainsAny(name, "$!") || strings.Contains(value, "$(") || strings.Contains(value, "${") || strings.Contains(w.Text, "!="):
			c.unsuref("make is given a variable that decides what runs")
		default:
			c.exactf("make is given a variable, which may decide what runs")
		}
	}
}

func goRow() spec {
	const build = goBuildConst
	const tests = goTestConst
	const risky = goRiskyConst
	built := spec{single: true, ok: build, write: "-o=", unsure: risky, ops: goOps}
	plain := spec{lax: true, single: true, ok: "-C=", unsure: risky, ops: goOps}
	test := built
	test.ok += tests
	test.write += " -coverprofile= -cpuprofile= -memprofile= -blockprofile= -mutexprofile= -trace= -outputdir= -test.testlogfile="
	test.last = "-args"
	get, list, run := built, built, built
	get.ok += "-d -t -u -tool -insecure -fix "
	list.ok += "-compiled -deps -e -export -f= -find -m -retracted -reuse= -test -u -versions "
	run.stop, run.mild, run.ops = true, true, goRunOps
	vet := spec{single: true, lax: true, ok: build, unsure: risky, ops: goOps}
	return spec{
		stop: true, mild: true, single: true, ok: "-C= -h -help", other: "an unknown subcommand",
		subs: map[string]spec{
			"build": built, "test": test, "install": built, "get": get, "list": list, "run": run, "vet": vet, "generate": {single: true, ok: build + "-run= -skip= ", unsure: risky, ops: goOps, whole: "runs the commands that stand in the source files"},
			"fmt": plain, "clean": plain, "doc": plain, "version": plain, "help": plain, "mod": plain, "work": plain, "telemetry": plain, "fix": vet,
			"env":  {lax: true, single: true, exact: "-w -u", ops: goOps},
			"tool": {lax: true, single: true, stop: true, ok: "-n", unsure: "-modfile= -overlay=", ops: goToolOps},
			"bug":  {lax: true, whole: "opens a window"},
		},
		ops: goOps,
	}
}

// goOps: the linker can be told to run another one; a module by its address and
// version comes from elsewhere.
func goOps(c *call) {
	for _, w := range c.values("-ldflags", "-gcflags", "-asmflags") {
		if strings.Contains(w.Text, "ext") || strings.Contains(w.Text, "tmpdir") || strings.Contains(w.Text, "linkmode") || strings.Contains(w.Text, "@") || strings.Contains(w.Text, "plugin") {
			c.unsuref("%s can make the linker run another program", c.name)
		}
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
	for _, w := range c.values("-C") {
		if !isBelow(w.Text) {
			c.exactf("go -C works in another folder")
		}
	}
	if c.has("-pkgdir") {
		c.exactf("go -pkgdir writes elsewhere")
	}
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, "-test.") && strings.Contains(w.Text, "/") {
			c.exactf("%s writes a file", c.name)
		}
	}
	if c.name == "go mod" || c.name == "go work" {
		goModOps(c)
	}
	if c.name == "go install" {
		for _, w := range c.rest {
			if strings.Contains(w.Text, "@") {
				c.exactf("go install builds a program from elsewhere")
			}
		}
	}
}

// goModOps: these decide which code is built.
func goModOps(c *call) {
	if len(c.words) > 0 && (c.words[0].Text == "edit" || c.words[0].Text == "use") {
		c.exactf("%s changes which code is built", c.name)
	}
	for _, w := range c.words {
		if faraway(w) {
			c.exactf("%s writes elsewhere", c.name)
		}
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

var goTools = wordset.New("cover nm objdump buildid addr2line test2json vet fix doc")

func goToolOps(c *call) {
	if len(c.rest) == 0 {
		return
	}
	name, words := c.rest[0].Text, c.rest[1:]
	if !goTools.Has(name) {
		c.exactf("go tool runs a program by its name")
	}
	if name == "test2json" {
		d := call{spec: spec{single: true, stop: true, lax: true, ok: "-p="}, words: words}
		d.parse()
		if c.run(d.rest); len(d.rest) > 0 {
			c.exactf("go tool test2json %s", handsOn)
		}
		return
	}
	d := call{spec: spec{single: true, lax: true, spill: "-o="}, name: c.name, words: words, m: c.m}
	d.parse()
	c.m = d.m
	if name == "buildid" && d.has("-w") {
		c.exactf("go tool buildid -w changes a file")
		for _, w := range d.rest {
			c.writes(w)
		}
	}
}

func gofmtOps(c *call) {
	for _, w := range c.rest {
		c.file(w, File{Write: c.has("-w"), Tree: true})
	}
}

const cargoKnown = `add b bench build c check clean clippy d doc fetch fix fmt generate-lockfile help info init install locate-project
	login logout metadata new nextest owner package pkgid publish r read-manifest remove report rm run rustc rustdoc search t test tree
	uninstall update vendor verify-project version yank`

func cargoRow() spec {
	sub := spec{lax: true, ok: "-p= -j= -F= --package= --bin= --example= --test= --bench= --features= --jobs= --profile= --target= --message-format= --color=", write: "--target-dir= --artifact-dir= --out-dir=", exact: "-C= -Z= --manifest-path= --git= --path= --index= --registry= --root= --lockfile-path=", unsure: "--config="}
	subs := make(map[string]spec)
	same(subs, sub, cargoKnown)
	return spec{
		stop: true, mild: true, ok: "-vVqh --version --list --verbose --quiet --color= --locked --offline --frozen --help --explain=", exact: "-C= -Z=", unsure: "--config=",
		raw: cargoOps, subs: subs, other: "an unknown subcommand may be an alias or another program",
	}
}

var toolchain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\+(stable|beta|nightly|[0-9]+\.[0-9.]+)(-[0-9]{4}-[0-9]{2}-[0-9]{2})?$`)
})

// cargoOps: +NAME before all else chooses among the installed compilers.
func cargoOps(c *call) {
	if len(c.words) > 0 && strings.HasPrefix(c.words[0].Text, "+") {
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
		if behind && compiles && (strings.HasPrefix(w.Text, "-C") || strings.HasPrefix(w.Text, "--codegen") || strings.HasPrefix(w.Text, "-Z") || strings.HasPrefix(w.Text, "-L") || strings.HasPrefix(w.Text, "--extern") || strings.HasPrefix(w.Text, "-o") || strings.HasPrefix(w.Text, "--out") || strings.HasPrefix(w.Text, "@")) {
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
		if !behind && (w.Text == "--open" || strings.HasPrefix(w.Text, "--config-file") || strings.HasPrefix(w.Text, "--tool-config-file") || strings.HasPrefix(w.Text, "--archive-file")) {
			c.exactf("cargo is given an option that can do more than the rest of the command says")
		}
	}
}

// farOptions: a folder elsewhere holds somebody else's build.
func farOptions(c *call) {
	for _, w := range c.words {
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
		name := strings.ToUpper(w.Text)
		for _, part := range []string{"COMPILER", "LAUNCHER", "INCLUDE", "TOOLCHAIN", "COMMAND", "EXECUTABLE", "PROGRAM", "LINKER", "EMULATOR", "RULE", "SHELL", "MODULE_PATH", "PREFIX_PATH", "_DIR", "FLAGS"} {
			if strings.Contains(strings.SplitN(name, "=", 2)[0], part) {
				c.exactf("cmake is given a variable that may decide what runs")
			}
		}
	}
	if c.ended {
		c.exactf("cmake hands options to the tool that builds")
	}
}

// dotnetOps: some properties name files of code, or programs.
func dotnetOps(c *call) {
	for _, w := range c.words {
		text := strings.ToLower(strings.TrimLeft(w.Text, "-/"))
		property, isProperty := strings.CutPrefix(text, "p:")
		if !isProperty {
			property, isProperty = strings.CutPrefix(text, "property:")
		}
		for _, part := range []string{"path", "targets", "props", "tool", "exe", "before", "after", "import", "dir", "event", "x="} {
			if isProperty && strings.Contains(property, part) {
				c.exactf("dotnet is given a property that may run something")
			}
		}
		if faraway(w) || strings.HasPrefix(w.Text, "-") && elsewhereIn(w) || strings.HasPrefix(w.Text, "@") || strings.HasPrefix(text, "logger:") || strings.HasPrefix(text, "l:") || strings.HasPrefix(text, "bl:") {
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

var dotnetOwn = wordset.New("build test run restore clean format publish pack list add remove new sln workload help watch msbuild")

// pytestOps: options may stand in a file; a report may go elsewhere.
func pytestOps(c *call) {
	farTestOps(c)
	for _, w := range c.values("--cov-report") {
		if strings.Contains(w.Text, ":") {
			c.exactf("pytest writes a report to a folder")
		}
	}
}

func jvmBuild() spec {
	return spec{single: true, lax: true, ok: "-pl= -P= -T= -x= -projects= -activate-profiles=", load: "-f= -file= -pom=", spill: "-l= -log-file= -logfile=", exact: "-buildfile= -system-prop= -project-cache-dir= -b= -c= -g= -p= -s= -gs= -settings= -t= -toolchains= -project-dir= -build-file= -settings-file= -gradle-user-home= -include-build=", unsure: "-I= -init-script= -D= -lib= -logger= -listener= -inputhandler=", ops: jvmOps}
}

// jvmOps: some properties name a program or a file of settings.
func jvmOps(c *call) {
	for _, w := range c.words {
		text := strings.ToLower(w.Text)
		switch {
		case c.name == "sbt" && strings.HasPrefix(text, "!"), strings.HasPrefix(text, "antrun:"), strings.HasPrefix(text, "dependency:get"), strings.Contains(text, ":") && strings.Contains(strings.SplitN(text, ":", 2)[0], "."), strings.HasPrefix(text, "--gradle-distribution-url"):
			c.exactf("%s runs something that its words name", c.name)
		case c.name == "ant" && strings.HasPrefix(w.Text, "-Dbasedir"):
			c.exactf("ant works in another folder")
		case strings.HasPrefix(w.Text, "-I"):
			c.unsuref("%s is given a script to start with", c.name)
		case c.jvmGlued(w.Text):
			c.exactf("%s is given an option that may name another folder or a file of settings", c.name)
		case strings.HasPrefix(w.Text, "-D") && (strings.Contains(text, "exec") || strings.Contains(text, "jvm") || strings.Contains(text, "argline") || strings.Contains(text, "multimoduleproject") || strings.Contains(text, "repo.local") || strings.Contains(text, "java.home") || strings.Contains(text, "javahome") || strings.Contains(text, "settings") || strings.Contains(text, "ext.class.path") || strings.Contains(text, "init")):
			c.unsuref("%s is given a property that may run a program", c.name)
		case c.name == "sbt" && (strings.HasPrefix(text, "-j") || strings.HasPrefix(text, "-sbt-") || strings.HasPrefix(text, "--sbt-")):
			c.unsuref("sbt is given code to load")
		case c.name == "sbt" && (strings.HasPrefix(text, "eval") || strings.HasPrefix(text, "set ") || text == "set" || strings.HasPrefix(text, "apply")):
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
func (c *call) jvmGlued(text string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
	known := c.options().byName
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

func javaOps(c *call) {
	for _, w := range append(c.values("-cp", "-classpath", "--class-path", "-p", "-module-path", "-jar"), c.rest[:min(1, len(c.rest))]...) {
		if elsewhereIn(w) {
			c.exactf("java runs a program from outside of the project")
		}
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
		case strings.HasPrefix(w.Text, "-Xlog:") && strings.Contains(w.Text, "file="), strings.HasPrefix(w.Text, "@"), strings.HasPrefix(w.Text, "-agent"), strings.HasPrefix(w.Text, "-Xrun"), strings.HasPrefix(w.Text, "-javaagent"), strings.HasPrefix(w.Text, "-Xbootclasspath"), strings.HasPrefix(w.Text, "-XX:On"), strings.HasPrefix(w.Text, "-XX:Flags"), strings.HasPrefix(w.Text, "-XX:VMOptions"):
			c.unsuref("java is given code to load or options from a file")
		case strings.HasPrefix(w.Text, "-XX:") && !vmSetting().MatchString(w.Text):
			c.exactf("java -XX is given a setting that may name a file")
		}
	}
	if len(c.rest) > 0 && strings.HasSuffix(c.rest[0].Text, ".java") {
		c.reads(c.rest[0])
	}
}

func pytestRow() spec {
	return spec{
		lax: true, ok: "-k= -m= -n= -r= -W= --maxfail= --tb= --durations= --timeout= --cov? --cov-report= --color= --log-level= --log-cli-level= --junit-prefix= --ignore= --deselect= --capture= --show-capture= --verbosity=",
		spill: "--junitxml= --junit-xml= --log-file= --resultlog= --result-log= --pastebin= --debug?", ops: pytestOps, exact: "--ds= --dc= --pythonpath= -p= -c= -o= --config-file= --override-ini= --rootdir= --confcutdir= --pdbcls= --basetemp= --import-mode= --cov-config= --trace --pdb --pyargs --dist= --tx= --rsyncdir= -d --html=",
	}
}

// formatOps: -i changes the files.
func formatOps(c *call) {
	for _, w := range c.rest {
		c.file(w, File{Write: c.has("-i")})
	}
}

func prettierOps(c *call) {
	for _, w := range c.rest {
		c.file(w, File{Write: c.has("-w", "--write"), Tree: true})
	}
}

const goBuildConst = "-a -n -race -msan -asan -cover -v -work -x -linkshared -trimpath -buildvcs -p= -covermode= -coverpkg= -asmflags= -buildmode= -gcflags= -ldflags= -installsuffix= -mod= -pkgdir= -tags= -pgo= -modcacherw -json -C= -h -help "
const goTestConst = "-args -c -failfast -fullpath -i -short -benchmem -artifacts -bench= -benchtime= -blockprofilerate= -count= -cpu= -fuzz= -fuzztime= -fuzzminimizetime= -list= -memprofilerate= -mutexprofilefraction= -parallel= -run= -shuffle= -skip= -timeout= -vet= -update -golden "
const goRiskyConst = "-toolexec= -exec= -vettool= -fixtool= -overlay= -modfile= -compiler= -gccgoflags="
