package risk

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/hookclient/profile"
)

const asksNobody = "runs an agent that asks nobody"

// agentRules are about aoctl itself and about other agents.
func agentRules() []rule {
	return []rule{
		{names: "aoctl", when: aoctlDecides, why: "steers aoctl itself", guarded: true},
		{names: "aoctl-hook", why: "steers aoctl itself", guarded: true},
		{names: "kill pkill killall skill fuser xkill", when: aimsAtAoctl, why: "ends or stops aoctl", guarded: true},
		{names: "systemctl launchctl service", when: aimsAtAoctl, why: "ends or stops aoctl", guarded: true},
		{names: "gdb lldb strace ltrace perf gcore reptyr", when: aimsAtAoctl, why: "looks into aoctl", guarded: true},
		{names: "rm mv cp ln chmod chattr truncate dd install unlink shred tee sed", when: func(a args) bool {
			return findsAoctl().MatchString(a.e.Text)
		}, why: "may change aoctl's own files", guarded: true},
		{names: "tmux screen zellij", when: func(a args) bool {
			return a.exactly("send-keys", "send", "paste-buffer", "pipe-pane", "-X", "stuff", "write", "write-chars")
		}, why: "types into another terminal"},
		{names: "xdotool ydotool wtype", why: "types into another window"},
		{names: "osascript", why: "steers other programs"},

		{names: "claude", when: func(a args) bool {
			return a.has("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions") || a.exactly("bypassPermissions", "--permission-mode=bypassPermissions")
		}, why: asksNobody},
		{names: "claude", sub: "config|plugin|plugins|hooks|setup-token", why: touchesSettings, guarded: true},
		{names: "claude codex gemini qwen copilot opencode", sub: "mcp|extensions|extension add*|remove|rm|import|enable|disable|install|uninstall|link|reset*|set|login|logout", why: touchesSettings, guarded: true},
		{names: "claude", when: option("--settings", "--setting-sources", "--mcp-config", "--plugin-dir", "--bare", "--disable-hooks"), why: touchesSettings, guarded: true},
		{names: "codex", when: func(a args) bool {
			return a.anyWord(func(w string) bool { return matches("--yolo|--dangerously-*|--full-auto|danger-full-access", w) }) || approvalNever(a)
		}, why: asksNobody},
		{names: "codex", when: option("-c", "--config", "--enable", "--disable", "--profile"), why: touchesSettings, guarded: true},
		{names: "gemini qwen", when: func(a args) bool {
			return a.has("-y", "--yolo") || a.exactly("yolo", "--approval-mode=yolo")
		}, why: asksNobody},
		{names: "gemini qwen", sub: "hooks|skills", why: touchesSettings, guarded: true},
		{names: "cursor-agent cursor agent", when: option("-f", "--force", "--yolo"), why: asksNobody},
		{names: "copilot", when: option("--allow-all-tools", "--allow-all-paths", "--allow-all", "--yolo"), why: asksNobody},
		{names: "aider", when: option("--yes-always", "--yes"), why: asksNobody},
		{names: "amp", when: option("--dangerously-allow-all"), why: asksNobody},
		{names: "goose crush droid auggie kilocode cline", when: func(a args) bool {
			return a.anyWord(func(w string) bool { return matches("--yolo|-y|--auto|--skip-permissions*|--dangerous*", w) })
		}, why: asksNobody},
		{names: "npx bunx pnpm yarn", when: func(a args) bool {
			return a.anyWord(func(w string) bool { return matches("--yolo|--dangerously-*|bypasspermissions|bypassPermissions", w) })
		}, why: asksNobody},
		{names: agentPrograms(), when: func(a args) bool {
			return !a.has("--version", "--help") && !a.exactly("-v", "-V", "-h") || a.e.Unsure != ""
		}, why: "runs another agent", note: true},
	}
}

// agentPrograms are the usual names of agents' programs.
func agentPrograms() string {
	return strings.Join(profile.Gather(func(p *profile.Profile) []string { return p.Programs[:1] }), " ")
}

// harmlessAoctl are subcommands that only show something, or only refuse.
const harmlessAoctl = "version|help|completion|sessions|pending|history|status|doctor|deny|stop|find|stats|freeze"

// aoctlDecides reports whether a run of aoctl may allow anything, change what it
// allows, or take its place. A subcommand that is not known here may.
func aoctlDecides(a args) bool {
	if len(a.words) == 1 && (a.words[0] == "--version" || a.words[0] == "--help" || a.words[0] == "-h" || a.words[0] == "-v" || a.words[0] == "config") {
		return false
	}
	for _, fine := range []string{harmlessAoctl, "rules list|show|explain|test|suggest|export", "grants list", "log head|verify", "config path"} {
		if a.subOf(fine) && !a.has("--socket", "--url", "--token") {
			return false
		}
	}
	return true
}

// aimsAtAoctl reports whether a command speaks of aoctl in any of its words, also in a
// substitution.
func aimsAtAoctl(a args) bool {
	return strings.Contains(fold(a.e.Text+" "+strings.Join(a.words, " ")), "aoctl")
}

// findsAoctl is a substitution that says where aoctl is installed.
var findsAoctl = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(which|command +-v|type +-[pP]|whence|whereis|realpath|readlink)\b[^|;&]*\baoctl`)
})

// approvalNever reports whether codex is told never to ask.
func approvalNever(a args) bool {
	v, ok := a.value("-a", "--ask-for-approval")
	return ok && v == "never"
}
