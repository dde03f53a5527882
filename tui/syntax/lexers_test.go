package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

var update = flag.Bool("update", false, "write the languages anew from chroma")

// languages are those that are kept, by chroma's names.
var languages = strings.Fields(`
	bash batchfile c c++ c# clojure cmake css dart diff docker elixir erlang fish go graphql groovy haskell hcl html ini
	java javascript json julia kotlin lua makefile markdown nginx nix objective-c ocaml perl php plpgsql powershell
	properties protobuf python r react ruby rust sass scala scss sql svg swift systemd terraform toml typescript vue
	xml yaml zig go-template`)

// TestLexersAreChromas: the files are what chroma itself has for these languages.
func TestLexersAreChromas(t *testing.T) {
	written := map[string]bool{}
	for _, name := range languages {
		l := regexLexer(lexers.Get(name))
		if l == nil {
			t.Errorf("chroma has no rules for %s", name)
			continue
		}
		want, err := marshal(withoutCode(l))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		file := strings.NewReplacer(" ", "_", "/", "_").Replace(strings.ToLower(l.Config().Name)) + ".xml"
		path := filepath.Join("lexers", file)
		written[file] = true
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what chroma has (go test ./tui/syntax -update writes it)", path)
		}
	}
	entries, err := os.ReadDir("lexers")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".xml") && !written[e.Name()] {
			t.Errorf("%s is of no language in the list", e.Name())
		}
	}
}

// regexLexer takes the rules out of a lexer that is wrapped in others.
func regexLexer(l chroma.Lexer) *chroma.RegexLexer {
	for l != nil {
		if r, ok := l.(*chroma.RegexLexer); ok {
			return r
		}
		v := reflect.Indirect(reflect.ValueOf(l))
		if v.Kind() != reflect.Struct {
			return nil
		}
		f := v.FieldByName("Lexer")
		if !f.IsValid() || !f.CanInterface() {
			return nil
		}
		l, _ = f.Interface().(chroma.Lexer)
	}
	return nil
}

// marshal writes a language with its states in order: chroma has them in any.
func marshal(l *chroma.RegexLexer) ([]byte, error) {
	text, err := chroma.Marshal(l)
	if err != nil {
		return nil, err
	}
	const open, end = "    <state ", "  </rules>"
	head, rest, _ := strings.Cut(string(text), open)
	at := strings.LastIndex(rest, end)
	states := strings.Split(rest[:at], open)
	slices.Sort(states)
	return []byte(head + open + strings.Join(states, open) + rest[at:] + "\n"), nil
}

// withoutCode is l with a plain string where a rule has Go code of chroma's, which no
// file can hold: in Go's raw strings chroma looks for templates.
func withoutCode(l *chroma.RegexLexer) *chroma.RegexLexer {
	return chroma.MustNewLexer(l.Config(), func() chroma.Rules {
		rules := l.MustRules().Clone()
		for state := range rules {
			for i, r := range rules[state] {
				alone := chroma.MustNewLexer(l.Config(), func() chroma.Rules {
					return chroma.Rules{"root": {{Pattern: r.Pattern, Type: r.Type}}}
				})
				if _, err := chroma.Marshal(alone); err != nil {
					rules[state][i].Type = chroma.LiteralString
				}
			}
		}
		return rules
	})
}
