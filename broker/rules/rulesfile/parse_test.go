package rulesfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

const exampleTOML = `# aoctl rules
[[rule]]
id = "01900000-0000-7000-8000-000000000001"            # optional in files a person writes
decision = "allow"      # allow, deny, ask
tool = "Bash"
priority = 50
enabled = true
reason = "tests only"
expires_at = 2026-12-31T01:00:00.1239+01:00
max_uses = 20
[rule.scope]
project = "/home/me/src/api"
[rule.where]
command = "npm run test *"

[[rule]]
decision = "deny"
tool = "Edit|Write"
enabled = false
where = { file_path = "**/.env" }
scope.agent = "claude"
`

func TestParseTOML(t *testing.T) {
	got, err := Parse([]byte(exampleTOML))
	if err != nil {
		t.Fatal(err)
	}
	want := []rules.Rule{
		{
			ID: "01900000-0000-7000-8000-000000000001", Decision: rules.Allow, Tool: "Bash", Priority: 50, Enabled: true,
			Reason: "tests only", ExpiresAt: time.Date(2026, 12, 31, 0, 0, 0, 123e6, time.UTC), MaxUses: 20,
			Scope: rules.Scope{Project: "/home/me/src/api"}, Where: map[string]string{"command": "npm run test *"},
		},
		{
			Decision: rules.Deny, Tool: "Edit|Write", Priority: rules.DefaultPriority,
			Scope: rules.Scope{Agent: "claude"}, Where: map[string]string{"file_path": "**/.env"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ParseTOML (-want +got):\n%s", diff)
	}
}

func TestParseTOMLWithoutRules(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "comment": "# nothing yet\n", "windows lines": "# nothing\r\n", "a character that stands for another": "# \ufffd\n"} {
		t.Run(name, func(t *testing.T) {
			list, err := Parse([]byte(text))
			if err != nil || len(list) != 0 {
				t.Errorf("got %v, %v", list, err)
			}
		})
	}
}

// TestParseTOMLRefuses: each file is refused as a whole, with the place and a reason.
func TestParseTOMLRefuses(t *testing.T) {
	good := "[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\n"
	id := "id = \"01900000-0000-7000-8000-000000000001\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"syntax", good + "[[rule]]\ntool = \n", "line 5: rule 2: "},
		{"syntax before other rules", "[[rule]]\ntool = \n[[rule]]\n[[rule]]\n", "line 2: rule 1: "},
		{"number for a rule", "rule = [1]\n", "rule 1: write each rule as a table"},
		{"unknown field of a rule", good + "colour = \"red\"\n", "line 4: rule 1: colour: there is no such field"},
		{"field in another case", good + "Reason = \"x\"\n", "line 4: rule 1: Reason: there is no such field"},
		{"field in two cases", good + "Decision = \"allow\"\n", "line 4: rule 1: Decision: there is no such field"},
		{"table in another case", "[[Rule]]\ndecision = \"allow\"\ntool = \"Bash\"\n" + good, "line 1: Rule: there is no such field"},
		{"dotted field in quotes", good + "\"scope.agent\" = \"claude\"\n", "line 4: rule 1: scope.agent: there is no such field"},
		{"unknown field of a scope", good + "[rule.scope]\nfolder = \"/x\"\n", "line 5: rule 1: scope.folder: there is no such field"},
		{"counters are not written by hand", good + "uses = 3\n", "line 4: rule 1: uses: there is no such field"},
		{"unknown table", "version = 1\n" + good, "line 1: version: there is no such field"},
		{"unknown table after a rule", good + "[extra]\nx = 1\n", "line 4: extra: there is no such field"},
		{"one table only", "[rule]\ntool = \"Bash\"\n", "line 1: rule: write each rule as a table"},
		{"one dotted field only", "rule.tool = \"Bash\"\n", "rule: write each rule as a table"},
		{"one scope only", "[rule.scope]\nagent = \"claude\"\n", "rule: write each rule as a table"},
		{"text for a time", good + "expires_at = \"2026-12-31T00:00:00Z\"\n", "line 4: rule 1: expires_at: must be a time with its offset"},
		{"number for text", "[[rule]]\ndecision = \"deny\"\ntool = 7\n", "line 3: rule 1: tool: must be text in quotes, not the number 7"},
		{"text for a number", good + "priority = \"1\"\n", "line 4: rule 1: priority: must be a whole number"},
		{"fraction", good + "priority = 1.5\n", "line 4: rule 1: priority: must be a whole number"},
		{"number beyond all bounds", good + "max_uses = 99999999999\n", "line 4: rule 1: max_uses: must be a whole number"},
		{"number just beyond", good + "max_uses = 2147483648\n", "line 4: rule 1: max_uses: must be a whole number of at most ten digits, not the number 2147483648"},
		{"number just below", good + "max_uses = -2147483649\n", "line 4: rule 1: max_uses: must be a whole number of at most ten digits, not the number -2147483649"},
		{"the least number", good + "max_uses = -2147483648\n", "line 4: rule 1: max_uses: is negative"},
		{"the largest number", good + "priority = 2147483647\n", "line 4: rule 1: priority: is 2147483647; use"},
		{"text for a flag", good + "enabled = \"no\"\n", "line 4: rule 1: enabled: must be true or false"},
		{"time without offset", good + "expires_at = 2026-12-31T00:00:00\n", "line 4: rule 1: expires_at: must be a time with its offset"},
		{"date", good + "expires_at = 2026-12-31\n", "line 4: rule 1: expires_at: must be a time with its offset"},
		{"the zero time would mean for ever", good + "expires_at = 0001-01-01T00:00:00Z\n", "line 4: rule 1: expires_at: must be a time from"},
		{"a time after all years", good + "expires_at = 9999-12-31T23:59:59-01:00\n", "line 4: rule 1: expires_at: must be a time from"},
		{"list for a pattern", good + "where.command = [\"a\"]\n", "line 4: rule 1: where.command: must be text"},
		{"number inside an inline table", good + "where = { command = 1 }\n", "line 4: rule 1: where.command: must be text"},
		{"text for a table", good + "where = \"x\"\n", "line 4: rule 1: where: must be a table"},
		{"same key twice", good + "tool = \"Edit\"\n", "line 4: rule 1: "},
		{"second rule is bad", good + "\n[[rule]]\ndecision = \"perhaps\"\ntool = \"Bash\"\n", "line 6: rule 2: decision: "},
		{"no decision", "[[rule]]\ntool = \"Bash\"\n", "line 1: rule 1: decision: "},
		{"bad pattern", good + "[rule.where]\ncommand = \"re:(\"\n", "line 5: rule 1: where.command: "},
		{"long pattern", good + "[rule.where]\ncommand = \"" + strings.Repeat("x", patterns.MaxPattern+1) + "\"\n", "line 5: rule 1: where.command: "},
		{"id that is no UUID", good + "id = \"mine\"\n", "line 4: rule 1: id: "},
		{"id of the length of a UUID", good + "id = \"" + strings.Repeat("x", 36) + "\"\n", "line 4: rule 1: id: must be a UUID"},
		{"UUID in braces", good + "id = \"{01900000-0000-7000-8000-000000000001}\"\n", "line 4: rule 1: id: must be a UUID"},
		{"same id twice", good + id + good + id, "line 8: rule 2: id: rule 1 has this id too"},
		{"escape character", good + "# \x1b[2J\n", "line 4: "},
		{"hidden direction", good + "reason = \"a\u202eb\"\n", "line 4: the character U+202E cannot be seen"},
		{"not UTF-8", good + "reason = \"\xff\"\n", "line 4: this is not UTF-8"},
		{"lone carriage return", good + "reason = \"x\" \rtool\n", "line 4: the character U+000D"},
		{"carriage return at the end", good + "# x\r", "line 4: the character U+000D cannot be seen"},
		{"hidden character at the end of a line", good + "# x\x01\n", "line 4: the character U+0001 cannot be seen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := Parse([]byte(c.text))
			var e *Error
			if !errors.As(err, &e) || list != nil {
				t.Fatalf("got %d rules, %v; want a FileError and no rules", len(list), err)
			}
			if !strings.HasPrefix(e.Error(), c.want) {
				t.Errorf("got  %q\nwant %q…", e.Error(), c.want)
			}
			if strings.ContainsFunc(e.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%q cannot be printed as it is", e.Error())
			}
		})
	}
}

