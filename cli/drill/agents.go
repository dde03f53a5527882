package drill

import (
	"encoding/json"

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// agents are how each agent is started, by its name, as seen with the release that its
// page in hookclient/profile names, and with @cursor/sdk 1.0.32. Each has a file of
// its own, which puts it here. It is filled before main and never changed after.
var agents = map[string]func() Agent{}

// object is a JSON object in settings that are written here.
type object = map[string]any

// text is v as JSON; v is made of texts, truths and lists and objects of them, so it
// can be written.
func text(v object) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// shellTool is the step of a shell tool of that name whose input is a command and a
// description.
func shellTool(name string) func(string) fakemodel.Step {
	return func(command string) fakemodel.Step {
		return fakemodel.UseTool(name, map[string]any{"command": command, "description": "run a command"})
	}
}
