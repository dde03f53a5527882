package drill

import (
	_ "embed" // the program that runs Cursor's agents

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

func init() { agents["cursor"] = cursor }

// cursor is the agent of Cursor's own package: its program needs a login. The script
// that runs it is written onto the ground and started by node.
func cursor() Agent {
	return Agent{lacks: []Mode{ACP}, Shell: func(command string) fakemodel.Step {
		return fakemodel.UseTool("Shell", map[string]any{"command": command})
	}, start: func(r run) command {
		return command{engine: cursorEngine, args: []string{Prompt}, env: []string{"CURSOR_BACKEND_URL=" + r.API}, files: map[string]string{cursorEngine: engine}}
	}}
}

// cursorEngine is the name of the program that runs Cursor's agents.
const cursorEngine = "cursor.mjs"

//go:embed cursor.mjs
var engine string
