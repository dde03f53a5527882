package command

import (
	"maps"
	"strings"
)

// wrapperRows are programs whose operands are a command that they run.
func wrapperRows() map[string]spec {
	rows := map[string]spec{
		"sudo": {
			stop: true,
			ok: "-bEHknPSvVBK -u= -g= -p= -C= -T= -U= -r= -t= --background --bell --preserve-env? --set-home --reset-timestamp --non-interactive --preserve-groups --stdin --validate --version --help --remove-timestamp " +
				"--user= --group= --prompt= --close-from= --command-timeout= --other-user= --role= --type= -i -l -s --login --list --shell -a= -c= --auth-type= --login-class=",
			unsure: "-A --askpass -e --edit -D= --chdir= -R= --chroot= -h= --host=", ops: sudoOps,
		},
		"doas":       {stop: true, ok: "-Lns -u=", read: "-C=", ops: sudoOps},
		"env":        envRow(),
		"timeout":    {stop: true, wraps: true, skip: 1, ok: "-fpv -k= -s= --foreground --preserve-status --verbose --kill-after= --signal= --help --version"},
		"nice":       {stop: true, wraps: true, ok: "-0123456789- -n= --adjustment= --help --version"},
		"ionice":     {stop: true, wraps: true, ok: "-t -c= -n= -p= -P= -u= --class= --classdata= --pid= --pgid= --uid= --ignore --help --version"},
		"nohup":      {stop: true, wraps: true, ok: "--help --version"},
		"setsid":     {stop: true, wraps: true, ok: "-cfw --ctty --fork --wait --help --version"},
		"stdbuf":     {stop: true, wraps: true, ok: "-i= -o= -e= --input= --output= --error= --help --version"},
		"time":       {stop: true, wraps: true, ok: "-aplvqVhlc -f= --append --portability --verbose --quiet --format= --help --version", spill: "-o= --output="},
		"chrt":       {stop: true, wraps: true, skip: 1, ok: "-abdfiormpRv -T= -P= -D= --batch --deadline --fifo --idle --other --rr --all-tasks --max --pid --verbose --reset-on-fork --sched-runtime= --sched-period= --sched-deadline="},
		"taskset":    {stop: true, wraps: true, skip: 1, ok: "-acp --all-tasks --cpu-list --pid"},
		"caffeinate": {stop: true, wraps: true, ok: "-disum -t= -w="},
		"catchsegv":  {stop: true, wraps: true},
		"unbuffer":   {stop: true, wraps: true, ok: "-p"},
		"winpty":     {stop: true, wraps: true, ok: "-X= --mouse --showkey --version"},
		"noglob":     {builtin: true, stop: true, wraps: true},
		"nocorrect":  {builtin: true, stop: true, wraps: true},
		"arch":       {single: true, stop: true, wraps: true, ok: "-x86_64 -arm64 -arm64e -i386 -32 -64 -c -h", unsure: "-e= -d= -arch="},
		"exec":       {builtin: true, stop: true, wraps: true, ok: "-cl", exact: "-a=", ops: execOps}, // many systems have one program that is ls or rm by the name that -a gives it
		"builtin":    {builtin: true, stop: true, wraps: true},
		"command":    {builtin: true, stop: true, ok: "-pvV", ops: commandOps},
		"xargs":      xargsRow(),
		"find":       {raw: findOps},
		"fd":         fdRow(),
		"fdfind":     fdRow(),
		"watch":      {stop: true, ok: "-beEcgprtwxCv -n= -q= -d? --beep --color --no-color --differences? --errexit --chgexit --equexit= --exec --precise --no-rerun --no-title --no-wrap --interval= --help --version", ops: watchOps},
		"flock":      {stop: true, ok: "-sexnuoFv -w= -E= -c= --shared --exclusive --nonblock --nb --unlock --close --no-fork --verbose --timeout= --wait= --conflict-exit-code= --command=", ops: flockOps},
		"script":     {ok: "-aefqrk -c= -E= -o= -m= -t? --command= --append --return --flush --force --quiet --echo= --output-limit= --logging-format= --timing?", write: "-I= -O= -B= -T= --log-in= --log-out= --log-io= --log-timing=", ops: scriptOps},
		"strace":     {stop: true, wraps: true, ok: "-cCdfhiknqrtTuvVwxyYzZFD -a= -b= -e= -O= -p= -P= -s= -S= -U= -I= -u= -X= --trace= --follow-forks --output-separately", spill: "-o= --output=", ops: straceOps},
		"ltrace":     {stop: true, wraps: true, ok: "-cCfhiLrStTV -a= -A= -e= -n= -p= -s= -u= -x= -D=", spill: "-o=", unsure: "-F= -l="},
		"valgrind":   {stop: true, lax: true, wraps: true},
		"chroot":     {stop: true, wraps: true, skip: 1, whole: "runs a program with another root folder"},
		"unshare":    {stop: true, lax: true, wraps: true, never: "runs a program where names mean other things"},
		"nsenter":    {stop: true, lax: true, wraps: true, never: "runs a program where names mean other things"},
	}
	maps.Copy(rows, runnerRows())
	same(rows, spec{stop: true, lax: true, wraps: true, whole: "runs a program in other surroundings"}, surroundings)
	return rows
}

