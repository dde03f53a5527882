package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// opsRows are programs that manage machines, containers and services.
func opsRows() map[string]spec {
	rows := map[string]spec{
		"docker": dockerRow(), "podman": dockerRow(), "nerdctl": dockerRow(), "finch": dockerRow(), "buildah": dockerRow(),
		"docker-compose": composeRow(), "podman-compose": composeRow(),
		"kubectl": kubectlRow(), "oc": kubectlRow(), "k": kubectlRow(),
		"helm":      {lax: true, stop: true, exact: "--kubeconfig=", other: "an unknown subcommand may be a plugin", subs: helmSubs(map[string]spec{"plugin": {lax: true, whole: "installs or runs programs"}, "install": helmRow(), "upgrade": helmRow(), "template": helmRow()})},
		"terraform": terraformRow(), "tofu": terraformRow(), "terragrunt": terraformRow(),
		"vagrant": {lax: true, stop: true, subs: map[string]spec{"ssh": {lax: true, whole: "runs a command on another machine"}, "powershell": {lax: true, whole: "runs a command on another machine"}, "winrm": {lax: true, whole: "runs a command on another machine"}}},
		"gh":      ghRow(),
		"glab":    {lax: true, stop: true, subs: map[string]spec{"auth": {lax: true, whole: settles}, "alias": {lax: true, whole: "changes what its subcommands mean"}, "config": {lax: true, whole: "changes settings"}}},
		"jj":      {lax: true, subs: map[string]spec{"util": {lax: true, whole: "can run another program"}, "config": {raw: configOps}, "fix": {lax: true, whole: "runs what the settings say"}, "diffedit": {lax: true, whole: "opens an editor"}, "resolve": {lax: true, whole: "opens an editor"}}, exact: "-R= --repository= --at-op=", unsure: "--config= --config-toml= --config-file= --tool="},
		"apt":     aptRow(), "apt-get": aptRow(), "aptitude": aptRow(),
		"dpkg":     {lax: true, exact: "-i --install --unpack --configure --root= --admindir= --instdir=", unsure: "--pre-invoke= --post-invoke= --status-logger="},
		"rpm":      {lax: true, exact: "-i -U -F --install --upgrade --root= --rcfile= --macros= --load= --eval= -E= --dbpath=", unsure: "--define= -D= --pipe="},
		"brew":     {lax: true, stop: true, other: "an unknown subcommand may be another program", subs: brewSubs(map[string]spec{"services": {lax: true, whole: "starts and stops services"}, "sh": {lax: true, whole: "opens a shell"}, "bundle": {lax: true, whole: "does what a file says"}, "ruby": {lax: true, whole: "runs code"}, "irb": {lax: true, whole: atPrompt}, "edit": {lax: true, whole: "opens an editor"}, "tap": {lax: true, whole: "adds a source of packages"}, "exec": {lax: true, whole: byName}, "x": {lax: true, whole: byName}})},
		"sendmail": {lax: true, whole: "sends mail or runs what its settings say"},
		"lynx":     {lax: true, single: true, whole: "opens a browser"}, "w3m": {lax: true, whole: "opens a browser"}, "links": {lax: true, whole: "opens a browser"}, "elinks": {lax: true, whole: "opens a browser"},
		"aws":       {lax: true, stop: true, exact: "--endpoint-url= --ca-bundle=", ops: awsOps},
		"gcloud":    {lax: true, ops: gcloudOps, exact: "--command= --ssh-flag= --flags-file= --configuration="},
		"hg":        {lax: true, subs: map[string]spec{"extdiff": {lax: true, whole: "runs another program"}, "debugshell": {lax: true, whole: atPrompt}, "serve": {lax: true, whole: "opens a server"}, "histedit": {lax: true, whole: "opens an editor"}, "archive": {lax: true, ops: writeAll}}, ops: hgOps, exact: "-R= --repository= --cwd=", unsure: "--config= --config-file= --ssh= --remotecmd= -e= --debugger"},
		"svn":       {lax: true, exact: "-F= --config-dir=", unsure: "--diff-cmd= --diff3-cmd= --editor-cmd= --config-option="},
		"tmux":      {raw: tmuxOps},
		"screen":    {lax: true, whole: "runs programs in another terminal", unsure: "-X -c= -s= -S="},
		"zellij":    {lax: true, whole: "runs programs in another terminal"},
		"crontab":   {lax: true, ok: "-u=", ops: crontabOps},
		"ldd":       {lax: true, whole: "may run the file that it is asked about", ops: readAll},
		"systemctl": {lax: true, ok: "-t= -p= -n= -o= --type= --property= --lines= --output= --state=", exact: "-H= --host= -M= --machine= --root=", ops: systemctlOps, subs: map[string]spec{"edit": {lax: true, whole: "opens an editor"}, "link": {lax: true, whole: "makes a service of a file"}, "set-environment": {lax: true, whole: "sets variables for services"}, "import-environment": {lax: true, whole: "sets variables for services"}}},
		"gpg":       gpgRow(), "gpg2": gpgRow(),
		"dmesg":            {lax: true, exact: "-C -c -D -E -n= --clear --read-clear"},
		"perf":             {lax: true, whole: "runs programs or reads what others do"},
		"ffmpeg":           {single: true, lax: true, read: "-i=", write: "-passlogfile= -vstats_file=", exact: "-filter_complex_script= -dump_attachment=", ops: ffmpegOps},
		"sqlite3_analyzer": {lax: true, ops: readAll},
		"chezmoi":          {lax: true, whole: "changes files of the home folder"},
		"logger":           {lax: true, read: "-f= --file="},
		"sysctl":           {lax: true, exact: "-w -p -f --write --load --system"},
		"ps":               {lax: true, ok: "-o= -O= -p= -u= -U= -g= -G= -t= -C= -s= --pid= --user= --format= --sort=", exact: "-E", ops: psOps},
		"mount":            {lax: true, ok: "-t= -o=", ops: mountOps},
		"dbus-send":        {lax: true, whole: "asks another program to act"}, "gdbus": {lax: true, whole: "asks another program to act"}, "busctl": {lax: true, whole: "asks another program to act"},
		"launchctl": {lax: true, whole: "starts and stops services"},
		"defaults":  {lax: true, subs: map[string]spec{"write": {lax: true, whole: "changes settings"}, "delete": {lax: true, whole: "changes settings"}, "import": {lax: true, whole: "changes settings"}}},
		"security":  {lax: true, whole: "reads or changes the keychain"},
	}
	same(rows, spec{lax: true, whole: "runs a command later"}, "at batch")
	same(rows, spec{lax: true, whole: "opens a file or an address with a program that is not named"}, "xdg-open open gio gnome-open kde-open wslview sensible-browser x-www-browser start explorer.exe")
	same(rows, spec{lax: true, whole: "installs a file as part of the system, or runs a package"}, "snap flatpak")
	same(rows, spec{lax: true, ok: "-y -q -v", exact: "-c= --config= --setopt= --installroot= --nogpgcheck", subs: map[string]spec{"localinstall": {lax: true, whole: "takes a package from a file"}, "config-manager": {lax: true, whole: "changes settings"}}}, "yum dnf")
	same(rows, spec{lax: true, whole: "runs the programs that its words name"}, "run-parts watchexec reflex onchange chokidar air cargo-watch forever pm2 wine wasmtime")
	same(rows, spec{lax: true, whole: "opens a window in which programs run"}, "xterm gnome-terminal konsole alacritty kitty wezterm terminator")
	same(rows, spec{lax: true, whole: "presses keys in other windows"}, "xdotool wtype ydotool cliclick")
	same(rows, spec{lax: true, whole: "starts another agent"}, "claude codex gemini aider goose opencode")
	same(rows, spec{lax: true, whole: "runs commands on other machines"}, "ansible ansible-playbook ansible-console pssh pdsh clush fab salt mosh-client")
	return rows
}

