package e2e

import (
	"testing"

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// The scripted model's words, as the scenarios here use them.
type (
	modelStep   = fakemodel.Step
	modelScript = fakemodel.Script
)

// useTool is a step with one call.
func useTool(tool string, input map[string]any) modelStep { return fakemodel.UseTool(tool, input) }

// useBash is a step that runs one command.
func useBash(command string) modelStep {
	return useTool("Bash", map[string]any{"command": command, "description": "run a command"})
}

func newFakeModel(t *testing.T, scripts map[string]modelScript) *fakemodel.Model {
	t.Helper()
	m, err := fakemodel.Start(t.Context(), scripts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.End)
	return m
}
