package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aoctl/aoctl/cli/usage"
)

// TestWrongLinesInPlainWords: what is wrong with a command line is said in our words, with what to
// do, and never in those of a library.
func TestWrongLinesInPlainWords(t *testing.T) {
	t.Setenv("AOCTL_HOME", t.TempDir())
	for line, want := range map[string]string{
		"foo":                               `unknown command "foo" for aoctl|run "aoctl --help" for help`,
		"sotp":                              `unknown command "sotp" for aoctl|did you mean stop?`,
		"session foo":                       `unknown command "foo" for aoctl session|run "aoctl session --help" for help`,
		"log --limit x":                     `--limit cannot be "x"|give a whole number, such as 10`,
		"log --limit 99999999999999999999":  `--limit cannot be "99999999999999999999"|give a whole number, such as 10`,
		"--timeout soon":                    `--timeout cannot be "soon"|give a span, such as 90s, 10m or 1h30m`,
		"session list --all=maybe":          `--all cannot be "maybe"|give it as it is, or as --all=false`,
		"session list --al":                 `session list has no flag --al|did you mean --all?`,
		"session list -z":                   `session list has no flag -z|run "aoctl session list --help" for help`,
		"log --limit":                       `--limit needs a value|give a whole number, such as 10`,
		"status --tmux --prompt":            `--prompt and --tmux go against each other|give one of them`,
		"log --since yesterday":             "",
		"session stop":                      "",
		"session interrupt":                 "",
		"session interrupt a b":             "",
		"rule move x --priority much":       `--priority cannot be "much"|give a whole number, such as 10`,
		"backup --keep":                     "",
		"transcript a --limit 1.5":          "",
		"call approve":                      "",
		"install claude --at-most tomorrow": `--at-most cannot be "tomorrow"|give a span, such as 90s, 10m or 1h30m`,
	} {
		root := NewRoot()
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		root.SetArgs(strings.Fields(line))
		err := root.Execute()
		u, ok := errors.AsType[usage.Error](err)
		if !ok || u.Hint == "" || want != "" && u.Text+"|"+u.Hint != want {
			t.Errorf("%q: %q, hint %q (%T)", line, err, u.Hint, err)
		}
		plain(t, line, err)
	}
}

// TestEveryCommandRefusesInPlainWords: that holds for each flag and for each number of arguments.
func TestEveryCommandRefusesInPlainWords(t *testing.T) {
	each(NewRoot(), func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if err := c.ParseFlags([]string{"--" + f.Name + "=x!"}); err != nil {
				plain(t, c.CommandPath()+" --"+f.Name, c.FlagErrorFunc()(c, err))
			}
		})
		for n := range 6 {
			if err := c.ValidateArgs(slices.Repeat([]string{"x"}, n)); err != nil {
				plain(t, fmt.Sprintf("%s with %d arguments", c.CommandPath(), n), err)
			}
		}
	})
}

// plain checks that an error of usage is in our words.
func plain(t *testing.T, line string, err error) {
	t.Helper()
	if _, ok := errors.AsType[usage.Error](err); !ok {
		t.Errorf("%q: %T is no error of usage: %v", line, err, err)
		return
	}
	for _, raw := range []string{"strconv", "time:", "parsing", "invalid argument", "invalid syntax", "unknown flag", "shorthand", "accepts", "arg(s)", "mutually", "required flag"} {
		if strings.Contains(err.Error(), raw) {
			t.Errorf("%q: %q is a library's word: %v", line, raw, err)
		}
	}
}

// TestTimesAreMilliseconds: programs are given times in one unit, which the field's name says.
func TestTimesAreMilliseconds(t *testing.T) {
	seen := 0
	each(NewRoot(), func(c *cobra.Command) {
		complete, ok := c.GetFlagCompletionFunc("json")
		if !ok {
			return
		}
		fields, _ := complete(c, nil, "")
		for _, name := range fields {
			seen++
			if slices.ContainsFunc([]string{"_ns", "_us", "_s", "_seconds"}, func(unit string) bool { return strings.HasSuffix(name, unit) }) {
				t.Errorf("%s --json has the field %s", c.CommandPath(), name)
			}
		}
	})
	if seen < 100 {
		t.Errorf("only %d fields were looked at", seen)
	}
}
