package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

const (
	handsOn  = "runs a command that its words name"
	serves   = "gives files of this machine to others, or lets them in"
	settles  = "changes settings"
	imaging  = "reads its words as a small language that can run programs and write files"
	atWindow = "takes commands from its screen"
)

// otherRows are programs of many kinds that hand their words on, serve files or take
// small languages.
func otherRows() map[string]spec {
	rows := map[string]spec{
		"ugrep": ugrepRow(), "ug": ugrepRow(), "ugrep+": ugrepRow(), "ug+": ugrepRow(),
		"bfs":    {raw: findOps},
		"mlr":    {lax: true, stop: true, exact: "-s=", unsure: "--prepipe= --prepipex= --load= --mload=", ops: millerOps},
		"pax":    {lax: true, ok: "-b= -o= -s= -x=", read: "-f=", ops: paxOps},
		"yt-dlp": downloaderRow(), "youtube-dl": downloaderRow(),
		"kustomize": {lax: true, exact: "--enable-exec --enable-alpha-plugins --enable-helm --helm-command=", spill: "-o= --output="},
		"cvs":       {lax: true, exact: "-d=", unsure: "-e= -z="},
		"az":        {lax: true, ops: azOps},
		"swiftc":    {lax: true, single: true, ok: compilerValues, write: "-o=", unsure: "-load-plugin-library= -load-plugin-executable= -plugin-path= -use-ld= -tools-directory=", ops: compilerOps},
		"scalar":    {lax: true, whole: "works on several repositories, by what settings say"}, "repo": {lax: true, stop: true, subs: map[string]spec{"forall": {lax: true, whole: handsOn}, "init": {lax: true, whole: "works by a list from elsewhere"}, "upload": {lax: true, whole: "sends files to the network"}}},
		"xcodebuild": {lax: true, single: true, ops: xcodeOps},
		"sops":       {lax: true, subs: map[string]spec{"exec-env": {lax: true, whole: handsOn}, "exec-file": {lax: true, whole: handsOn}, "edit": {lax: true, whole: "opens an editor"}}},
		"kotlinc":    {lax: true, single: true, write: "-d=", exact: "-script -e=", unsure: "-Xplugin=", ops: compilerOps}, "scalac": {lax: true, single: true, write: "-d=", ops: compilerOps}, "groovyc": {lax: true, single: true, write: "-d=", ops: compilerOps},
		"fallocate": {lax: true, ok: "-o= -l= --offset= --length=", ops: writeAll},
		"rspec":     {lax: true, ok: "-e= -t= -P= --example= --tag= --pattern= --seed= --order= -f= --format=", spill: "-o= --out=", exact: "-r= --require= -I= -O= --options= --default-path=", ops: rspecOps},
		"rubocop":   {lax: true, ok: "--only= --except=", spill: "-o= --out= --cache-root=", exact: "-r= --require= -c= --config= --plugin=", ops: farFileOps},
		"protoc":    {lax: true, ok: "-I= --proto_path=", exact: "-o= --descriptor_set_out=", unsure: "--plugin=", ops: protocOps},
		"golangci-lint": {
			lax: true, ok: "-E= -D= --timeout= --enable= --disable= --max-same-issues= --build-tags=", exact: "-c= --config= --out-format=", spill: "--cpu-profile-path= --mem-profile-path= --trace-path=",
			ops: linterOps, subs: map[string]spec{"custom": {lax: true, whole: "builds another program"}},
		},
		"gofumpt": {single: true, lax: true, spill: "-cpuprofile=", ops: gofmtOps},
		"man":     manRow(),
		"jar":     {lax: true, exact: "-C", ops: jarOps},
		"xcrun":   {stop: true, wraps: true, ok: "-vlnk --verbose --log --no-cache --kill-cache --sdk= --toolchain= --find --show-sdk-path --show-sdk-version", ops: xcrunOps},
		"ccache":  {stop: true, wraps: true, ok: "-scCzpVh --show-stats --zero-stats --version --help --show-config"}, "sccache": {stop: true, wraps: true, ok: "-s --show-stats --version --help"}, "distcc": {stop: true, wraps: true},
		"nvcc":              {lax: true, single: true, ok: compilerValues, write: "-o=", unsure: "-ccbin= --compiler-bindir= -optf= -Xcompiler= -Xlinker=", ops: compilerOps},
		"javadoc":           {single: true, lax: true, write: "-d=", unsure: "-doclet= -docletpath= -taglet= -tagletpath=", ops: compilerOps},
		"keytool":           {lax: true, single: true, exact: "-importcert -import -genkey -genkeypair -exportcert -delete -providerclass="},
		"journalctl":        {lax: true, ok: "-u= -n= -p= -t= -S= -U= --unit= --since= --until= --lines= -o= --output= -g= --grep=", read: "--file= -D= --directory=", exact: "--vacuum-size= --vacuum-time= --vacuum-files= --rotate --flush --setup-keys --update-catalog -M= --machine= --relinquish-var --smart-relinquish-var --root= --image= --cursor-file="},
		"loginctl":          {lax: true, ops: onlyWith("list-sessions list-users list-seats show-session show-user session-status user-status seat-status")},
		"gsettings":         {lax: true, ops: onlyWith("get list-schemas list-keys list-recursively range describe")},
		"dconf":             {lax: true, ops: onlyWith("read list dump watch")},
		"coverage":          {lax: true, stop: true, exact: "--rcfile=", subs: map[string]spec{"run": {lax: true, stop: true, ok: "--source= --omit= --include= --context= --concurrency=", exact: "-m --module --rcfile= --data-file=", ops: scriptFile}, "html": {lax: true, spill: "-d= --directory= --data-file=", exact: "--rcfile="}, "xml": {lax: true, spill: "-o= --data-file=", exact: "--rcfile="}, "json": {lax: true, spill: "-o= --data-file=", exact: "--rcfile="}, "report": {lax: true, exact: "--rcfile= --data-file="}}},
		"openscad":          {lax: true, whole: "runs code"},
		"gpg-connect-agent": {lax: true, whole: "talks to the agent that keeps the keys"}, "gpgtar": {lax: true, unsure: "--gpg= --gpg-args=", ops: writeAll},
	}
	same(rows, spec{lax: true, stop: true, subs: map[string]spec{"exec": {lax: true, whole: handsOn}, "ghci": {lax: true, whole: atPrompt}, "repl": {lax: true, whole: atPrompt}, "runghc": {lax: true, whole: "runs code"}, "runhaskell": {lax: true, whole: "runs code"}, "script": {lax: true, whole: "runs code"}, "eval": {lax: true, whole: "runs code"}}}, "stack cabal dune opam")
	for _, name := range []string{"stack", "cabal"} {
		row := rows[name]
		row.ops = haskellOps
		rows[name] = row
	}
	same(rows, spec{lax: true, single: true, ok: "-o= -I= -package=", exact: "-run", unsure: "-pp= -ppx= -cc= -plugin= -ccopt= -args= -args0="}, "ocamlopt ocamlc ocamlfind tcc")
	same(rows, spec{lax: true, whole: handsOn}, handing)
	same(rows, spec{lax: true, whole: "runs code"}, "scheme clisp gforth gst prolog gp sage matlab rebol newlisp chez petite csi fsi fsharpi livescript lsc runhaskell spago hy byebug pdb ipdb jjs cpan facter puppet gimp cobc cowsay bpftrace easy_install ginsh msfconsole bconsole")
	same(rows, spec{lax: true, whole: serves}, "serve http-server live-server simple-http-server miniserve ttyd wetty gotty code-server webfsd darkhttpd caddy ssh-import-id sshfs chisel frpc rathole websocat websockify wscat")
	same(rows, spec{lax: true, whole: atWindow}, "mc ranger nnn lf vifm yazi broot fff ncdu byobu gum sk peco dialog whiptail zenity watchman-make watchman ncftp minicom scanmem rtorrent tasksh tdbtool crash jtag psftp vigr rlogin")
	same(rows, spec{lax: true, whole: imaging}, "convert magick mogrify composite montage identify compare gs ghostscript ps2pdf exiftool tex latex pdftex pdflatex xetex xelatex luatex lualatex latexmk tectonic groff troff nroff pic dvips enscript")
	same(rows, spec{lax: true, whole: settles}, "update-alternatives alternatives ldconfig logrotate incrontab nginx machinectl hostnamectl timedatectl debugfs installer qemu-system-x86_64 grub-install efibootmgr")
	same(rows, spec{lax: true, whole: "writes files by a recipe from elsewhere, and runs what the recipe says"}, "cookiecutter copier yeoman yo plop scaffold")
	same(rows, spec{lax: true, whole: "starts another agent"}, "amp cursor-agent copilot crush qwen llm droid interpreter")
	same(rows, spec{lax: true, ok: "-o=", unsure: "--plugin=", ops: writeObject}, "objcopy strip patchelf install_name_tool")
	same(rows, spec{lax: true, ok: "-j= -M= -m=", unsure: "--plugin=", ops: compilerOps}, "nm objdump readelf ranlib size addr2line")
	same(rows, spec{lax: true, write: "-o=", unsure: "--plugin=", ops: compilerOps}, "as flex lex bison yacc")
	same(rows, spec{lax: true, whole: "makes git run programs"}, "husky lefthook simple-git-hooks")
	return rows
}

