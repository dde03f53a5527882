package client

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/usage"
)

// TokenEnv holds a token, which only the console makes; an operator's for commands.
const TokenEnv = "AOCTL_TOKEN" //nolint:gosec // G101: the name of a variable

// TokenFileFlag gives cmd the flag that names a file with the operator's token.
func TokenFileFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "token-file", "", "file with the operator token, readable by you alone (default: env "+TokenEnv+")")
}

// NewOperator is New with the token from file, or for "" from the environment. No token at
// all is no error here: the console refuses what needs one, and shows its person that
// somebody tried.
func NewOperator(cmd *cobra.Command, file string) (*Client, error) {
	c, err := New(cmd)
	if err != nil || file == "" {
		return c, err
	}
	if c.Token, err = readTokenFile(file); err != nil {
		return nil, err
	}
	return c, nil
}

// maxToken bounds a token's file, bytes.
const maxToken = 4 << 10

// readTokenFile reads a token from a file that nobody else can read. The mode is looked at
// on the open file, so the file cannot be changed for another in between. Links are
// followed: a token may lie in a folder of secrets.
func readTokenFile(path string) (string, error) {
	f, err := os.Open(path) //nolint:gosec // the operator's own choice
	if err != nil {
		return "", exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot read the token: %v", err), Cause: err}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("look at the token's file %s: %w", path, err)
	// A pipe or a device could block for ever.
	case !info.Mode().IsRegular():
		return "", usage.Error{Text: path + " is not a file", Hint: "put the token on one line into a file of its own"}
	case info.Mode().Perm()&0o077 != 0:
		return "", exit.Error{Code: exit.Failed, Text: fmt.Sprintf("others can read the token in %s (mode %03o)", path, info.Mode().Perm()), Hint: "chmod 600 it; better yet, revoke the token and mint another"}
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err != nil {
		return "", fmt.Errorf("read the token in %s: %w", path, err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", usage.Error{Text: path + " does not hold a token", Hint: "put the token on one line into a file of its own"}
	}
	return token, nil
}

// WithoutToken is env without the operator's token: what an agent could inherit would let
// it allow its own calls. env stays as it is.
func WithoutToken(env []string) []string {
	return without(env, func(name string) bool { return name == TokenEnv })
}

// WithoutAgent is env without the variables by which the hook client tells of the agent
// that runs it. What starts an agent or a hook of its own must not pass on those it was
// started with. Those of tmux stay: they say where the new agent can be seen.
func WithoutAgent(env []string) []string {
	return without(env, func(name string) bool {
		return name != "TMUX" && name != "TMUX_PANE" && slices.Contains(wire.TellTales, name)
	})
}

// without is a copy of env, "NAME=value" each, less the names that drop takes.
func without(env []string, drop func(name string) bool) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return drop(name)
	})
}