// hgOps: bisect tries a command again and again.
func hgOps(c *call) {
	for _, w := range c.words {
		if len(c.rest) > 0 && c.rest[0].Text == "bisect" && (strings.HasPrefix(w.Text, "-c") || strings.HasPrefix(w.Text, "--c")) {
			c.unsuref("hg bisect runs a program again and again")
		}
	}
}

// brewSubs adds the subcommands of brew that do nothing else than they say.
func brewSubs(rows map[string]spec) map[string]spec {
	same(rows, spec{lax: true}, `install uninstall remove rm upgrade update list ls info search outdated deps uses leaves doctor config cleanup pin unpin
		link unlink reinstall fetch desc cat log home cask help missing autoremove --version --prefix --cellar --repository --cache`)
	return rows
}

const another = "runs a command in a container"

func dockerRow() spec {
	container := map[string]spec{"exec": {lax: true, whole: another}, "run": {lax: true, whole: another}, "attach": {lax: true, whole: another}, "create": {lax: true, whole: another}, "cp": {lax: true, ops: dockerCopy}}
	subs := map[string]spec{
		"container": {lax: true, stop: true, subs: container}, "compose": composeRow(),
		"build": {lax: true, ok: "-t= --tag= --build-arg= --target= --platform= --label=", read: "-f= --file=", spill: "-o= --output= --iidfile= --metadata-file=", exact: "--secret= --ssh= --allow= --build-context=", ops: dockerBuild},
		"save":  {lax: true, write: "-o= --output="}, "export": {lax: true, write: "-o= --output="}, "load": {lax: true, read: "-i= --input="},
		"plugin": {lax: true, whole: "installs programs"}, "context": {lax: true, whole: "changes which machine it works on"}, "debug": {lax: true, whole: another}, "init": {lax: true, whole: "writes files"}, "unshare": {lax: true, whole: another}, "machine": {lax: true, whole: another},
	}
	subs["buildx"] = spec{lax: true, stop: true, subs: map[string]spec{"build": subs["build"], "b": subs["build"], "ls": {lax: true}, "inspect": {lax: true}, "du": {lax: true}, "version": {lax: true}}, other: "bakes by a file, or changes settings"}
	subs["image"] = spec{lax: true, stop: true, subs: map[string]spec{"build": subs["build"], "save": subs["save"], "load": subs["load"]}}
	subs["builder"] = spec{lax: true, stop: true, subs: map[string]spec{"build": subs["build"], "prune": {lax: true}}}
	same(subs, spec{lax: true, whole: "runs services on other machines"}, "service stack swarm node")
	same(subs, spec{lax: true}, `ps images inspect logs pull push tag rm rmi stop start restart kill pause unpause rename stats top port wait diff
		commit history search version info login logout events volume network system update import manifest trust secret config help pod generate play kube healthcheck`)
	for name, s := range container {
		subs[name] = s
	}
	return spec{lax: true, stop: true, ok: "-D -l= --log-level=", other: "an unknown subcommand may be a plugin", exact: "-H= --host= --config= -c= --context= --tlscacert= --tlscert= --tlskey= --url= --connection= --runtime= --root= --hooks-dir= --module= --conmon=", subs: subs}
}