// handing are programs whose words are, or hold, a command to run.
const handing = `ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 i386 fakechroot sem pee vipe zargs newgrp multitime cross-env
	cross-env-shell env-cmd dotenvx bear intercept-build analyze-build scan-build libtool glibtool start-stop-daemon setuidgid envdir
	envuidgid setlock pgrphack aa-exec runcon gpg-agent run-mailcap see mailcap x-terminal-emulator wt jbang act retry
	rpmbuild dlv pg_ctl sshuttle mpirun mpiexec srun sbatch qsub torchrun accelerate nvprof nsys ncu kcov flamegraph samply
	aws-vault envchain teller berglas summon s6-setuidgid with-contenv watchfiles ansible-pull ansible-inventory molecule
	grc c8 nyc istanbul systemd-cat lckdo zrun gdbserver asciinema ttyrec runc crun ctr crictl lxc lxc-attach incus distrobox toolbox apptainer
	singularity schroot nsjail minijail0 sandbox-exec dtruss dtrace xctrace trace-cmd uftrace py-spy memray viztracer kernprof pyinstrument scalene
	npm-run-all run-s run-p tsc-watch zx wasmer foreman honcho annotate-output detach ts-node-dev
	genie tmate git-shell gtester csvtool scrot openvpn check_by_ssh pidstat`

