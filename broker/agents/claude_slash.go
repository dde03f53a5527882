package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/wire"
)

// claudeExpansion is the event before Claude Code reads in the text of a custom command
// or a skill that its user typed. What the text makes it run is asked nowhere else.
const claudeExpansion = "UserPromptExpansion"

// SlashCommand is the tool under which such a text is asked for.
const SlashCommand = "SlashCommand"

// Slash is a custom command or a skill that the user typed. Strings are the agent's. A skill that
// the model itself calls is a tool call like any other, and no Slash.
type Slash struct {
	Command string // as it was typed: "/deploy now"
	Name    string // without arguments, parts joined by colons: "front:deploy"
	Source  string // "projectSettings", "userSettings", "plugin", "builtin", "bundled", "mcp_prompt", …
}

// Own reports whether the text is the agent's own, as it was installed.
func (s Slash) Own() bool { return s.Source == "builtin" || s.Source == "bundled" }

// SlashInput is the input of a call of SlashCommand: what was typed, and what is known of
// its text. Everything but Typed and Source is worked out by package hooks from the files; the
// agent does not say it.
type SlashInput struct {
	Typed   string   `json:"typed"`
	Source  string   `json:"source,omitempty"`
	Files   []string `json:"files,omitempty"`   // in which the text stands
	Runs    []string `json:"runs,omitempty"`    // shell commands in it, which run as it is read
	Head    string   `json:"head,omitempty"`    // of the text, when it brings hooks or an agent that may have some
	Unknown string   `json:"unknown,omitempty"` // why it is not known what the text runs
}

// JSON is the input as it is shown and recorded.
func (in SlashInput) JSON() json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(in) // strings cannot fail
	return bytes.TrimSpace(b.Bytes())
}

// claudeSlash reads the event.
//
// The limit is half of what a call may have, since what is found in the text's files comes beside
// it.
func claudeSlash(r *reader, h *Hook) {
	s := &Slash{Command: r.text("prompt"), Name: r.name("command_name"), Source: r.optionalName("command_source")}
	if kind := r.name("expansion_type"); kind != "slash_command" {
		s.Source = kind
	}
	if size := len(s.Command); size > wire.MaxBody/2 {
		r.fail("prompt", fmt.Sprintf("has %d bytes, more than %d", size, wire.MaxBody/2))
	}
	h.Slash, h.ToolName = s, SlashCommand
	if id := r.optionalName("prompt_id"); id != "" {
		h.ToolUseID = id + " " + s.Name // a prompt may hold several: "/a /b"
	}
	h.ToolInput = SlashInput{Typed: s.Command, Source: s.Source}.JSON()
}

// claudeSlashAnswer is the answer to that event: nothing, or a refusal. The event has no form for
// a changed input, and none for an allow: an empty answer lets the text be read in.
func claudeSlashAnswer(a Answer) []byte {
	if (a.Verdict == Allow || a.Verdict == Leave) && !a.StopTurn && a.UpdatedInput == nil {
		return []byte(claudeNothing)
	}
	if a.Verdict == Allow && !a.StopTurn {
		a.Reason = "aoctl: the changed input could not be passed on, so the call was refused."
	}
	out := claudeAnswer{Decision: "block", Reason: reasonOf(a)}
	if a.StopTurn {
		out.Continue, out.StopReason = new(bool), out.Reason
	}
	return line(out)
}

// textCommands are a block that begins with ```! and a ! before words in backquotes. A
// placeholder between these signs may be filled in with nothing.
// Claude Code 2.1.329 wants a blank before the latter; what is found too much is asked
// for, what is found too little would run.
var textCommands = sync.OnceValue(func() *regexp.Regexp {
	const filled = "(?:\\$.*?)?"
	return regexp.MustCompile("(?s)`" + filled + "`" + filled + "`" + filled + "!(.*?)(?:```|$)|!" + filled + "`([^`]*)`?")
})

// headAgent is the member of a text's head that names an agent, which may bring hooks.
var headAgent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)agent["']?\s*:`) })

// headPaths is the member that names the files for which a text is.
var headPaths = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)paths["']?\s*:`) })

// headOdd is a member whose name is written with YAML's ? or as an alias.
var headOdd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[{,])[ \t]*(?:\?\s|\*[^\s*]+\s+:)`)
})

// TextRuns finds what the text of a custom command or a skill makes Claude Code run: the
// shell commands in it, and its head when that names hooks or an agent, or could do so in
// a way that is not seen here. A text that runs by itself (context: fork) has an agent,
// named or not, and a project may define it. Both are empty for a text that runs nothing.
func TextRuns(text string) (commands []string, head string) {
	for _, m := range textCommands().FindAllStringSubmatch(text, -1) {
		commands = append(commands, strings.TrimSpace(m[1]+m[2]))
	}
	head = textHead(text)
	if strings.Contains(strings.ToLower(head), "hooks") || strings.Contains(head, "fork") || headAgent().MatchString(head) || oddHead(head) {
		return commands, head
	}
	return commands, ""
}

// TextForPaths reports whether a text may be for some files only. Claude Code does not
// offer it before it has read one of these. A member that cannot be read with certainty counts as
// one.
func TextForPaths(text string) bool {
	head := textHead(text)
	return headPaths().MatchString(head) || oddHead(head)
}

// oddHead reports whether a head may name a member in a way that is not seen here.
func oddHead(head string) bool {
	return strings.Contains(head, `\`) || strings.Contains(head, "!!") || strings.Contains(head, "!<") || headOdd().MatchString(head)
}

// AddedFolders are the folders beside its own that Claude Code was started with (--add-dir):
// texts in them count as the project's. Some of the words that follow may be none. A folder too
// many costs a look at the disk; one too few would leave a text unread.
func AddedFolders(argv []string) []string {
	var dirs []string
	adds := false
	for _, arg := range argv {
		value, given := strings.CutPrefix(arg, "--add-dir=")
		switch {
		case given:
			dirs = append(dirs, value)
		case strings.HasPrefix(arg, "-"):
			adds = arg == "--add-dir"
		case adds:
			dirs = append(dirs, arg)
		}
	}
	return dirs
}

// textHead is what stands between two lines of three dashes at the beginning, the whole text when
// the second is missing. A byte order mark and blank lines before the first dashes are passed
// over. Without the second line everything counts as head, which finds too much rather than too
// little.
func textHead(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, "\uFEFF \t\r\n"), "---")
	if !ok {
		return ""
	}
	head, _, _ := strings.Cut(rest, "\n---")
	return strings.TrimSpace(head)
}