// composeRow: what services do stands in their file, which is the project's.
func composeRow() spec {
	return spec{
		lax: true, stop: true, ok: "-p= --profile= --project-name= --progress= --ansi= --parallel=", load: "-f= --file=", exact: "-H= --host= --env-file= --project-directory=",
		subs: map[string]spec{"config": {lax: true, spill: "-o= --output= --lock-image-digests="}, "convert": {lax: true, spill: "-o= --output="}, "exec": {lax: true, whole: another}, "run": {lax: true, whole: another}, "cp": {lax: true, ops: dockerCopy}, "attach": {lax: true, whole: another}},
	}
}

// dockerBuild: what is built may lie elsewhere.
func dockerBuild(c *call) {
	for _, w := range append(c.values("-f", "--file"), c.rest...) {
		if faraway(w) {
			c.exactf("%s takes files from outside of its folder", c.name)
		}
	}
	for _, w := range c.rest {
		if strings.Contains(w.Text, "://") || strings.Contains(w.Text, "@") || strings.HasPrefix(w.Text, "github.com/") {
			c.exactf("%s builds from an address", c.name)
		}
	}
}

// dockerCopy: the operand without a colon is on this machine.
func dockerCopy(c *call) {
	for i, w := range c.rest {
		if !isRemote(w.Text) {
			c.file(w, File{Tree: true, Write: i > 0})
		}
	}
}

func kubectlRow() spec {
	subs := map[string]spec{
		"exec": {lax: true, whole: another}, "run": {lax: true, whole: another}, "debug": {lax: true, whole: another}, "attach": {lax: true, whole: another}, "rsh": {lax: true, whole: another},
		"edit": {lax: true, whole: "opens an editor"}, "proxy": {lax: true, whole: "opens the cluster to this machine"}, "port-forward": {lax: true, whole: "opens the cluster to this machine"},
		"cp": {lax: true, ops: dockerCopy}, "plugin": {lax: true}, "config": {lax: true, stop: true, subs: kubeConfigSubs(), other: "changes settings, which may run programs later"},
		"kustomize": {lax: true, exact: "--enable-exec --enable-alpha-plugins --enable-helm --helm-command=", spill: "-o= --output=", ops: kubeOps},
	}
	same(subs, spec{lax: true, ok: "-n= -o= -l= -L= -c= --namespace= --output= --selector= --from-file= --from-env-file=", read: "-f= --filename=", exact: "-k= --kustomize= --raw= --as= --as-group= --as-uid= --insecure-skip-tls-verify? --token= --kuberc= --kubeconfig= --server= -s= --cache-dir= --profile-output= --output-directory=", ops: kubeOps}, `get describe logs apply create delete diff scale rollout top explain api-resources api-versions version cluster-info
		label annotate expose set patch replace autoscale certificate cordon uncordon drain taint wait auth completion events options`)
	return spec{lax: true, stop: true, ok: "-n= --namespace= --context= --cluster= --user= -v=", exact: "--profile= --profile-output= --kubeconfig= -s= --server= --cache-dir= --token= --as= --as-group= --as-uid= --insecure-skip-tls-verify? --kuberc=", subs: subs, other: "an unknown subcommand may be another program"}
}

