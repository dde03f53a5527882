package shell

import (
	"regexp"
	"strings"
)

// buildRows are programs that build and test a project.
func buildRows() map[string]spec {
	compiler := spec{lax: true, single: true, ok: compilerValues, write: "-o= -MF=", unsure: "-wrapper= -specs= -fplugin= -B= -fuse-ld= -load= -iplugindir= -Xclang= -plugin= -T=", ops: compilerOps}
	rows := map[string]spec{
		"make": makeRow(), "gmake": makeRow(), "bmake": makeRow(),
		"go":        goRow(),
		"gofmt":     {single: true, ok: "-d -e -l -s -w -r= -h -help", spill: "-cpuprofile=", ops: gofmtOps},
		"goimports": {single: true, lax: true, spill: "-cpuprofile= -memprofile= -trace=", ops: gofmtOps},
		"cargo":     cargoRow(),
		"rustc":     {lax: true, ok: "-L= -l= --crate-name= --crate-type= --edition= --emit= --target= --cfg= --extern= --print=", write: "-o= --out-dir=", exact: "-C= --codegen= -Z=", unsure: "--sysroot=", ops: compilerOps},
		"cmake":     {lax: true, ok: "-S= -B= -G= -D= -U= -A= -T= --build= --target= --config= --preset= --parallel? -j? -t= --install= --log-level=", exact: "-P= -C= -E --open= --toolchain= --graphviz= --workflow --trace-redirect= --debugger-pipe=", unsure: "--debugger"},
		"ctest":     {lax: true, exact: "-S= -D= --script= --dashboard= --build-and-test --overwrite="},
		"ninja":     {lax: true, ok: "-j= -k= -l= -d= -w=", read: "-f=", exact: "-C= -t="},
		"mvn":       jvmBuild(), "gradle": jvmBuild(), "sbt": jvmBuild(), "ant": jvmBuild(),
		"java":   {single: true, stop: true, mild: true, lax: true, ok: "-cp= -classpath= --class-path= -p= -module-path= -add-opens= -add-exports=", read: "-jar=", unsure: "-agentlib= -agentpath= -javaagent= -Xbootclasspath= -XX:OnError= -XX:OnOutOfMemoryError= -XX:Flags= -XX:VMOptionsFile=", ops: javaOps},
		"javac":  {single: true, lax: true, ok: "-cp= -classpath= -sourcepath= -source= -target= --release= -encoding=", write: "-d= -s= -h=", exact: "-processor= -processorpath= -Xplugin=", ops: compilerOps},
		"dotnet": {lax: true, stop: true, subs: map[string]spec{"exec": {lax: true, whole: "runs a program by its file"}, "tool": {lax: true, whole: "installs or runs tools"}, "script": {lax: true, whole: "runs code"}, "fsi": {lax: true, whole: "runs code"}, "dnx": {lax: true, whole: "runs a package by name"}, "nuget": {lax: true, whole: "changes where packages come from"}, "msbuild": {lax: true, single: true, exact: "-logger= -l="}}},
		"rake":   {lax: true, ok: "-C= -I=", load: "-f= --rakefile=", code: "-e= -E= -p= --execute= --execute-continue= --execute-print=", exact: "-r= --require= -R= --rakelibdir="},
		"rails":  {lax: true, stop: true, subs: map[string]spec{"runner": {lax: true, whole: "runs code given on the command line"}, "r": {lax: true, whole: "runs code given on the command line"}, "console": {lax: true, whole: atPrompt}, "c": {lax: true, whole: atPrompt}, "dbconsole": {lax: true, whole: atPrompt}, "db": {lax: true, whole: atPrompt}, "new": {lax: true, unsure: "-m= --template= -r="}, "app:template": {lax: true, whole: "runs code from elsewhere"}}},
		"just":   {lax: true, ok: "-q -n", load: "-f= --justfile=", exact: "-d= --working-directory= --shell= --shell-arg= -c --command --chooser= --choose --edit -e --evaluate -g"},
		"task":   {lax: true, load: "-t= --taskfile=", exact: "-d= --dir= -g --global"},
		"pytest": pytestRow(), "py.test": pytestRow(),
		"tox":     {lax: true, load: "-c= --conf=", exact: "-x= --override=", unsure: "--runner="},
		"webpack": {lax: true, exact: "-c= --config= --plugin= --entry= --require= -r="}, "rollup": {lax: true, exact: "-c? --config? -p= --plugin= --configPlugin="},
		"vite": {lax: true, exact: "-c= --config="}, "esbuild": {lax: true, spill: "--outfile= --outdir= --metafile=", exact: "--servedir="},
		"black": {lax: true, exact: "--config="}, "isort": {lax: true, exact: "--settings-path= --sp= --settings-file="}, "ruff": {lax: true, spill: "-o= --output-file=", exact: "--config="}, "flake8": {lax: true, exact: "--config= --append-config=", spill: "--output-file="},
		"mypy":         {lax: true, exact: "--config-file= --install-types -c= --command=", unsure: "--python-executable="},
		"pylint":       {lax: true, exact: "--rcfile=", code: "--init-hook=", unsure: "--load-plugins="},
		"shellcheck":   {lax: true, exact: "--rcfile=", ops: readAll},
		"clang-tidy":   {lax: true, single: true, exact: "-config-file= -config=", unsure: "-load= -plugins=", ops: readAll},
		"clang-format": {lax: true, single: true, ops: readAll},
		"ctags":        {lax: true, exact: "--options= --options-maybe= --optlib-dir=", spill: "-f= -o="},
		"pre-commit":   {lax: true, load: "-c= --config="},
		"bazel":        {lax: true, single: true, exact: "-bazelrc=", unsure: "-run_under= -action_env= -spawn_strategy= -override_repository="},
		"meson":        {lax: true, exact: "--native-file= --cross-file="},
		"nox":          {lax: true, exact: "-f= --noxfile="},
		"eslint":       {lax: true, ok: "--ext= --max-warnings=", spill: "-o= --output-file=", exact: "-f= --format= -c= --config= --rulesdir= --resolve-plugins-relative-to= --plugin= --parser= --init", read: "--ignore-path=", ops: readTrees},
		"prettier":     {lax: true, ok: "--parser= --log-level=", exact: "--plugin= --config= --find-config-path=", ops: prettierOps},
		"jest":         {lax: true, ok: "-t= --testNamePattern=", exact: "-c= --config= --globalSetup= --globalTeardown= --setupFiles= --setupFilesAfterEnv= --runner= --testRunner= --transform= --reporters= --resolver= --testEnvironment= --rootDir= --outputFile= --preset= --watchPlugins= --testSequencer= --filter= --haste="},
		"vitest":       {lax: true, ok: "-t=", exact: "-c= --config= -r= --root= --globalSetup= --reporter= --outputFile= --environment= --runner= --dir="},
		"mocha":        {lax: true, ok: "-t= -g= --timeout= --grep=", exact: "-r= --require= --config= --reporter= -R= --loader= --import= --package= --node-option="},
		"phpunit":      {lax: true, ok: "--filter=", exact: "--bootstrap= -c= --configuration= -d= --include-path= --printer= --extension="},
		"tsc":          {lax: true, single: true, ok: "-p= -project= -target= -module=", write: "-outDir= -outFile= -declarationDir= -tsBuildInfoFile= -generateTrace= -generateCpuProfile="},
		"ld":           {single: true, lax: true, ok: "-l= -L=", write: "-o= -Map=", unsure: "-plugin= -plugin-opt= -T= -dynamic-linker="},
	}
	for name := range set("gcc g++ clang clang++ cc c++ cpp tcc") {
		rows[name] = compiler
	}
	return rows
}