func TestParseTOMLCaps(t *testing.T) {
	for want, data := range map[string][]byte{
		"the file is larger than 16 MiB":              bytes.Repeat([]byte("#\n"), MaxSize/2+1),
		"the file has 20001 rules; 20000 is the most": bytes.Repeat([]byte("[[rule]]\n"), rules.MaxRules+1),
		"line 1: ": append([]byte("x = "), bytes.Repeat([]byte("["), 1<<20)...),
	} {
		t.Run(want, func(t *testing.T) {
			var e *Error
			if list, err := Parse(data); !errors.As(err, &e) || list != nil || !strings.HasPrefix(e.Error(), want) {
				t.Errorf("got %d rules, %v", len(list), err)
			}
		})
	}
	full := append(bytes.Repeat([]byte(" "), MaxSize-1), '\n')
	if _, err := Parse(full); err != nil {
		t.Errorf("a file of the largest size: %v", err)
	}
	if _, err := Load("/p/x", full[MaxSize-rules.MaxFile:], false, "/p"); err != nil {
		t.Errorf("a project's file of the largest size: %v", err)
	}
}

func TestFormatTOML(t *testing.T) {
	list := []rules.Rule{{
		ID: "01900000-0000-7000-8000-000000000001", Version: 4, Decision: rules.Allow, Tool: "Bash", Priority: 0, Enabled: true,
		Where: map[string]string{"command": `re:go test \./\w+`, "a b": "tab\there \u202e"}, Uses: 7, Source: "x",
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 678999999, time.FixedZone("", 3600)),
	}, {Decision: rules.Deny, Tool: "T", Priority: 1, Enabled: true}}
	want := Header + `
[[rule]]
id = "01900000-0000-7000-8000-000000000001"
decision = "allow"
tool = "Bash"
priority = 0
created_at = 2026-01-02T02:04:05.678Z
[rule.where]
"a b" = "tab\there \u202E"
command = 're:go test \./\w+'

[[rule]]
decision = "deny"
tool = "T"
priority = 1
`
	if diff := cmp.Diff(want, string(Format(list))); diff != "" {
		t.Errorf("FormatTOML (-want +got):\n%s", diff)
	}
}

