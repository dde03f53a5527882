package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/wire"
)

// tokenEnv holds a token, which only the console makes; an operator's for commands.
const tokenEnv = "AOCTL_TOKEN" //nolint:gosec // G101: the name of a variable

// tokenFileFlag gives cmd the flag that names a file with the operator's token.
func tokenFileFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "token-file", "", "file with the operator token, readable by you alone (default: env "+tokenEnv+")")
}

// newOperatorClient is newClient with the token from file, or for "" from the environment.
func newOperatorClient(cmd *cobra.Command, file string) (*client, error) {
	c, err := newClient(cmd)
	if err != nil || file == "" {
		return c, err
	}
	if c.token, err = readTokenFile(file); err != nil {
		return nil, err
	}
	return c, nil
}

// maxToken bounds a token's file, bytes.
const maxToken = 4 << 10

// readTokenFile reads a token from a file that nobody else can read.
func readTokenFile(path string) (string, error) {
	f, err := os.Open(path) //nolint:gosec // the operator's own choice
	if err != nil {
		return "", failure{code: exitError, text: fmt.Sprintf("cannot read the token: %v", err), cause: err}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("look at the token's file %s: %w", path, err)
	case !info.Mode().IsRegular():
		return "", usageError{text: path + " is not a file", hint: "put the token on one line into a file of its own"}
	case info.Mode().Perm()&0o077 != 0:
		return "", failure{code: exitError, text: fmt.Sprintf("others can read the token in %s (mode %03o)", path, info.Mode().Perm()), hint: "chmod 600 it; better yet, revoke the token and mint another"}
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err != nil {
		return "", fmt.Errorf("read the token in %s: %w", path, err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", usageError{text: path + " does not hold a token", hint: "put the token on one line into a file of its own"}
	}
	return token, nil
}

// withoutToken is env without the operator's token.
func withoutToken(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, kv := range env {
		if !strings.HasPrefix(kv, tokenEnv+"=") {
			kept = append(kept, kv)
		}
	}
	return kept
}

func isTellTale(name string) bool {
	for _, t := range wire.TellTales {
		if name == t && name != "TMUX" && name != "TMUX_PANE" {
			return true
		}
	}
	return false
}