func ugrepRow() spec {
	s := grepRow()
	s.ok += " -Z? -J= -K= -t= -O= -g= --glob="
	s.exact, s.unsure = "--config? -Q? --query? --save-config?", "--filter= --filter-magic-label= --pager? --view?"
	return s
}

func downloaderRow() spec {
	return spec{
		lax: true, whole: "writes files that are named by their addresses",
		unsure: "--exec= --exec-before-download= --downloader= --external-downloader= --config-location= --config-locations= --plugin-dirs= --netrc-cmd= --use-postprocessor= --ffmpeg-location= --ppa= --postprocessor-args= --batch-file= -a=",
	}
}

// millerOps: the language of mlr runs and writes.
func millerOps(c *call) {
	for _, w := range c.words {
		for _, part := range []string{"system", "exec", "|", ">", "tee", "split", "emit1", "-f"} {
			if strings.Contains(w.Text, part) {
				c.exactf("mlr may run a program or write a file")
			}
		}
	}
}

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

var protocOwn = wordset.New("--cpp_out --java_out --python_out --pyi_out --ruby_out --php_out --csharp_out --objc_out --kotlin_out --rust_out")

func afterEquals(text string) string {
	_, value, _ := strings.Cut(text, "=")
	return value
}

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
	for _, w := range c.rest {
		if faraway(w) || strings.HasPrefix(w.Text, "@") {
			c.exactf("%s runs tests from elsewhere", c.name)
		}
	}
}

// farFileOps: formatters change the files that they are given.
func farFileOps(c *call) {
	for _, w := range c.rest {
		if faraway(w) {
			c.exactf("%s may change files outside of its folder", c.name)
		}
	}
}

func linterOps(c *call) {
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, "--output.") && strings.Contains(w.Text, "path") {
			c.exactf("golangci-lint writes a file")
		}
	}
}

func jarOps(c *call) {
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, "@") || strings.HasPrefix(w.Text, "-J") || faraway(w) {
			c.exactf("jar is given files or options from elsewhere")
		}
	}
	writeAll(c)
}

func xcrunOps(c *call) {
	if c.has("--find", "--show-sdk-path", "--show-sdk-version") {
		c.m.Wrapper, c.m.Runs = "", nil
	}
}

// haskellOps: the compiler can be told to run other programs.
func haskellOps(c *call) {
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, "--ghc-options") || strings.HasPrefix(w.Text, "--with-") || strings.HasPrefix(w.Text, "-w") || strings.HasPrefix(w.Text, "--test-wrapper") {
			c.exactf("%s is given another compiler or options for it", c.name)
		}
	}
}

// onlyWith makes a program exact for all subcommands but those that only look.
func onlyWith(names string) func(*call) {
	looks := wordset.Map(names)
	return noted("only-with "+names, func(c *call) {
		if len(c.rest) == 0 || !looks[c.rest[0].Text] {
			c.exactf("%s changes settings or what runs", c.name)
		}
	})
}

// writeObject: these change the files that they name.
func writeObject(c *call) {
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, "@") {
			c.unsuref("%s reads options from a file", c.name)
		}
		if faraway(w) {
			c.exactf("%s works on files from elsewhere", c.name)
		}
	}
	writeAll(c)
}

// xcodeOps: NAME=VALUE is a setting of the build, which may name a program.
func xcodeOps(c *call) {
	for _, w := range c.words {
		if strings.Contains(w.Text, "=") || faraway(w) {
			c.exactf("xcodebuild is given a setting or a project from elsewhere")
		}
	}
}

func manRow() spec {
	return spec{
		lax: true, ok: "-s= -S= -e= -L= -m= -R= -E= -p= --sections= --extension= --locale= --systems= --recode= --encoding= --preprocessor=",
		exact: "-M= --manpath=", unsure: "-C= --config-file= -P= --pager= -H? --html? -l --local-file -X? --gxditview? -Z",
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