// TestTOMLRoundTrip: export and import are the identity on all that is written.
func TestTOMLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(validRule(), 0, 8, func(r rules.Rule) string { return r.ID }).Draw(t, "rules")
		data := Format(list)
		back, err := Parse(data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if diff := cmp.Diff(written(list), back); diff != "" {
			t.Fatalf("parse after format (-want +got):\n%s\n%s", diff, data)
		}
		if again := Format(back); !bytes.Equal(data, again) {
			t.Fatalf("format is not stable:\n%s\n%s", data, again)
		}
	})
}

// written is list without what a rules file does not say.
func written(list []rules.Rule) []rules.Rule {
	out := make([]rules.Rule, 0, len(list))
	for _, r := range list {
		r.Version, r.Uses, r.LastUsedAt, r.Source = 0, 0, time.Time{}, ""
		for _, at := range []*time.Time{&r.ExpiresAt, &r.CreatedAt, &r.UpdatedAt} {
			*at = at.UTC().Truncate(time.Millisecond)
		}
		if len(r.Where) == 0 {
			r.Where = nil
		}
		out = append(out, r)
	}
	return out
}

// validRule draws rules with texts that a file has to quote in every way.
func validRule() *rapid.Generator[rules.Rule] {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("ab Z09_-#'\"=[]{}.,äλ😀")), 0, 12, -1)
	pattern := rapid.OneOf(
		rapid.Map(word, func(s string) string { return "x" + patterns.EscapeText(s) + "*" }),
		rapid.SampledFrom([]string{`re:go (test|vet) \./\w+'"`, `a|b\|c`, "'", `"`, `\\`, "# no comment", "é*"}),
	)
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "none") {
			return time.Time{}
		}
		zone := time.FixedZone("", 60*rapid.IntRange(-700, 700).Draw(t, "zone"))
		return time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "µs")).In(zone)
	})
	rule := rapid.Custom(func(t *rapid.T) rules.Rule {
		r := rules.Rule{
			ID:       uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id")).String(),
			Version:  rapid.IntRange(0, 9).Draw(t, "version"),
			Priority: rapid.IntRange(0, rules.MaxPriority).Draw(t, "priority"),
			Enabled:  rapid.Bool().Draw(t, "enabled"),
			Decision: rapid.SampledFrom([]rules.Verdict{rules.Allow, rules.Deny, rules.Ask}).Draw(t, "decision"),
			Tool:     rapid.SampledFrom([]string{"Skill", "Skill|Agent", "mcp__github__*"}).Draw(t, "tool"),
			Scope: rules.Scope{
				Project: rapid.SampledFrom([]string{"", "/home/me/src/api", "/home/me/ä b"}).Draw(t, "project"),
				Session: rapid.SampledFrom([]string{"", "s-1"}).Draw(t, "session"),
				Agent:   rapid.SampledFrom([]string{"", "claude"}).Draw(t, "agent"),
			},
			Where:  rapid.MapOfN(rapid.StringMatching(`[a-z_]{1,8}( [a-z])?`), pattern, 0, 3).Draw(t, "where"),
			Reason: word.Draw(t, "reason"), MaxUses: rapid.IntRange(0, 50).Draw(t, "max uses"), Uses: rapid.IntRange(0, 50).Draw(t, "uses"),
			CreatedBy: word.Draw(t, "by"), CreatedFrom: word.Draw(t, "from"), CreatedAt: moment.Draw(t, "created"), UpdatedAt: moment.Draw(t, "updated"),
			Source: word.Draw(t, "source"), LastUsedAt: moment.Draw(t, "used"),
		}
		if rapid.Bool().Draw(t, "ends") {
			r.ExpiresAt = r.CreatedAt.Add(time.Duration(rapid.Int64Range(2, 1e6).Draw(t, "life")) * 777 * time.Microsecond)
		}
		if rapid.IntRange(0, 4).Draw(t, "dangerous") == 0 {
			r.Decision, r.Tool, r.Dangerous, r.Where = rules.Allow, "Bash", true, map[string]string{"command": "rm -rf " + "'a b'"}
		}
		return r
	})
	return rule.Filter(func(r rules.Rule) bool { return r.Check() == nil })
}

