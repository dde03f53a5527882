package commands

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// adminRules are about the machine, its users and its services. Databases stand here too: what
// is dropped there is gone as well.
func adminRules() []rule {
	return []rule{
		// status, show, cat and the list-* subcommands have no row: they look.
		{names: "systemctl", sub: "start|stop|restart|reload|try-restart|reload-or-restart|enable|disable|reenable|mask|unmask|kill|isolate|link|edit|revert|preset|set-default|daemon-reload|daemon-reexec|import-environment|set-environment", why: "changes the machine's services"},
		{names: "systemctl", sub: "reboot|poweroff|halt|suspend|hibernate|kexec|rescue|emergency|exit|soft-reboot", why: "stops the machine"},
		{names: "service", when: word("start", "stop", "restart", "reload", "force-reload"), why: "changes the machine's services"},
		{names: "rc-service rc-update sv chkconfig update-rc.d", why: "changes the machine's services"},
		// Of launchctl the few that look are named; new ones are suspected.
		{names: "launchctl", when: noSub("list|print|help|version|blame"), why: "changes the machine's services"},
		{names: "systemd-run", why: "schedules a program for later"},
		{names: "reboot shutdown halt poweroff telinit", why: "stops the machine"},
		{names: "init", sub: "0|1|6", why: "stops the machine"},
		{names: "iptables ip6tables iptables-restore nft ufw firewall-cmd pfctl ebtables", when: func(a cmdline.Command) bool {
			return !a.Exactly("-L", "-S", "-nL", "-nvL", "list", "status", "--list-all", "--state", "-sr", "--version")
		}, why: "changes the firewall"},
		{names: "useradd usermod userdel adduser deluser groupadd groupmod groupdel passwd chpasswd gpasswd visudo vipw chsh chfn newusers dscl", why: "changes users or passwords"},
		{names: "crontab", when: without("-l"), why: "schedules a program for later"},
		{names: "at batch", when: without("-l", "-c", "-V"), why: "schedules a program for later"},
		{names: "kill", when: func(a cmdline.Command) bool {
			return len(a.Words) > 0 && a.Words[len(a.Words)-1] == "-1" && (len(a.Words) > 1)
		}, why: "ends every process of the user"},
		{names: "killall pkill", why: "ends processes by name", note: true},
		{names: "gdb lldb strace ltrace perf", when: tracesOther, why: "looks inside another process"},
		{names: "reptyr gcore", why: "looks inside another process"},
		{names: "setenforce csrutil spctl tccutil aa-disable aa-teardown auditctl", why: "switches off protections"},
		{names: "chroot nsenter", why: "runs in another root or namespace"},
		{names: "docker podman nerdctl", sub: "run|create|exec", when: containerEscapes, why: "gives a container control of the machine"},
		{names: "docker podman curl wget nc ncat socat", when: anyWord(mentions("docker.sock", "podman.sock")), why: "gives others control of docker"},
		{names: "docker podman", sub: "system|volume|image|container|network|builder prune", why: "deletes containers or their data"},
		{names: "docker podman", sub: "volume rm|remove", why: "deletes containers or their data"},
		{names: "docker podman docker-compose", sub: "down", when: option("-v", "--volumes"), why: "deletes containers or their data"},
		{names: "docker podman", sub: "compose down", when: option("-v", "--volumes"), why: "deletes containers or their data"},
		// Tokens often stand in variables, and an agent's context is not the place for them.
		{names: "env printenv export", when: noOperands, why: "prints the environment", note: true},
		{names: "set declare typeset", when: func(a cmdline.Command) bool {
			return len(a.Operands()) == 0 && !a.AnyWord(mentions("-e", "-u", "-x", "-o", "+"))
		}, why: "prints the environment", note: true},
		{names: "mysql mariadb psql sqlite3 duckdb clickhouse-client sqlcmd cockroach mongosh mongo usql", when: anyWord(DestroysData), why: "deletes data in a database"},
		{names: "dropdb dropuser mysqladmin", when: func(a cmdline.Command) bool { return a.Name != "mysqladmin" || a.Exactly("drop", "shutdown") }, why: "deletes data in a database"},
		{names: "redis-cli valkey-cli", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool {
				return pathtable.Fold(w) == "flushall" || pathtable.Fold(w) == "flushdb" || pathtable.Fold(w) == "shutdown"
			})
		}, why: "deletes data in a database"},
		{names: "rails rake", when: word("db:drop", "db:reset", "db:schema:load", "db:purge"), why: "deletes data in a database"},
		{names: "prisma npx bunx pnpm yarn", when: func(a cmdline.Command) bool {
			return a.Exactly("migrate") && a.Exactly("reset") || a.Has("--force-reset", "--accept-data-loss")
		}, why: "deletes data in a database"},
		// "python manage.py flush" is python's command with the subcommand of Django.
		{names: "python", when: func(a cmdline.Command) bool { return a.AnyWord(isManage) && a.Exactly("flush", "reset_db", "sqlflush") }, why: "deletes data in a database"},
		{names: "php artisan", when: word("db:wipe", "migrate:fresh", "migrate:reset", "migrate:refresh"), why: "deletes data in a database"},
		{names: "supabase", sub: "db reset|push", why: "deletes data in a database"},
	}
}

