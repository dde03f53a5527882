package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// settingsText draws settings as people write them and as nobody would: any spacing,
// empty containers, other people's hooks.
func settingsText(t *rapid.T) string {
	if rapid.IntRange(0, 19).Draw(t, "blank") == 0 {
		return rapid.SampledFrom([]string{"", "\n", " \r\n\t"}).Draw(t, "blank text")
	}
	w := &textWriter{t: t, newline: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")}
	w.spacing = rapid.SampledFrom([]string{"indented", "tabs", "none", "one line", "wild"}).Draw(t, "spacing")
	var members []string
	for i := range rapid.IntRange(0, 3).Draw(t, "members") {
		members = append(members, fmt.Sprintf("%q", fmt.Sprintf("k%d{", i)), w.scalar())
	}
	if rapid.Bool().Draw(t, "has hooks") {
		members = slices.Insert(members, 2*rapid.IntRange(0, len(members)/2).Draw(t, "at"), `"hooks"`, w.hooks())
	}
	return w.gap(0) + w.container("{}", 0, members, true) + w.gap(0)
}

type textWriter struct {
	t                *rapid.T
	spacing, newline string
}

// gap is white space before something at the given level.
func (w *textWriter) gap(level int) string {
	switch w.spacing {
	case "indented":
		return w.newline + strings.Repeat("    ", level)
	case "tabs":
		return w.newline + strings.Repeat("\t", level)
	case "wild":
		return rapid.StringOfN(rapid.RuneFrom([]rune(" \t\n\r")), 0, 3, -1).Draw(w.t, "gap")
	}
	return ""
}

func (w *textWriter) between() string {
	switch w.spacing {
	case "wild":
		return w.gap(0)
	case "none":
		return ""
	}
	return " "
}

// container writes children, which for an object are keys and values in turn.
func (w *textWriter) container(brackets string, level int, children []string, isObject bool) string {
	if len(children) == 0 {
		inner := ""
		if w.spacing == "wild" {
			inner = w.gap(level)
		}
		return brackets[:1] + inner + brackets[1:]
	}
	var b strings.Builder
	b.WriteString(brackets[:1])
	step := 1
	if isObject {
		step = 2
	}
	for i := 0; i < len(children); i += step {
		switch {
		case i > 0 && w.spacing == "one line":
			b.WriteString(", ")
		case i > 0:
			b.WriteString(",")
		}
		b.WriteString(w.gap(level+1) + children[i])
		if isObject {
			b.WriteString(":" + w.between() + children[i+1])
		}
	}
	return b.String() + w.gap(level) + brackets[1:]
}

func (w *textWriter) scalar() string {
	return rapid.SampledFrom([]string{
		`1.50e+3`, `-0`, `"\u00e9\/"`, `"a,\"b}"`, `null`, `true`, `[]`, `{ }`, `[1 , 2]`, `{"hooks": {"Stop": []}}`, `"漢\\"`, `""`,
	}).Draw(w.t, "scalar")
}

func (w *textWriter) hooks() string {
	var events []string
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"PreToolUse", "PermissionRequest", "Stop", "SessionEnd", "Setup", "Unknown\\u0041",
	}), 0, 3, rapid.ID[string]).Draw(w.t, "events")
	for _, name := range names {
		var groups []string
		for range rapid.IntRange(0, 2).Draw(w.t, "groups") {
			groups = append(groups, w.group())
		}
		events = append(events, `"`+name+`"`, w.container("[]", 2, groups, false))
	}
	return w.container("{}", 1, events, true)
}

func (w *textWriter) group() string {
	var handlers []string
	for range rapid.IntRange(0, 2).Draw(w.t, "handlers") {
		command := rapid.SampledFrom([]string{`"say done"`, `"aoctl hook claude | tee log"`, `"\u0061"`}).Draw(w.t, "command")
		handlers = append(handlers, w.container("{}", 4, []string{`"type"`, `"command"`, `"command"`, command, `"timeout"`, "1.0"}, true))
	}
	members := []string{`"hooks"`, w.container("[]", 3, handlers, false)}
	if rapid.Bool().Draw(w.t, "matcher") {
		members = append(members, `"matcher"`, rapid.SampledFrom([]string{`"*"`, `"Bash"`, `""`}).Draw(w.t, "matcher"))
	}
	return w.container("{}", 2, members, true)
}

// decode reads JSON the way any other program would.
func decode(t interface{ Fatalf(string, ...any) }, text []byte) map[string]any {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}
	}
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q is not a JSON object: %v", text, err)
	}
	return v
}