// FuzzParseTOML: whatever is read can be written and read again; what is refused
// leaves nothing.
func FuzzParseTOML(f *testing.F) {
	f.Add([]byte(exampleTOML))
	f.Add([]byte("[[rule]]\ndecision = \"deny\"\ntool = \"*\"\nwhere = { \"a.b\" = '''x''' }\n"))
	f.Add([]byte("[[rule]]\n[rule.scope]\n[[rule.where]]\n"))
	f.Add([]byte("rule = [{tool = \"Bash\"}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Parse(data)
		if err != nil {
			var e *Error
			if list != nil || !errors.As(err, &e) || e.Problem == "" {
				t.Fatalf("got %v and %#v", list, err)
			}
			return
		}
		text := Format(list)
		back, err := Parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(list, back); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if again := Format(back); !bytes.Equal(text, again) {
			t.Fatalf("not stable:\n%s\n%s", text, again)
		}
	})
}

func TestLoadFile(t *testing.T) {
	const path, project = "/home/me/src/api/.aoctl/rules.toml", "/home/me/src/api"
	own := "id = \"01900000-0000-7000-8000-000000000001\"\ncreated_by = \"ana\"\ncreated_at = 2020-01-01T00:00:00Z\nscope.project = \"" + project + "\"\n"
	data := []byte("[[rule]]\ndecision = \"allow\"\ntool = \"WebSearch\"\n" + own +
		"[[rule]]\ndecision = \"deny\"\ntool = \"WebFetch\"\n[[rule]]\ndecision = \"ask\"\ntool = \"Task\"\nenabled = false\n")
	for _, trusted := range []bool{false, true} {
		t.Run(fmt.Sprintf("trusted %v", trusted), func(t *testing.T) {
			list, err := Load(path, data, trusted, project)
			if err != nil {
				t.Fatal(err)
			}
			var enabled []bool
			ids := map[string]bool{"01900000-0000-7000-8000-000000000001": true}
			for _, r := range list {
				enabled = append(enabled, r.Enabled)
				if r.Scope.Project != project || r.Source != path || r.CreatedBy != "" || !r.CreatedAt.IsZero() {
					t.Errorf("rule is %+v", r)
				}
				if ids[r.ID] || uuid.Validate(r.ID) != nil {
					t.Errorf("id %q is taken or none", r.ID)
				}
				ids[r.ID] = true
			}
			if diff := cmp.Diff([]bool{trusted, true, false}, enabled); diff != "" {
				t.Errorf("enabled (-want +got):\n%s", diff)
			}
			again, _ := Load(path, data, trusted, project)
			if diff := cmp.Diff(list, again); diff != "" {
				t.Errorf("a second reading differs:\n%s", diff)
			}
		})
	}
}

