package setup

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

const configLong = `config lists the console's settings: what each is, and where that comes from. A setting
is named as the console's flag. Flags win, then environment variables, then the
settings file, then what is built in. With KEY it prints that setting's value alone.

The file is TOML, a setting a line, such as timeout = "5m". The console reads it when
it starts; other commands do not. What would open the gate or run a program is not
taken from it, since any program of yours may have written it: observe, on-wait,
listen, listen-operators and socket are flags only.

A file with anything wrong in it counts for nothing: the console starts with what is
built in and says so, and config exits with 1.`

func newConfigCommand() *cobra.Command {
	var as output.Format
	cmd := &cobra.Command{
		Use:   "config [KEY]",
		Short: "List the console's settings and where they come from",
		Long:  configLong,
		Example: `  aoctl config
  aoctl config timeout
  aoctl config edit
  aoctl config --json | jq -r '.settings[] | select(.from != "default") | .key'`,
		Args:              usage.AtMostOne("a setting"),
		ValidArgsFunction: completeSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := settingsNow()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				err = list.one(args[0], &as, cmd.OutOrStdout())
			} else {
				err = list.print(&as, cmd.OutOrStdout())
			}
			if err != nil {
				return err
			}
			return unfit(list.file)
		},
	}
	output.Flags[settingNow](cmd, &as, "print a JSON object", "file", "found", "problem", "settings")
	cmd.AddCommand(newConfigPathCommand(), newConfigEditCommand())
	return cmd
}

func newConfigPathCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print where the settings file is, or would be",
		Long:    "path prints where the settings file is, whether there is one or not.",
		Example: `  cat "$(aoctl config path)"`,
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := configPath()
			if err != nil {
				return err
			}
			return show.Line(cmd.OutOrStdout(), path)
		},
	}
}

// completeSettings offers the names of settings.
func completeSettings(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var offers []string
	if len(args) == 0 {
		for _, k := range config.Keys() {
			offers = usage.Offer(offers, k.Name, k.About)
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// settingsList is what a console would go by that was started now, without flags.
type settingsList struct {
	file config.File
	list []settingNow
}

// settingNow is a setting as --json prints it.
type settingNow struct {
	ID      string `json:"id"` // the same as Key, as every list has it
	Key     string `json:"key"`
	Value   any    `json:"value"` // text, a number or a boolean, as in the file; null where nothing is set
	Default any    `json:"default"`
	From    string `json:"from"`           // default, file or environment
	Line    int    `json:"line,omitempty"` // of the file
	Name    string `json:"name,omitempty"` // of the variable

	text string // Value as a flag takes it
}

// settingsNow lists each setting with the value that a console would start with and where that
// comes from: a variable beats the file, and the file beats the default.
func settingsNow() (settingsList, error) {
	l := settingsList{file: config.Load()}
	for _, k := range config.Keys() {
		s := settingNow{ID: k.Name, Key: k.Name, From: "default", text: k.Default, Default: k.JSON(k.Default)}
		for _, f := range l.file.Settings {
			if f.Key == k.Name {
				s.text, s.From, s.Line = f.Value, "file", f.Line
			}
		}
		value, variable, err := k.Env()
		if err != nil {
			return l, err
		}
		if variable != "" {
			s.text, s.From, s.Name, s.Line = value, "environment", variable, 0
		}
		if s.Key == "max-pending-session" && s.From == "default" {
			s.text = l.least(s.text, "max-pending")
		}
		s.Value = k.JSON(s.text)
		l.list = append(l.list, s)
	}
	return l, nil
}

// least is text, or the value of another setting where that is a smaller number: one
// session cannot have more calls waiting than all have.
func (l settingsList) least(text, other string) string {
	for _, s := range l.list {
		n, err := strconv.Atoi(text)
		if most, merr := strconv.Atoi(s.text); s.Key == other && err == nil && merr == nil && most < n {
			return s.text
		}
	}
	return text
}

// from says where a value comes from.
func (s settingNow) from(f config.File) string {
	switch s.From {
	case "file":
		return f.Place(s.Line)
	case "environment":
		return s.Name
	}
	return s.From
}

func (l settingsList) print(as *output.Format, out io.Writer) error {
	if as.On() {
		return l.printJSON(as, out)
	}
	t := &show.Table{Head: []string{"SETTING", "VALUE", "FROM"}}
	for _, s := range l.list {
		t.Add(s.Key, cmp.Or(s.text, "-"), s.from(l.file))
	}
	return t.Print(out)
}

func (l settingsList) printJSON(as *output.Format, out io.Writer) error {
	type problem struct {
		Line int    `json:"line,omitempty"`
		Text string `json:"text"`
		Cure string `json:"cure"`
	}
	doc := struct {
		File     string       `json:"file"`
		Found    bool         `json:"found"`
		Problem  *problem     `json:"problem"` // null: the file is taken
		Settings []settingNow `json:"settings"`
	}{File: l.file.Path, Found: l.file.Found, Settings: l.list}
	if p := l.file.Problem; p != nil {
		doc.Problem = &problem{p.Line, p.Text, p.Cure}
	}
	return as.Print(out, doc)
}

// one prints the value of one setting, or with JSON all about it.
func (l settingsList) one(name string, as *output.Format, out io.Writer) error {
	for _, s := range l.list {
		if s.Key != name {
			continue
		}
		if !as.On() {
			return show.Line(out, s.text)
		}
		return as.Print(out, s)
	}
	if r, ok := config.Refused[name]; ok {
		return usage.Error{Text: name + " is no setting of the file: " + r.Why, Hint: r.Instead}
	}
	hint := "there are " + strings.Join(config.Names(), ", ")
	if near := config.Near(name); near != "" {
		hint = "did you mean " + near + "?"
	}
	return usage.Error{Text: fmt.Sprintf("there is no setting %q", name), Hint: hint}
}

// unfit says that the file does not count, nil when it does.
func unfit(f config.File) error {
	if f.Problem == nil {
		return nil
	}
	return exit.Error{
		Code: exit.Failed, Text: f.Place(f.Problem.Line) + ": " + f.Problem.Text + "; nothing of the file holds",
		Hint: f.Problem.Cure, Cause: f.Problem,
	}
}