// kubeOps: what is taken from an address may be anything tomorrow.
func kubeOps(c *call) {
	c.farOperands()
	for _, w := range c.values("--from-file", "--from-env-file") {
		file := w.Text[strings.Index(w.Text, "=")+1:] // behind a key
		c.readsTree(tail(w, file))
	}
	for _, w := range append(c.rest, c.values("-o", "--output")...) {
		switch {
		case strings.Contains(w.Text, "://"):
			c.exactf("%s takes files from the network", c.name)
		case strings.Contains(w.Text, "-file=") || strings.HasPrefix(w.Text, "templatefile"):
			c.exactf("%s takes its format from a file", c.name)
		}
	}
}

func kubeConfigSubs() map[string]spec {
	rows := map[string]spec{}
	same(rows, spec{lax: true}, "view current-context get-contexts get-clusters get-users")
	return rows
}

func helmSubs(rows map[string]spec) map[string]spec {
	same(rows, spec{lax: true}, "completion create dependency env get help history lint list ls package pull push registry repo rollback search show status test uninstall delete verify version")
	rows["repo"] = spec{lax: true, stop: true, subs: map[string]spec{"list": {lax: true}, "ls": {lax: true}, "update": {lax: true}, "up": {lax: true}}, other: "changes where packages come from"}
	return rows
}

func helmRow() spec {
	return spec{lax: true, ok: "-n= --set= --namespace= --version=", read: "-f= --values=", spill: "--output-dir=", unsure: "--post-renderer= --post-renderer-args="}
}

func aptRow() spec {
	return spec{lax: true, exact: "-t= --target-release=", unsure: "-o= --option= -c= --config-file=", ops: aptOps}
}

// aptOps: a package given as a file comes from nobody.
func aptOps(c *call) {
	for _, w := range c.rest {
		if strings.ContainsAny(w.Text, "/") && strings.HasSuffix(w.Text, ".deb") || w.Text == "edit-sources" {
			c.exactf("%s takes a package from a file or opens an editor", c.name)
		}
	}
}

// awsOps: s3 cp, mv and sync carry files; file:// stands for the text of one.
func awsOps(c *call) {
	cloudOps(c)
	for i, w := range c.rest {
		switch {
		case strings.HasPrefix(w.Text, "--endpoint"), strings.HasPrefix(w.Text, "--ca-"), strings.HasPrefix(w.Text, "--no-verify"):
			c.exactf("aws talks to another machine, or to one that it does not check")
		case i > 1 && (faraway(w) || strings.HasPrefix(w.Text, "-") && elsewhereIn(tail(w, afterEquals(w.Text)))):
			c.exactf("aws is given a file outside of its folder")
		}
	}
	words := c.rest
	if len(words) > 1 && words[1].Text == "update-kubeconfig" {
		c.exactf("aws changes settings")
	}
	if len(words) > 0 && words[0].Text == "configure" && (len(words) < 2 || words[1].Text != "list" && words[1].Text != "get") {
		c.exactf("aws configure changes settings")
	}
	carries := len(words) > 1 && words[0].Text == "s3" && (words[1].Text == "cp" || words[1].Text == "mv" || words[1].Text == "sync")
	place := 0
	for i, w := range words {
		text := w.Text
		if strings.HasPrefix(text, "-") {
			text = afterEquals(text)
		}
		if path, ok := strings.CutPrefix(text, "file://"); ok {
			c.reads(tail(w, path))
		} else if path, ok = strings.CutPrefix(text, "fileb://"); ok {
			c.reads(tail(w, path))
		} else if strings.HasPrefix(w.Text, "--body=") || i > 0 && words[i-1].Text == "--body" {
			c.reads(tail(w, text))
		}
		if !carries || i < 2 || strings.HasPrefix(w.Text, "-") {
			continue
		}
		if place++; place <= 2 && !strings.HasPrefix(w.Text, "s3://") {
			c.file(w, File{Tree: true, Write: place == 2})
		}
	}
}