// runnerRows are wrappers that make more of their words than to run them.
func runnerRows() map[string]spec {
	return map[string]spec{
		"su":           {ok: "-flmpP -s= -g= -G= -w= -c= --command= --fast --login --preserve-environment --pty --group= --supp-group= --whitelist-environment=", unsure: "--shell= --session-command=", ops: suOps},
		"runuser":      {stop: true, ok: "-flmpP -u= -g= -G= -w= -c= --user= --command= --login --group=", unsure: "-s= --shell= --session-command=", ops: suOps},
		"parallel":     {stop: true, lax: true, wraps: true, never: "puts its command together from texts that are not seen here"},
		"entr":         {stop: true, lax: true, wraps: true, whole: "runs a program whenever a file changes"},
		"rtk":          {stop: true, ok: "-v --verbose -u --ultra-compact --skip-env", ops: rtkOps},
		"busybox":      {stop: true, wraps: true, ops: appletOps},
		"toybox":       {stop: true, wraps: true, ops: appletOps},
		"bundle":       runnerRow("exec", "--keep-file-descriptors"),
		"poetry":       runnerRow("run", ""),
		"pipenv":       runnerRow("run", ""),
		"hatch":        runnerRow("run", ""),
		"pdm":          runnerRow("run", ""),
		"rye":          runnerRow("run", ""),
		"direnv":       {stop: true, ok: "", subs: map[string]spec{"exec": {stop: true, wraps: true, skip: 1, whole: "sets variables from a file and then runs a program"}}, other: "may run code of a folder"},
		"dotenv":       {stop: true, wraps: true, whole: "sets variables from a file and then runs a program"},
		"op":           {lax: true, stop: true, subs: map[string]spec{"run": {stop: true, wraps: true, whole: "gives secrets to a program"}}},
		"hyperfine":    {lax: true, ok: "-w= -m= -M= -r= -L= -P= --warmup= --runs= --min-runs= --max-runs=", spill: "--export-json= --export-markdown= --export-csv=", unsure: "-S= --shell= -p= --prepare= -s= --setup= -c= --cleanup=", ops: shellOperands},
		"nodemon":      {lax: true, exact: "-x= --exec= -r= --require=", ops: scriptFile},
		"concurrently": {lax: true, ok: "-n= --names= -c= --prefix-colors= -p= --prefix=", ops: shellOperands},
	}
}

// surroundings are wrappers that change what names, users or files mean, or what is
// around a program.
const surroundings = `xvfb-run dbus-run-session dbus-launch sg daemonize dtach abduco rlwrap torify tsocks dumb-init tini
	gosu su-exec cpulimit heaptrack rr eatmydata systemd-inhibit chronic ifne setpriv capsh firejail
	bwrap systemd-run systemd-nspawn fakeroot faketime proot torsocks proxychains proxychains4 cgexec
	numactl prlimit setarch linux32 linux64 pkexec run0 chpst softlimit`

// execOps: exec with nothing but redirections changes only where the shell's own
// streams lead.
func execOps(c *call) {
	c.m.Neutral = len(c.rest) == 0
}

func commandOps(c *call) {
	if c.has("-v", "-V") {
		c.m.Neutral = plainWords(c.words)
		return
	}
	c.wrap(0)
}

// sudoOps: assignments may stand before the command.
func sudoOps(c *call) {
	if c.has("-l", "--list", "-v", "--validate", "-V", "--version") {
		return
	}
	words := c.assignments(c.rest)
	if len(words) == 0 {
		if c.has("-s", "-i", "--shell", "--login") {
			c.exactf("%s opens a shell as another user", c.name)
		}
		return
	}
	c.m.Wrapper = c.name
	c.run(words)
}

// assignments takes NAME=value words off the front.
func (c *call) assignments(words []Word) []Word {
	for len(words) > 0 {
		name, value, ok := strings.Cut(words[0].Text, "=")
		if !ok || !words[0].Known {
			break
		}
		c.m.Assigns = append(c.m.Assigns, Assign{literal(name), tail(words[0], value)})
		words = words[1:]
	}
	return words
}

func envRow() spec {
	return spec{
		wraps: true, raw: envOps,
		stop: true, ok: "-i0v -u= --ignore-environment --null --unset= --debug --block-signal? --default-signal? --ignore-signal? --list-signal-handling --help --version",
		exact:  "-a= --argv0=",
		unsure: "-C= --chdir= -S= --split-string= -P= -L= -U= -f= --file=",
	}
}