// plain turns an object for render into what decode returns.
func plain(v any) any {
	switch v := v.(type) {
	case jsonc.Object:
		m := map[string]any{}
		for _, f := range v {
			m[f[0].(string)] = plain(f[1])
		}
		return m
	case jsonc.Array:
		var a []any
		for _, item := range v {
			a = append(a, plain(item))
		}
		return a
	case int:
		return json.Number(fmt.Sprint(v))
	}
	return v
}

// mergeModel says in terms of values what installing into text with no hooks of ours means.
func mergeModel(settings map[string]any, hooks []Hook) map[string]any {
	all, ok := settings["hooks"].(map[string]any)
	if !ok {
		all = map[string]any{}
		settings["hooks"] = all
	}
	for _, h := range hooks {
		groups, _ := all[h.Event].([]any)
		all[h.Event] = append(groups, plain(claudeLayout().group(h)))
	}
	return settings
}

// The text that comes out says what merging the values would say, a second time changes
// nothing, and every line that was there is still there.
func TestInstallIsTheSemanticMerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src := []byte(settingsText(rt))
		hooks := claudeHooks(testProgram, rapid.SampledFrom(Modes()).Draw(rt, "mode"), time.Minute)
		out, err := claudeLayout().install(src, hooks)
		if err != nil {
			rt.Fatalf("install into %q: %v", src, err)
		}
		if diff := cmp.Diff(mergeModel(decode(rt, src), hooks), decode(rt, out)); diff != "" {
			rt.Fatalf("install into %q is not the merge (-want +got):\n%s", src, diff)
		}
		again, err := claudeLayout().install(out, hooks)
		if err != nil || !bytes.Equal(again, out) {
			rt.Fatalf("second installation: %v\n%s", err, cmp.Diff(string(out), string(again)))
		}
		if !isSubsequence(src, out) {
			rt.Fatalf("bytes of %q are missing from %q", bytes.TrimSpace(src), out)
		}
	})
}

// isSubsequence reports whether out holds all bytes of src in order, white space aside:
// that in an empty container is replaced.
func isSubsequence(src, out []byte) bool {
	for _, c := range src {
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		i := bytes.IndexByte(out, c)
		if i < 0 {
			return false
		}
		out = out[i+1:]
	}
	return true
}

// The parser reads exactly what the standard library reads, but for what it is stricter
// about, and what it hands on can be edited and stays JSON.
func FuzzInstallText(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"hooks":{"Stop":[{"hooks":[]}]}}`, "{\r\n\t\"a\" : [1,\n2]\r\n}", `{"a":1,}`, "[]", "{//\n}",
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"aoctl hook claude"}]}]},"b":{"a":"\ud800"}}`,
		"\xef\xbb\xbf{}", `{"a":1,"a":2}`, `{"a":"` + "\xff" + `"}`, `{"hooks":{"PreToolUse":{}}}`, `{"a":tru}`, `{"a":1e999}`,
		`{ "hooks" :{ "PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"aoctl hook claude"},{"type":"http"}]}] } }`,
	} {
		f.Add([]byte(s))
	}
	hooks := gateHooks()
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := claudeLayout().install(src, hooks)
		if err != nil {
			syntax, ok := err.(*jsonc.SyntaxError) //nolint:errorlint // the very type is promised here
			if !ok || out != nil || syntax.Line < 1 || syntax.Col < 1 || syntax.Problem == "" || syntax.Cure == "" {
				t.Fatalf("refusal %#v with output %q", err, out)
			}
			return
		}
		if len(bytes.TrimSpace(src)) > 0 && !json.Valid(src) {
			t.Fatalf("accepted %q, which is not JSON", src)
		}
		if !json.Valid(out) {
			t.Fatalf("made %q of %q, which is not JSON", out, src)
		}
		if again, err := claudeLayout().install(out, hooks); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("second installation into %q: %v, %q", out, err, again)
		}
		d, err := ParseClaude(out)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := claudeLayout().remove(d, func(string, *jsonc.Node) bool { return false }); err != nil || n < len(hooks) {
			t.Fatalf("removed %d hooks of %d: %v", n, len(hooks), err)
		}
		bare1, err1 := claudeLayout().bare(src)
		bare2, err2 := claudeLayout().bare(d.Src)
		if err1 != nil || err2 != nil || !bytes.Equal(bare1, bare2) {
			t.Fatalf("installing and removing made %q of %q (%v, %v)", bare2, bare1, err1, err2)
		}
	})
}
