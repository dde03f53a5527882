package install

import (
	"fmt"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// geminiEvents are those that the console is told of, beside GeminiPrompt.
var geminiEvents = []string{"AfterTool", "AfterAgent", "SessionStart", "SessionEnd", "Notification"}

// GeminiPrompt is the event before a prompt. It comes in every mode, the one for editors
// among them, in which no BeforeTool comes: there the prompt is refused.
const GeminiPrompt = "BeforeAgent"

// GeminiEditors are the flags of that mode.
var GeminiEditors = []string{"--acp", "--experimental-acp", "--experimentalAcp"}

func init() { installers["gemini"] = geminiAgent }

// geminiAgent: settings.json with comments, timeouts in milliseconds. The hooks have no
// name: a project could switch off by its name a hook that has one.
// Source: runs of Gemini CLI 0.61.0.
//
// The prompt's line has no guard of its own kind: it is the gate's, since it may refuse.
func geminiAgent() agent {
	return agent{
		layout: layout{
			agent: "gemini", line: "command", matched: []string{"BeforeTool", "AfterTool"},
			syntax: jsonc.Comments, shape: looseShape,
		},
		gate: own("BeforeTool"), watched: append([]string{GeminiPrompt}, geminiEvents...),
		hooks: func(p Program, _ Mode, timeout time.Duration) []Hook {
			write := func(line string, limit time.Duration) jsonc.Object {
				return jsonc.Object{{"type", "command"}, {"command", line}, {"timeout", milliseconds(limit)}}
			}
			gate := Hook{"BeforeTool", write(p.Gate("gemini", timeout), p.GateTime("gemini", timeout))}
			prompt := Hook{GeminiPrompt, write(p.Prompt("gemini", watchClient, GeminiEditors), watchClient+hookline.Grace)}
			return append([]Hook{gate, prompt}, watching(p, "gemini", geminiEvents, []string{"SessionEnd"}, write)...)
		},
		notes: func(_ Options, f *settingsFile, after []byte) []string {
			d, err := jsonc.Parse(after, jsonc.Comments, Title("gemini"))
			if err != nil {
				return nil // after was just made, and parsed
			}
			w := looseWarnings(f.path, d, true)
			if v := d.Root.Member("hooksConfig").Member("enabled"); v != nil && v.Text == "false" {
				w = append(w, fmt.Sprintf(`%s has "hooksConfig.enabled": false: Gemini CLI runs no hooks, and nothing is asked; remove that line`, f.path))
			}
			return w
		},
	}
}

// milliseconds rounds up: the agent must never give up before the client does.
func milliseconds(d time.Duration) int64 { return int64((d + time.Millisecond - 1) / time.Millisecond) }
