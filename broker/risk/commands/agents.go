package commands

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Reasons that package risk has findings of its own for.
const (
	TouchesSettings = "touches an agent's own settings"
	AsksNobody      = "runs an agent that asks nobody" // told to do as it likes
)

// agentRules are about aoctl itself and about other agents. What an agent could do to the gate
// is guarded; an agent that asks nobody is dangerous, and one that has hooks of its own only a
// note.
func agentRules() []rule {
	return []rule{
		{names: "aoctl", when: aoctlDecides, why: "controls aoctl itself", guarded: true},
		{names: "aoctl-hook", why: "controls aoctl itself", guarded: true},
		{names: "kill pkill killall skill fuser xkill", when: aimsAtAoctl, why: "ends or stops aoctl", guarded: true},
		{names: "systemctl launchctl service", when: aimsAtAoctl, why: "ends or stops aoctl", guarded: true},
		{names: "gdb lldb strace ltrace perf gcore reptyr", when: aimsAtAoctl, why: "looks inside aoctl's process", guarded: true},
		{names: "rm mv cp ln chmod chattr truncate dd install unlink shred tee sed", when: func(a cmdline.Command) bool {
			return findsAoctl().MatchString(a.Element.Text)
		}, why: "may change aoctl's own files", guarded: true},
		// What is typed into the operator's terminal looks like the operator.
		{names: "tmux screen zellij", when: word("send-keys", "send", "paste-buffer", "pipe-pane", "-X", "stuff", "write", "write-chars"), why: "types into another terminal"},
		{names: "xdotool ydotool wtype", why: "types into another window"},
		{names: "osascript", why: "controls other programs"},

		{names: "claude", when: func(a cmdline.Command) bool {
			return a.Has("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions") || a.Exactly("bypassPermissions", "--permission-mode=bypassPermissions")
		}, why: AsksNobody},
		// These write settings without naming a file.
		{names: "claude", sub: "config|plugin|plugins|hooks|setup-token", why: TouchesSettings, guarded: true},
		{names: "claude codex gemini qwen copilot opencode", sub: "mcp|extensions|extension add*|remove|rm|import|enable|disable|install|uninstall|link|reset*|set|login|logout", why: TouchesSettings, guarded: true},
		// Such an agent runs with hooks of its own choice, or with none.
		{names: "claude", when: option("--settings", "--setting-sources", "--mcp-config", "--plugin-dir", "--bare", "--disable-hooks"), why: TouchesSettings, guarded: true},
		{names: "codex", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool {
				return cmdline.Matches("--yolo|--dangerously-*|--full-auto|danger-full-access", w)
			}) || approvalNever(a)
		}, why: AsksNobody},
		{names: "codex", when: option("-c", "--config", "--enable", "--disable", "--profile"), why: TouchesSettings, guarded: true},
		{names: "gemini qwen", when: func(a cmdline.Command) bool {
			return a.Has("-y", "--yolo") || a.Exactly("yolo", "--approval-mode=yolo")
		}, why: AsksNobody},
		{names: "gemini qwen", sub: "hooks|skills", why: TouchesSettings, guarded: true},
		{names: "cursor-agent cursor agent", when: option("-f", "--force", "--yolo"), why: AsksNobody},
		{names: "copilot", when: option("--allow-all-tools", "--allow-all-paths", "--allow-all", "--yolo"), why: AsksNobody},
		{names: "aider", when: option("--yes-always", "--yes"), why: AsksNobody},
		{names: "amp", when: option("--dangerously-allow-all"), why: AsksNobody},
		{names: "goose crush droid auggie kilocode cline", when: like("--yolo|-y|--auto|--skip-permissions*|--dangerous*"), why: AsksNobody},
		{names: "npx bunx pnpm yarn", when: like("--yolo|--dangerously-*|bypasspermissions|bypassPermissions"), why: AsksNobody},
		// A doubtful line may hide what the agent is told to do.
		{names: agentPrograms(), when: func(a cmdline.Command) bool {
			return !a.Surely("--version", "--help") && !a.Exactly("-v", "-V", "-h") || a.Element.Unsure != ""
		}, why: "runs another agent", note: true},
	}
}

// agentPrograms are the usual names of agents' programs.
func agentPrograms() string {
	return strings.Join(profile.Gather(func(p *profile.Profile) []string { return p.Programs[:1] }), " ")
}

// harmlessAoctl are subcommands that only show something, or only refuse.
const harmlessAoctl = "version|help|completion|sessions|pending|history|status|doctor|deny|stop|find|stats|freeze"

// aoctlDecides reports whether a run of aoctl may allow anything, change what it allows, or
// take its place. A subcommand that is not known here may. With another socket or token even a
// look may be at something else.
func aoctlDecides(a cmdline.Command) bool {
	if len(a.Words) == 1 && (a.Words[0] == "--version" || a.Words[0] == "--help" || a.Words[0] == "-h" || a.Words[0] == "-v" || a.Words[0] == "config") {
		return false
	}
	for _, fine := range []string{harmlessAoctl, "rules list|show|explain|test|suggest|export", "grants list", "log head|verify", "config path"} {
		if a.SubOf(fine) && !a.Has("--socket", "--url", "--token") {
			return false
		}
	}
	return true
}

// aimsAtAoctl reports whether a command speaks of aoctl in any of its words, also in a
// substitution. It looks at the text, so a file that is called so is suspected too.
func aimsAtAoctl(a cmdline.Command) bool {
	return strings.Contains(pathtable.Fold(a.Element.Text+" "+strings.Join(a.Words, " ")), "aoctl")
}

// findsAoctl is a substitution that says where aoctl is installed.
var findsAoctl = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(which|command +-v|type +-[pP]|whence|whereis|realpath|readlink)\b[^|;&]*\baoctl`)
})

// approvalNever reports whether codex is told never to ask.
func approvalNever(a cmdline.Command) bool {
	return slices.Contains(a.Values("-a", "--ask-for-approval"), "never")
}