// gcloudOps: these change the tool itself.
func gcloudOps(c *call) {
	cloudOps(c)
	c.farOperands()
	if len(c.rest) > 1 && (c.rest[0].Text == "components" || c.rest[0].Text == "config" || c.rest[0].Text == "auth") {
		switch c.rest[1].Text {
		case "list", "get", "get-value", "describe", "configurations":
		default:
			c.exactf("gcloud changes settings or keys")
		}
	}
}

func terraformRow() spec {
	plan := spec{lax: true, single: true, read: "-var-file=", write: "-out= -state= -state-out= -backup="}
	return spec{lax: true, single: true, stop: true, exact: "-chdir=", subs: map[string]spec{
		"console": {lax: true, whole: atPrompt}, "plan": plan, "apply": plan, "destroy": plan,
		"test": {lax: true, whole: "makes and removes what it tests"}, "providers": {lax: true, ops: farOptions}, "init": {lax: true, single: true, exact: "-plugin-dir= -from-module= -backend-config="}, "fmt": {lax: true},
	}}
}

func ghRow() spec {
	subs := map[string]spec{
		"alias": {lax: true, stop: true, subs: map[string]spec{"list": {lax: true}, "ls": {lax: true}}, other: "changes what its subcommands mean"}, "config": {raw: configOps},
		"extension": {lax: true, whole: "installs or runs programs"}, "ext": {lax: true, whole: "installs or runs programs"}, "extensions": {lax: true, whole: "installs or runs programs"},
		"browse": {lax: true, whole: "opens a window"}, "codespace": {lax: true, whole: "runs commands on another machine"}, "cs": {lax: true, whole: "runs commands on another machine"}, "copilot": {lax: true, whole: "runs what another program suggests"},
		"repo": {lax: true, exact: "-u= --upstream-remote-name= --template=", ops: ghRepo},
		"api":  {lax: true, ok: "-X= -H= -q= -t= -p= --method= --header= --jq= --template= --preview= --cache=", read: "--input=", exact: "--hostname=", ops: ghAPI},
	}
	same(subs, spec{lax: true, ok: "-R= -b= -t= -L= -q= --repo= --body= --title= --jq= --template= --json= --limit=", read: "-F= --body-file= --notes-file=", spill: "-D= -O= --dir= --output=", exact: "-w --web --admin", ops: ghFiles},
		"cache issue pr label release run search secret status variable workflow gist org project ruleset ssh-key gpg-key attestation completion help version preview agent-task")
	subs["auth"] = spec{lax: true, ops: onlyWith("status")}
	return spec{lax: true, stop: true, ok: "-R= --repo= --version --help", subs: subs, other: "an unknown subcommand may be an alias or another program"}
}

// ghRepo: what follows -- goes to git clone.
func ghRepo(c *call) {
	if c.ended {
		c.exactf("gh repo hands options to git")
	}
	if len(c.rest) > 0 && c.rest[0].Text == "create" && c.has("--push", "--source", "-s", "--public") {
		c.exactf("gh repo create publishes what is here")
	}
	if len(c.rest) > 2 && c.rest[0].Text == "clone" && faraway(c.rest[2]) {
		c.exactf("gh repo clone makes a folder elsewhere")
	}
}

// ghFiles: a text that is published should not come from elsewhere.
func ghFiles(c *call) {
	ghQuery(c)
	for _, w := range append(c.values("-F", "--body-file", "--notes-file"), c.rest...) {
		if faraway(w) {
			c.exactf("%s takes a file from elsewhere", c.name)
		}
	}
	c.ghUploads()
}

// ghSends is, for subcommands that send files, how many operands stand before the files.
var ghSends = map[string]int{
	"gh gist create": 0, "gh gist new": 0, "gh gist edit": 1, "gh release upload": 1, "gh release create": 1, "gh release new": 1,
	"gh ssh-key add": 0, "gh gpg-key add": 0,
}

