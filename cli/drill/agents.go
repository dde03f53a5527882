package drill

import (
	"encoding/json"

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// agents are how each agent is started, by its name, as seen with the release that its page
// in hookclient/profile names, and with @cursor/sdk 1.0.32. Each has a file of its own, which
// puts it here.
var agents = map[string]func() Agent{}

type object = map[string]any

// text is v as JSON; v is made of texts, truths and lists and objects of them.
func text(v object) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func shellTool(name string) func(string) fakemodel.Step {
	return func(command string) fakemodel.Step {
		return fakemodel.UseTool(name, map[string]any{"command": command, "description": "run a command"})
	}
}