// A rule without an id keeps, from one version to the next, the one that its place gives it.
func TestIDOfAPlace(t *testing.T) {
	list, err := Load("/p/.aoctl/rules.toml", []byte("[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\n"), true, "/p")
	if err != nil || len(list) != 1 || list[0].ID != "0630c076-ddc9-58e4-bfd6-86964c87a178" {
		t.Errorf("%v, %+v", err, list)
	}
}

func TestLoadFileRefuses(t *testing.T) {
	const path, project = "/p/.aoctl/rules.toml", "/p"
	head := "[[rule]]\ndecision = \"allow\"\ntool = \"Bash\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"another project", head + "scope.project = \"/q\"\n", "line 4: rule 1: scope.project: "},
		{"a folder that only looks like it", head + "scope.project = \"/p-evil\"\n", "line 4: rule 1: scope.project: "},
		{"dangerous", head + "dangerous = true\nwhere.command = \"rm -rf build\"\n", "line 4: rule 1: dangerous: "},
		{"syntax", "[[rule]", "line 1: "},
		{"size", "#" + strings.Repeat(" ", rules.MaxFile), "the file is larger than 1 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := Load(path, []byte(c.text), true, project)
			var e *Error
			if !errors.As(err, &e) || list != nil || !strings.HasPrefix(e.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, %v; want %q", list, err, c.want)
			}
		})
	}
}

// A rule is looked at again with what it gets from its project, which may not be one to hold in.
func TestLoadInNoProject(t *testing.T) {
	var e *Error
	list, err := Load("/p/x", []byte("\n[[rule]]\ndecision = \"deny\"\ntool = \"T\"\n"), true, "p")
	if want := "line 2: rule 1: scope.project: is not an absolute path"; !errors.As(err, &e) || list != nil || e.Error() != want {
		t.Errorf("got %v, %v; want %s", list, err, want)
	}
}

func TestDigest(t *testing.T) {
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := Digest(nil); got != empty {
		t.Errorf("Digest(nil) = %s", got)
	}
}

// An error of the reader that says no place is one of the file.
func TestErrorWithoutPlace(t *testing.T) {
	if err := syntaxError([]byte("x"), errors.New("toml: odd\x1b")); err.Error() != "not TOML: odd<U+001B>" {
		t.Error(err)
	}
}

// A text is written so that everything in it can be seen, a key so that it is one word.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"a b": `"a b"`, `a\b`: `'a\b'`, `a"b`: `'a"b'`, `a"'b`: `"a\"'b"`, "a\\\x1b": `"a\\\u001B"`, "a\n\t": `"a\n\t"`, "\U000e0001\"": `"\U000E0001\""`, "\ufeff": `"\uFEFF"`, "\uffff": `"\uFFFF"`, "": `""`,
	} {
		if got := quoted(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for key, want := range map[string]string{"azAZ09_-": "azAZ09_-", "": `""`, "a.b": `"a.b"`, "a b": `"a b"`, "\u00e4": "\"\u00e4\"", "@": `"@"`, "[": `"["`, "`": "\"`\"", "{": `"{"`, "/": `"/"`, ":": `":"`} {
		if got := bareKey(key); got != want {
			t.Errorf("%q: %s, want %s", key, got, want)
		}
	}
}

// A rule about effects is the same after it was exported and imported.
func TestEffectsRoundTrip(t *testing.T) {
	list := []rules.Rule{
		{Version: 1, Priority: rules.DefaultPriority, Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Look, effects.Check), Decision: rules.Allow, Scope: rules.Scope{Project: "/p"}},
		{Version: 1, Priority: rules.MaxPriority, Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Push), Decision: rules.Deny},
	}
	text := Format(list)
	if !strings.Contains(string(text), `effects = "look, check"`) {
		t.Errorf("the file is\n%s", text)
	}
	back, err := Parse(text)
	if err != nil || len(back) != 2 {
		t.Fatalf("%v, %v", back, err)
	}
	for i := range back {
		if back[i].Effects != list[i].Effects || back[i].Tool != list[i].Tool || len(back[i].Where) > 0 || back[i].Decision != list[i].Decision || back[i].Scope != list[i].Scope {
			t.Errorf("%+v came back as %+v", list[i], back[i])
		}
	}
}