// ghUploads reads the files that are sent; #NAME behind one is how it is shown. Secrets and
// variables may stand in a file, and the value of a field may come from one.
func (c *call) ghUploads() {
	if len(c.rest) == 0 {
		return
	}
	if skip, ok := ghSends[c.name+" "+c.rest[0].Text]; ok && len(c.rest) > skip {
		for _, w := range c.rest[skip+1:] {
			file, _, _ := strings.Cut(w.Text, "#")
			c.reads(tail(w, file))
		}
	}
	for i, w := range c.words {
		name, file, has := strings.Cut(w.Text, "=")
		if !has && i+1 < len(c.words) {
			file = c.words[i+1].Text
		}
		switch c.name + " " + name {
		case "gh secret -f", "gh secret --env-file", "gh variable -f", "gh variable --env-file", "gh gist -a", "gh gist --add":
			c.reads(tail(w, file))
		case "gh workflow -F", "gh workflow --field":
			if field, from, ok := strings.Cut(file, "=@"); ok && !strings.Contains(field, "=") {
				c.reads(tail(w, from))
			}
		}
	}
}

// ghQuery: a program of jq may read variables.
func ghQuery(c *call) {
	for _, w := range append(c.values("-q", "--jq"), c.values("-t", "--template")...) {
		if environment().MatchString(w.Text) {
			c.exactf("%s reads variables that its program names", c.name)
		}
	}
}

// ghAPI: fields whose value begins with @ are read from a file.
func ghAPI(c *call) {
	ghQuery(c)
	if len(c.rest) > 0 && strings.Contains(c.rest[0].Text, "://") && !strings.HasPrefix(c.rest[0].Text, "https://api.github.com/") {
		c.exactf("gh api talks to another machine")
	}
	for i, w := range c.words {
		if i > 0 && (c.words[i-1].Text == "-F" || c.words[i-1].Text == "--field") {
			if _, value, ok := strings.Cut(w.Text, "=@"); ok {
				c.reads(tail(w, value))
			}
		}
	}
}

var tmuxSafe = wordset.New("ls list-sessions lsw list-windows lsp list-panes lsc list-clients has has-session info lsk list-keys lscm list-commands capture-pane capturep show-messages")

// tmuxOps: most of what tmux can do runs programs, even its formats: #(command).
func tmuxOps(c *call) {
	words := c.words
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		name := words[0].Text
		if name == "-L" || name == "-S" {
			words = words[min(1, len(words)):]
		}
		if strings.HasPrefix(name, "-f") || strings.HasPrefix(name, "-c") {
			c.unsuref("tmux is given commands or a file of them")
		}
		words = words[min(1, len(words)):]
	}
	if len(words) == 0 || !tmuxSafe.Has(words[0].Text) {
		c.exactf("tmux runs programs in another terminal")
	}
	for _, w := range words {
		if strings.Contains(w.Text, "#(") || w.Text == ";" || strings.HasSuffix(w.Text, ";") {
			c.unsuref("tmux is given more than one command, or one inside a format")
		}
	}
}

// ffmpegOps: the last word is what it writes.
func ffmpegOps(c *call) {
	if len(c.rest) > 0 {
		c.writes(c.rest[len(c.rest)-1])
	}
}

func systemctlOps(c *call) {
	for _, w := range c.rest {
		if strings.Contains(w.Text, "/") {
			c.exactf("systemctl is given a service by its file")
		}
	}
}

func crontabOps(c *call) {
	if !c.has("-l") || c.has("-e", "-r") || len(c.rest) > 0 {
		c.exactf("crontab changes what runs later")
		readAll(c)
	}
}

func gpgRow() spec {
	return spec{
		lax: true, ok: "-r= -u= --recipient= --local-user= --keyserver= --cipher-algo=", spill: "-o= --output= --log-file= --status-file=", exact: "--options= --homedir= --keyring= --edit-key --send-keys --gen-key --generate-key --full-generate-key --quick-generate-key --delete-key --delete-keys --delete-secret-keys --import --import-ownertrust --decrypt -d --daemon --server",
		unsure: "--exec-path= --photo-viewer= --agent-program= --dirmngr-program= --load-extension= --keyserver-options=",
	}
}

// psOps: an e among letters without a dash shows the variables of other programs.
func psOps(c *call) {
	for _, w := range c.rest {
		if strings.Contains(w.Text, "e") && strings.Trim(w.Text, "acefghjklmnprstuvwxASTUXZ") == "" {
			c.exactf("ps e shows the variables of other programs")
		}
	}
}

// mountOps: without operands it lists.
func mountOps(c *call) {
	if len(c.rest) > 0 {
		c.exactf("mount changes what names of files mean")
	}
}
