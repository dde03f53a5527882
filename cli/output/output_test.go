package output

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
)

type inner struct {
	Folder string `json:"cwd,omitempty"`
	Big    uint64 `json:"big"`
}

type row struct {
	inner

	ID     string         `json:"id"`
	At     time.Time      `json:"at"`
	Input  map[string]any `json:"input,omitempty"`
	hidden int            //nolint:unused // shows that it is no field
	Never  int            `json:"-"`
}

var rows = []row{
	{ID: "a<b", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), inner: inner{Big: 18446744073709551615}},
	{ID: "two", inner: inner{Folder: "/x"}, Input: map[string]any{"command": "ls\x1b[2J\n\u202etxt.exe"}},
}

// run runs a command with these arguments that prints v.
func run(t *testing.T, use string, v any, args ...string) (out string, got []string, err error) {
	t.Helper()
	var f Format
	var b strings.Builder
	cmd := &cobra.Command{
		Use: use, Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) error {
			got = args
			if !f.On() {
				b.WriteString("for people")
				return nil
			}
			return f.Print(&b, v)
		},
	}
	if use == "list" {
		cmd.Args = usage.NoArgs
	}
	cmd.SetOut(io.Discard)
	Flags[row](cmd, &f, "print JSON", "more")
	cmd.SetArgs(args)
	err = cmd.Execute()
	return b.String(), got, err
}

const first = `{"cwd":"/x","big":0,"id":"two","at":"0001-01-01T00:00:00Z"}`

func TestFormats(t *testing.T) {
	small := row{ID: "two", inner: inner{Folder: "/x"}}
	for _, tc := range []struct {
		name string
		v    any
		args []string
		want string
	}{
		{"people", small, nil, "for people"},
		{"bare", small, []string{"--json"}, first + "\n"},
		{"as a switch", small, []string{"--json=true"}, first + "\n"},
		{"switched off", small, []string{"--json=false"}, "for people"},
		{"list", []row{small, small}, []string{"--json"}, "[" + first + ",\n " + first + "]\n"},
		{"no rows", []row{}, []string{"--json=id"}, "[]\n"},
		{"no rows, and none made", []row(nil), []string{"--json=id"}, "[]\n"},
		{"no rows for jq", []row(nil), []string{"--jq", "length"}, "0\n"},
		{"fields", rows, []string{"--json=id,cwd"}, "[{\"id\":\"a<b\",\"cwd\":null},\n {\"id\":\"two\",\"cwd\":\"/x\"}]\n"},
		{"a field twice", small, []string{"--json=id,cwd,id"}, "{\"id\":\"two\",\"cwd\":\"/x\"}\n"},
		{"fields behind a blank", rows, []string{"--json", "id"}, "[{\"id\":\"a<b\"},\n {\"id\":\"two\"}]\n"},
		{"one object", small, []string{"--json=cwd,more"}, "{\"cwd\":\"/x\",\"more\":null}\n"},
		{"jq alone", rows, []string{"--jq", ".[].id"}, "a<b\ntwo\n"},
		{"jq keeps digits", rows, []string{"--jq", ".[0].big"}, "18446744073709551615\n"},
		{"jq after fields", rows, []string{"--json=id", "--jq", ".[0]|keys"}, "[\"id\"]\n"},
		{"jq shows what terminals act on", rows, []string{"--jq", ".[1].input.command"}, "ls\\x1b[2J\n\\u{202e}txt.exe\n"},
		{"jq escapes in JSON", rows, []string{"--jq", "[.[1].input.command]"}, "[\"ls\\u001b[2J\\n\\u202etxt.exe\"]\n"},
		{"jq halts", rows, []string{"--jq", ".[].id, halt, 1"}, "a<b\ntwo\n"},
		{"template", rows, []string{"--template", "{{range .}}{{.id}}\t{{.cwd}}\n{{end}}"}, "a<b\t<no value>\ntwo\t/x\n"},
		{"table", rows, []string{"--template", `{{range .}}{{tablerow .id (truncate 3 "abcdef")}}{{end}}`}, "a<b\tab…\ntwo\tab…\n"},
		{"helpers", rows, []string{"--template", `{{join ", " (pluck "id" .)}} {{(index . 0).at | timeago | printf "%.0s"}}{{truncate 5 (index . 1).input.command}}`}, "a<b, two ls\\x…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, _, err := run(t, "list", tc.v, tc.args...)
			if diff := cmp.Diff(tc.want, out); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestWrongFormats(t *testing.T) {
	for _, tc := range []struct{ want, arg1, arg2 string }{
		{`--json knows no field "nme"`, "--json=id,nme", ""},
		{`--json knows no field "hidden"`, "--json", "hidden"},
		{"this is no jq", "--jq", ".["},
		{"--jq: ", "--jq", ".[].id.x"},
		{"this is no template: function \"nope\" not defined", "--template", "{{nope}}"},
		{"this is no template: unclosed action", "--template", "{{"},
		{"--template: {{.id}}: a list has no field id", "--template", "{{.id}}"},
		{"--template: {{.id.x}}: there is no field x in it, since it is no object", "--template", "{{range(.)}}{{.id.x}}{{end}}"},
	} {
		out, _, err := run(t, "list", rows, strings.Fields(tc.arg1+" "+tc.arg2)...)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.HasPrefix(out, "{") {
			t.Errorf("%s %s: got %q, %v", tc.arg1, tc.arg2, out, err)
		}
	}
	_, _, err := run(t, "list", rows, "--json=nme")
	e, ok := errors.AsType[usage.Error](err)
	if diff := cmp.Diff([]string{"at", "big", "cwd", "id", "input", "more"}, e.List); !ok || diff != "" {
		t.Errorf("the fields that there are: %v\n%s", err, diff)
	}
}

// Where a command takes arguments, what stands behind "--json " is one of them.
func TestArgumentsStay(t *testing.T) {
	out, got, err := run(t, "show ID", rows[1], "--json", "id")
	if err != nil || !strings.Contains(out, `"cwd"`) || !cmp.Equal(got, []string{"id"}) {
		t.Errorf("got %q, %v, %v", out, got, err)
	}
}

func TestOffersFields(t *testing.T) {
	f := Format{known: []string{"cwd", "id", "input"}}
	got, _ := f.complete(nil, nil, "cwd,i")
	if diff := cmp.Diff([]string{"cwd,id", "cwd,input"}, got); diff != "" {
		t.Error(diff)
	}
}