const compilerValues = "-x= -include= -I= -L= -D= -U= -isystem= -iquote= -idirafter= -MT= -MQ= -arch= -target= -framework= -Xlinker= -Xpreprocessor= -Xassembler= -u= -z= -l="

// compilerOps: @file holds further options.
func compilerOps(c *call) {
	for _, w := range c.words {
		switch {
		case strings.HasPrefix(w.text, "@"):
			c.unsuref("%s reads options from a file", c.name)
		case strings.HasPrefix(w.text, "-B") || strings.HasPrefix(w.text, "-fplugin") || strings.HasPrefix(w.text, "-specs") || strings.HasPrefix(w.text, "--specs") || strings.HasPrefix(w.text, "-fuse-ld") || strings.Contains(w.text, "-plugin"):
			c.unsuref("%s is given a program or a plugin to run", c.name)
		case len(w.text) > 2 && strings.HasPrefix(w.text, "-o"):
			c.writes(tail(w, w.text[2:]))
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
		if !w.known || w.tilde || !isBelow(w.text) {
			c.exactf("make -C works in another folder")
		}
	}
	for _, w := range c.rest {
		name, value, found := strings.Cut(w.text, "=")
		name = strings.TrimRight(name, ":+?!")
		switch {
		case !found:
		case name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKEFLAGS" || name == "MAKE" || strings.ContainsAny(name, "$!") || strings.Contains(value, "$(") || strings.Contains(value, "${") || strings.Contains(w.text, "!="):
			c.unsuref("make is given a variable that decides what runs")
		default:
			c.exactf("make is given a variable, which may decide what runs")
		}
	}
}

func goRow() spec {
	const build = "-a -n -race -msan -asan -cover -v -work -x -linkshared -trimpath -buildvcs -p= -covermode= -coverpkg= -asmflags= -buildmode= -gcflags= -ldflags= -installsuffix= -mod= -pkgdir= -tags= -pgo= -modcacherw -json -C= -h -help "
	const tests = "-args -c -failfast -fullpath -i -short -benchmem -artifacts -bench= -benchtime= -blockprofilerate= -count= -cpu= -fuzz= -fuzztime= -fuzzminimizetime= -list= -memprofilerate= -mutexprofilefraction= -parallel= -run= -shuffle= -skip= -timeout= -vet= -update -golden "
	const risky = "-toolexec= -exec= -vettool= -overlay= -modfile= -compiler= -gccgoflags="
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
			"build": built, "test": test, "install": built, "get": get, "list": list, "run": run, "vet": vet, "generate": {single: true, ok: build + "-run= -skip= ", unsure: risky, ops: goOps},
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
		if strings.Contains(w.text, "ext") || strings.Contains(w.text, "tmpdir") || strings.Contains(w.text, "linkmode") || strings.Contains(w.text, "@") || strings.Contains(w.text, "plugin") {
			c.unsuref("%s can make the linker run another program", c.name)
		}
	}
	for _, w := range c.values("-o") {
		if w.tilde || !isBelow(w.text) && !streams[w.text] {
			c.exactf("%s -o writes outside its folder", c.name)
		}
	}
	for _, w := range c.values("-C") {
		if !w.known || !isBelow(w.text) {
			c.exactf("go -C works in another folder")
		}
	}
	if c.name == "go install" {
		for _, w := range c.rest {
			if strings.Contains(w.text, "@") {
				c.exactf("go install builds a program from elsewhere")
			}
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
	local := w.text == "." || strings.HasPrefix(w.text, "./") || strings.HasSuffix(w.text, ".go") && !strings.HasPrefix(w.text, "-")
	if !w.known || !local || !isBelow(w.text) || w.tilde {
		c.exactf("go run compiles and runs code from elsewhere")
	}
	if strings.HasSuffix(w.text, ".go") {
		c.reads(w)
	}
}

var goTools = set("cover nm objdump buildid addr2line test2json vet fix doc")

func goToolOps(c *call) {
	if len(c.rest) > 0 && !goTools[c.rest[0].text] {
		c.exactf("go tool runs a program by its name")
	}
}

func gofmtOps(c *call) {
	for _, w := range c.rest {
		c.file(w, file{write: c.has("-w"), tree: true})
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

var toolchain = regexp.MustCompile(`^\+(stable|beta|nightly|[0-9]+\.[0-9.]+)(-[0-9]{4}-[0-9]{2}-[0-9]{2})?$`)

// cargoOps: +NAME before all else chooses among the installed compilers.
func cargoOps(c *call) {
	if len(c.words) > 0 && strings.HasPrefix(c.words[0].text, "+") {
		if !toolchain.MatchString(c.words[0].text) {
			c.exactf("cargo is given a compiler of an unusual name")
		}
		c.words = c.words[1:]
	}
	c.parse()
	c.sub(c.rest)
}

func jvmBuild() spec {
	return spec{single: true, lax: true, ok: "-pl= -P= -T= -x= -projects= -activate-profiles=", load: "-f= -file= -pom=", exact: "-b= -c= -g= -p= -s= -gs= -settings= -t= -toolchains= -project-dir= -build-file= -settings-file= -gradle-user-home= -include-build=", unsure: "-I= -init-script= -D= -lib= -logger= -listener= -inputhandler=", ops: jvmOps}
}

// jvmOps: some properties name a program or a file of settings.
func jvmOps(c *call) {
	for _, w := range c.words {
		text := strings.ToLower(w.text)
		switch {
		case strings.HasPrefix(text, "-i") && len(text) > 2 && text != "-info" && !strings.HasPrefix(text, "-in"):
			c.unsuref("%s is given a script to start with", c.name)
		case strings.HasPrefix(w.text, "-D") && (strings.Contains(text, "exec") || strings.Contains(text, "jvm") || strings.Contains(text, "javahome") || strings.Contains(text, "settings") || strings.Contains(text, "ext.class.path") || strings.Contains(text, "init")):
			c.unsuref("%s is given a property that may run a program", c.name)
		case strings.HasPrefix(text, "exec:"):
			c.exactf("%s runs a program by its name", c.name)
		}
	}
}

func javaOps(c *call) {
	for _, w := range c.words {
		switch {
		case strings.HasPrefix(w.text, "@"), strings.HasPrefix(w.text, "-agent"), strings.HasPrefix(w.text, "-javaagent"), strings.HasPrefix(w.text, "-Xbootclasspath"), strings.HasPrefix(w.text, "-XX:On"), strings.HasPrefix(w.text, "-XX:Flags"), strings.HasPrefix(w.text, "-XX:VMOptions"):
			c.unsuref("java is given code to load or options from a file")
		}
	}
	if len(c.rest) > 0 && strings.HasSuffix(c.rest[0].text, ".java") {
		c.reads(c.rest[0])
	}
}

func pytestRow() spec {
	return spec{
		lax: true, ok: "-k= -m= -n= -r= -W= --maxfail= --tb= --durations= --timeout= --cov? --cov-report= --color= --log-level= --log-cli-level= --junit-prefix= --ignore= --deselect= --capture= --show-capture= --verbosity=",
		spill: "--junitxml= --junit-xml= --log-file= --resultlog= --result-log= --pastebin= --debug?", exact: "-p= -c= -o= --config-file= --override-ini= --rootdir= --confcutdir= --pdbcls= --basetemp= --import-mode= --cov-config= --trace --pdb --pyargs --dist= --tx= --rsyncdir= -d --html=",
	}
}

func prettierOps(c *call) {
	for _, w := range c.rest {
		c.file(w, file{write: c.has("-w", "--write"), tree: true})
	}
}
