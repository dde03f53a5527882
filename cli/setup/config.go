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

const configLong = `config lists the console's settings, the value of each, and where the value comes from.
A setting has the name of the console's flag. Flags win, then environment variables,
then the settings file, then the default. With KEY it prints that setting's value alone.

The file is TOML, a setting a line, such as timeout = "5m". The table [keys] says which
key does what, such as mark = "m" or up = ["k", "up"]; "aoctl config keys" lists all
actions. Allowing and denying take one key each, which cannot be enter, space, esc,
tab, ctrl+v or a digit. No key does two things.

The console reads the file when it starts; other commands do not. Any program of yours
may have written it, so it cannot let calls through or run a program: observe, on-wait,
on-wait-token, listen, listen-operators, otlp, otlp-content and socket are flags only.

When anything in the file is wrong, none of it is used: the console starts with the
defaults and says so, and config exits with 1.`

// newConfigCommand makes "config". It exits with an error when the file is not used,
// after it has printed what holds instead. It asks no console: it says what one would
// go by that starts now. KEY may be a setting, an action of [keys], or keys for all of
// those.
func newConfigCommand(actions []config.Action) *cobra.Command {
	var as output.Format
	cmd := &cobra.Command{
		Use:   "config [KEY]",
		Short: "List the console's settings and where they come from",
		Long:  configLong,
		Example: `  aoctl config
  aoctl config timeout
  aoctl config keys
  aoctl config edit
  aoctl config --json | jq -r '.settings[] | select(.from != "default") | .key'`,
		Args:              configArgs,
		ValidArgsFunction: completeSettings(actions),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := settingsNow(actions)
			if err != nil {
				return err
			}
			if len(args) == 1 && args[0] != "list" {
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
	output.Flags[settingNow](cmd, &as, "print a JSON object", "file", "found", "problem", "settings", "keys", "action")
	cmd.AddCommand(newConfigPathCommand(), newConfigEditCommand(actions))
	return cmd
}

// configArgs takes at most one setting. Who gives it a value as well wants to change it, which a command
// line does not do: every program of the user has one.
func configArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage.Error{Text: "aoctl config changes no setting", Hint: "write it into the settings file: aoctl config edit"}
	}
	return usage.AtMostOne("a setting")(cmd, args)
}

// newConfigPathCommand makes "config path". It neither reads nor makes the file.
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

// completeSettings offers the names of settings and of the actions that have a key.
// Nothing is read for that, so a broken file does not matter.
func completeSettings(actions []config.Action) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var offers []string
		for _, k := range config.Keys() {
			offers = usage.Offer(offers, k.Name, k.About)
		}
		offers = usage.Offer(offers, config.KeysTable, "the keys of all actions")
		for _, a := range actions {
			offers = usage.Offer(offers, config.KeysTable+"."+a.Name, strings.Join(a.Default, " "))
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}

// settingsList is what a console would go by that was started now, without flags. What
// it makes of list is one entry for each setting, in the order of config.Keys. A file
// with a problem is in it too, with no settings.
type settingsList struct {
	file    config.File
	list    []settingNow
	actions []config.Action
}

// settingNow is a setting as --json prints it. The names are a promise to scripts.
// From, Line and Name say where Value comes from; of the last two at most one is set.
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

// settingsNow lists each setting with the value that a console would start with and
// where that comes from: a variable beats the file, and the file beats the default.
// The error is for a variable that cannot be, with which no console would start. A
// setting that follows another one, such as the limit of one session, is shown as it
// would hold.
//
// A file with a mistake has no settings, so everything then has its default or its
// variable.
func settingsNow(actions []config.Action) (settingsList, error) {
	l := settingsList{file: config.Load(actions), actions: actions}
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
// session cannot have more calls waiting than all have. Settings that come later in
// the list are not looked at.
func (l settingsList) least(text, other string) string {
	for _, s := range l.list {
		n, err := strconv.Atoi(text)
		if most, merr := strconv.Atoi(s.text); s.Key == other && err == nil && merr == nil && most < n {
			return s.text
		}
	}
	return text
}

// from says where a value comes from, as a person looks for it: the file with its
// line, the name of the variable, or "default".
func (s settingNow) from(f config.File) string {
	switch s.From {
	case "file":
		return f.Place(s.Line)
	case "environment":
		return s.Name
	}
	return s.From
}

// print lists the settings, and of the keys only those that the file sets. A setting
// without a value has "-". The table is one for settings and keys, since both stand in
// one file.
func (l settingsList) print(as *output.Format, out io.Writer) error {
	if as.On() {
		return l.printJSON(as, out)
	}
	t := &show.Table{Head: []string{"SETTING", "VALUE", "FROM"}}
	for _, s := range l.list {
		t.Add(s.Key, cmp.Or(s.text, "-"), s.from(l.file))
	}
	l.chosenKeys(t)
	return t.Print(out)
}

// printJSON prints everything at once, with what is wrong with the file. The settings
// in it are then the defaults, because a file with a mistake counts for nothing.
// problem is null when the file is taken, also when there is none.
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
		Keys     []keysNow    `json:"keys"`
	}{File: l.file.Path, Found: l.file.Found, Settings: l.list, Keys: l.keys()}
	if p := l.file.Problem; p != nil {
		doc.Problem = &problem{p.Line, p.Text, p.Cure}
	}
	return as.Print(out, doc)
}

// one prints the value of one setting, or with JSON all about it: a script wants the
// value alone. A name that is a flag of the console and no setting gets the reason for
// that. The error for an unknown name suggests the one that was most likely meant.
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
	if name == config.KeysTable {
		return l.printKeys(as, out)
	}
	if action, ok := strings.CutPrefix(name, config.KeysTable+"."); ok {
		return l.oneAction(action, as, out)
	}
	if r, ok := config.Refused[name]; ok {
		return usage.Error{Text: name + " is no setting of the file: " + r.Why, Hint: r.Instead}
	}
	hint := "there are " + strings.Join(config.Names(), ", ") + " and " + config.KeysTable
	if near := config.Near(name); near != "" {
		hint = "did you mean " + near + "?"
	}
	return usage.Error{Text: fmt.Sprintf("there is no setting %q", name), Hint: hint}
}

// unfit says that the file does not count, nil when it does. The sentence names file
// and line. What the file would say without its mistake is not shown: nothing of it
// counts.
func unfit(f config.File) error {
	if f.Problem == nil {
		return nil
	}
	return exit.Error{
		Code: exit.Failed, Text: f.Place(f.Problem.Line) + ": " + f.Problem.Text + "; nothing in the file is used",
		Hint: f.Problem.Cure, Cause: f.Problem,
	}
}