// isManage reports whether a word names the program of a Django project.
func isManage(w string) bool { return w == "manage.py" || strings.HasSuffix(w, "/manage.py") }

// tracesOther reports whether a debugger is put to a process that runs already.
func tracesOther(a cmdline.Command) bool {
	return a.Has("-p", "--pid", "--attach-pid") || a.Exactly("attach")
}

// containerEscapes reports whether a container gets hold of the machine that it runs on: by
// rights, by namespaces or by a folder of the machine in it.
func containerEscapes(a cmdline.Command) bool {
	if a.Has("--privileged") || a.AnyWord(mentions("--pid=host", "--userns=host", "--ipc=host", "--cap-add=ALL", "--cap-add=SYS_", "--device=/dev/", "--security-opt=seccomp=unconfined")) {
		return true
	}
	for i, w := range a.Words {
		next := ""
		if i+1 < len(a.Words) {
			next = a.Words[i+1]
		}
		switch name, value, attached := strings.Cut(w, "="); {
		case w == "-v" || w == "--volume" || w == "--mount":
			if mountsMachine(next) {
				return true
			}
		case attached && (name == "-v" || name == "--volume" || name == "--mount") && mountsMachine(value):
			return true
		case strings.HasPrefix(w, "-v") && mountsMachine(w[2:]):
			return true
		case (w == "--pid" || w == "--userns" || w == "--ipc") && next == "host", w == "--cap-add" && (next == "ALL" || strings.HasPrefix(next, "SYS_")):
			return true
		}
	}
	return false
}

// mountsMachine reports whether a volume is the root, a folder of the system or a home. A name
// that is no path is a volume of docker's own.
func mountsMachine(volume string) bool {
	// -v has FROM:TO, --mount has source=FROM among other settings.
	from, _, _ := strings.Cut(volume, ":")
	for _, part := range strings.Split(volume, ",") {
		if v, ok := strings.CutPrefix(part, "source="); ok {
			from = v
		} else if v, ok := strings.CutPrefix(part, "src="); ok {
			from = v
		}
	}
	if strings.HasPrefix(from, "~") && len(pathtable.Split(from)) < 2 {
		return true
	}
	if !strings.HasPrefix(from, "/") {
		return false
	}
	_, yes := pathtable.System(from)
	return yes || from == "/root" || len(pathtable.Split(from)) <= 2 && (pathtable.Below("/home", from) || pathtable.Below("/Users", from))
}

var (
	// SQL is searched as text: a client's words may hold several statements in any dialect.
	dropping   = regexp.MustCompile(`(?i)\b(drop\s+(table|database|schema|view|index|user|role|collection|owned|keyspace)|truncate\s+(table\s+)?[\w"` + "`" + `.]+|dropdatabase\s*\(|\.drop\s*\(|deletemany\s*\(\s*(\{\s*\})?\s*\))`)
	unbounded  = regexp.MustCompile(`(?i)\b(delete\s+from|update)\s+[^;]*`)
	hasWhere   = regexp.MustCompile(`(?i)\bwhere\b`)
	updateOnly = regexp.MustCompile(`(?i)^update\s+\S+\s+set\b`)
)

// DestroysData reports whether a text of SQL drops something, or changes or deletes every row
// of a table. A "where" anywhere in the statement counts as one that chooses.
func DestroysData(text string) bool {
	if dropping.MatchString(text) {
		return true
	}
	for _, m := range unbounded.FindAllString(text, -1) {
		if !hasWhere.MatchString(m) && (!strings.EqualFold(m[:6], "update") || updateOnly.MatchString(m)) {
			return true
		}
	}
	return false
}

// mentions returns a test for words that contain one of the texts.
func mentions(texts ...string) func(string) bool {
	return func(w string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(w, t) })
	}
}