// envOps: a lone dash is -i, and what follows -S is split into words by env's own rules.
func envOps(c *call) {
	if len(c.words) > 0 && c.words[0].Text == "-" {
		c.words = c.words[1:]
	}
	c.parse()
	if len(c.rest) > 0 && c.rest[0].Text == "-" {
		c.rest = c.rest[1:]
	}
	words := c.assignments(c.rest)
	if len(words) == 0 {
		return
	}
	c.m.Wrapper = c.name
	c.run(words)
}

// watchOps: watch hands its words to sh as one text, unless it has -x.
func watchOps(c *call) {
	if len(c.rest) == 0 {
		return
	}
	c.m.Wrapper = c.name
	if c.has("-x", "--exec") {
		c.run(c.rest)
		return
	}
	c.m.Scripts = append(c.m.Scripts, Script{Text: joined(c.rest)})
}

func flockOps(c *call) {
	scripts := c.values("-c", "--command")
	if len(c.rest) == 0 {
		return
	}
	c.writes(c.rest[0])
	words := c.rest[1:]
	if len(words) > 1 && (words[0].Text == "-c" || words[0].Text == "--command") {
		scripts, words = append(scripts, words[1]), nil
	}
	for _, w := range scripts {
		c.m.Scripts = append(c.m.Scripts, Script{Text: w})
	}
	c.run(words)
	if len(scripts)+len(words) > 0 {
		c.m.Wrapper = c.name
	}
}

func scriptOps(c *call) {
	scripts := c.values("-c", "--command")
	for _, w := range scripts {
		c.m.Scripts = append(c.m.Scripts, Script{Text: w})
	}
	if len(c.rest) > 1 {
		c.unsuref("script runs different words on different systems")
		c.run(c.rest[1:])
	}
	c.first(c.writes)
	if len(scripts) == 0 {
		c.exactf("script opens a shell")
	}
}

func straceOps(c *call) {
	for _, w := range c.values("-o", "--output") {
		if strings.HasPrefix(w.Text, "|") || strings.HasPrefix(w.Text, "!") {
			c.unsuref("strace -o runs a program")
		}
	}
}

// suOps reads "su [-] [user [args]]" and "runuser -u user [--] command".
func suOps(c *call) {
	scripts := c.values("-c", "--command")
	for _, w := range scripts {
		c.m.Scripts = append(c.m.Scripts, Script{Text: w, args: true})
	}
	if c.has("-s") {
		c.unsuref("%s -s can run another program", c.name)
	}
	switch {
	case c.has("-u", "--user") && len(scripts) == 0:
		c.m.Wrapper = c.name
		c.run(c.rest)
	case len(scripts) == 0 || len(c.rest) > 2:
		c.unsuref("%s opens a shell as another user", c.name)
	default:
		c.m.Wrapper = c.name + " -c"
	}
}

// rtkOps: rtk runs the command that follows; a few words before it say how to show what comes out.
func rtkOps(c *call) {
	words := c.rest
	if len(words) == 0 {
		return
	}
	switch words[0].Text {
	case "err", "test", "proxy", "summary", "run":
		words = words[1:]
		if len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
			c.unsuref("rtk is given an option that aoctl does not know")
		}
	case "read", "smart", "json", "deps", "env", "log", "wc":
		for _, w := range words[1:] {
			c.reads(w)
		}
		return
	case "gain", "discover", "init", "config", "learn", "hook", "trust", "untrust", "rewrite", "verify", "session", "telemetry", "cc-economics":
		c.exactf("rtk changes or shows its own settings")
		return
	}
	c.m.Wrapper = c.name
	c.run(words)
}

// appletOps: without an applet, or with one of busybox's own options, nothing runs.
func appletOps(c *call) {
	if c.has("--install") {
		c.exactf("%s --install makes links", c.name)
	}
}

// runnerRow is a tool of a language whose subcommand sub runs a program of the project.
func runnerRow(sub, ok string) spec {
	return spec{stop: true, ok: "-qvVhn --quiet --verbose --version --help --no-ansi --ansi --no-interaction --no-cache --no-plugins", exact: "-C= -P= --directory= --project= -p=", subs: map[string]spec{
		sub:      {stop: true, wraps: true, ok: ok},
		"shell":  {lax: true, whole: atPrompt},
		"config": {raw: configOps}, "env": {lax: true, whole: "changes which programs run"}, "self": {lax: true, whole: "changes the tool itself"},
		"console": {lax: true, whole: atPrompt}, "open": {lax: true, whole: "opens an editor"}, "plugin": {lax: true, whole: "loads code"},
	}}
}

// shellOperands: each operand is a text for a shell.
func shellOperands(c *call) {
	for _, w := range c.rest {
		c.m.Scripts = append(c.m.Scripts, Script{Text: w})
	}
	c.exactf("%s runs its words through a shell", c.name)
}

// plainWords says whether all words are known.
func plainWords(words []Word) bool {
	for _, w := range words {
		if !w.Known {
			return false
		}
	}
	return true
}
