package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/hookclient/profile"
)

const asksNobody = "runs an agent that asks nobody"

// agentRules are about aoctl itself and about other agents.
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
		{names: "tmux screen zellij", when: word("send-keys", "send", "paste-buffer", "pipe-pane", "-X", "stuff", "write", "write-chars"), why: "types into another terminal"},
		{names: "xdotool ydotool wtype", why: "types into another window"},
		{names: "osascript", why: "controls other programs"},

		{names: "claude", when: func(a cmdline.Command) bool {
			return a.Has("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions") || a.Exactly("bypassPermissions", "--permission-mode=bypassPermissions")
		}, why: asksNobody},
		{names: "claude", sub: "config|plugin|plugins|hooks|setup-token", why: touchesSettings, guarded: true},
		{names: "claude codex gemini qwen copilot opencode", sub: "mcp|extensions|extension add*|remove|rm|import|enable|disable|install|uninstall|link|reset*|set|login|logout", why: touchesSettings, guarded: true},
		{names: "claude", when: option("--settings", "--setting-sources", "--mcp-config", "--plugin-dir", "--bare", "--disable-hooks"), why: touchesSettings, guarded: true},
		{names: "codex", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool {
				return cmdline.Matches("--yolo|--dangerously-*|--full-auto|danger-full-access", w)
			}) || approvalNever(a)
		}, why: asksNobody},
		{names: "codex", when: option("-c", "--config", "--enable", "--disable", "--profile"), why: touchesSettings, guarded: true},
		{names: "gemini qwen", when: func(a cmdline.Command) bool {
			return a.Has("-y", "--yolo") || a.Exactly("yolo", "--approval-mode=yolo")
		}, why: asksNobody},
		{names: "gemini qwen", sub: "hooks|skills", why: touchesSettings, guarded: true},
		{names: "cursor-agent cursor agent", when: option("-f", "--force", "--yolo"), why: asksNobody},
		{names: "copilot", when: option("--allow-all-tools", "--allow-all-paths", "--allow-all", "--yolo"), why: asksNobody},
		{names: "aider", when: option("--yes-always", "--yes"), why: asksNobody},
		{names: "amp", when: option("--dangerously-allow-all"), why: asksNobody},
		{names: "goose crush droid auggie kilocode cline", when: like("--yolo|-y|--auto|--skip-permissions*|--dangerous*"), why: asksNobody},
		{names: "npx bunx pnpm yarn", when: like("--yolo|--dangerously-*|bypasspermissions|bypassPermissions"), why: asksNobody},
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

// aoctlDecides reports whether a run of aoctl may allow anything, change what it
// allows, or take its place. A subcommand that is not known here may.
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
// substitution.
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
