package check

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// "claude mcp serve" offers Claude Code's own tools to another program, and runs them
// without a hook and whatever its settings deny.
// Source: runs of Claude Code 2.1.329.

// serveWords are how settings of MCP servers write it. They are compiled at the first use, since
// a hook run links none of this and doctor runs once.
var serveWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"mcp"\s*,\s*"serve"|claude\s+mcp\s+serve`) })

// serves names the processes that do so now, and settings that start one. A process counts as a
// failure, as it can be told to run something now; a setting is a warning.
func (c *claude) serves() {
	found := 0
	for _, p := range c.processes {
		if i := slices.Index(p.Args, "mcp"); p.runs(c.a) && i > 0 && i+1 < len(p.Args) && p.Args[i+1] == "serve" {
			c.add(Fail, "mcp serve", fmt.Sprintf("end it (kill %d)", p.PID), "pid %d is claude mcp serve: what it is told to run, it runs without a hook", p.PID)
			found++
		}
	}
	for _, file := range serverFiles(c.o.Project) {
		// The files are of several formats, so the words are looked for in the text.
		text, err := machine.ReadBounded(file, install.MaxSettings)
		if err != nil {
			continue
		}
		// One place in a file is enough to look at it.
		if at := serveWords().FindIndex(text); at != nil {
			line, _ := jsonc.Locate(text, at[0])
			c.add(Warn, "mcp serve", `take it out there, or refuse its tools in the agent that uses it: aoctl rules add --deny --tool 'mcp__NAME__*'`,
				"%s:%d starts claude mcp serve, which runs what it is told without a hook and whatever Claude Code's settings deny", file, line)
			found++
		}
	}
	if found == 0 {
		c.add(OK, "mcp serve", "", "no process and none of the usual settings offers Claude Code's tools (claude mcp serve), for which no hook runs")
	}
}

// serverFiles are the usual places in which agents are told of MCP servers. Files that are not
// there are passed over when they are read.
func serverFiles(project string) []string {
	files := []string{filepath.Join(project, ".mcp.json")}
	for _, name := range []string{
		".claude.json", ".codex/config.toml", ".gemini/settings.json", ".qwen/settings.json", ".cursor/mcp.json", ".copilot/mcp-config.json",
		".config/opencode/opencode.json", ".config/Claude/claude_desktop_config.json", "Library/Application Support/Claude/claude_desktop_config.json",
	} {
		if path := machine.InHome("", filepath.FromSlash(name)); path != "" {
			files = append(files, path)
		}
	}
	return files
}
