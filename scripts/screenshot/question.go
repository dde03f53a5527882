package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// question is what Claude Code sends when it asks its user something. No agent of the demo
// does, so this program asks in their place, through the real hook client.
const question = `{"session_id":"5b1d7c52-0a7e-4f6c-9a52-3f0f5d1f6a10","cwd":"CWD","permission_mode":"default",` +
	`"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"toolu_screenshot","tool_input":{"questions":[` +
	`{"question":"Which registry shall the image go to?","header":"Registry","multiSelect":false,"options":[` +
	`{"label":"ghcr.io","description":"Where the others are; needs a token"},` +
	`{"label":"The company's own","description":"Only from inside the network"}]},` +
	`{"question":"What shall be tagged?","header":"Tags","multiSelect":true,"options":[` +
	`{"label":"latest","description":"Moves with every release"},` +
	`{"label":"v1.5.0","description":"Stays where it is"}]}]}}`

// ask asks the question and leaves it waiting; the demo's end refuses it.
func ask(t *terminal, program string) error {
	homes, err := filepath.Glob(filepath.Join(t.folder, "aoctl-demo-*", "home"))
	if err != nil || len(homes) != 1 {
		return fmt.Errorf("%d folders of the demo, want 1", len(homes))
	}
	cwd := filepath.Join(filepath.Dir(homes[0]), "src", "docs")
	cmd := exec.CommandContext(t.ctx, program, "hook", "claude", "--timeout", "10m")
	cmd.Dir = cwd
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.folder, "AOCTL_HOME=" + homes[0], "CLAUDECODE=1"}
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(question, "CWD", cwd))
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("ask a question: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
