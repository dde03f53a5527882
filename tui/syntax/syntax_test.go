package syntax

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestLex(t *testing.T) {
	for name, tc := range map[string]struct {
		file, text string
		want       map[string]Class
	}{
		"Go":         {"a/b.go", "package x\n\n// why\nfunc f() string { return \"a\" + 12 }\n", map[string]Class{"// why": Comment, "func": Keyword, `"a"`: String, "12": Number, "string": Type}},
		"Python":     {"x.py", "def f(x):\n    # why\n    return 'a'\n", map[string]Class{"def": Keyword, "f": Name, "# why": Comment, "'a'": String}},
		"Markdown":   {"README.md", "# Title\n\n```go\nfunc x() {}\n```\n", map[string]Class{"# Title": Keyword, "func": Keyword}},
		"Dockerfile": {"Dockerfile", "FROM x\nRUN echo \"a\"\n", map[string]Class{"FROM": Keyword}},
		"by name":    {"python", "import x\n", map[string]Class{"import": Keyword}},
		"HTML":       {"a.html", "<p class=\"x\"><script>let a = 1</script>", map[string]Class{"p": Name, "let": Keyword}},
		"no end":     {"x.json", `{"a": true`, map[string]Class{`"a"`: Name, "true": Keyword}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]Class{}
			for _, s := range Lex(t.Context(), tc.file, tc.text) {
				got[strings.TrimSpace(tc.text[s.From:s.To])] = s.Class
			}
			for text, class := range tc.want {
				if got[text] != class {
					t.Errorf("%q is %d, want %d; all: %v", text, got[text], class, got)
				}
			}
		})
	}
}

func TestNoColours(t *testing.T) {
	for _, name := range []string{"", ".", "/", "x.unknown", "nothing", strings.Repeat("x", 300) + ".go", "a\x00.go", "[", "*.go/..", ".."} {
		if lexer(name) != nil {
			t.Errorf("%q has a language", name)
		}
	}
	if got := Lex(t.Context(), "x.go", strings.Repeat("var x = 1\n", MaxText/9)); got != nil {
		t.Errorf("a text of more than MaxText has %d spans", len(got))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Lex(ctx, "x.go", "var x = 1\n"); got != nil {
		t.Errorf("%d spans after the end", len(got))
	}
}

// Texts that regular expressions choke on end with the context, nearly.
func TestLexEnds(t *testing.T) {
	for name, text := range map[string]string{
		"x.go":   strings.Repeat("`", 1) + strings.Repeat("{{", 60_000),
		"x.md":   strings.Repeat("[*_`", 30_000),
		"x.html": strings.Repeat("<script>", 20_000),
		"x.js":   strings.Repeat("${`", 30_000),
		"x.rb":   strings.Repeat("#{", 60_000),
		"x.c":    strings.Repeat("(", 100_000),
		"x.yaml": strings.Repeat("- ", 60_000),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			Lex(ctx, name, text)
			if took := time.Since(start); took > 8*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func FuzzLex(f *testing.F) {
	f.Add("x.go", "package x // \xff\n")
	f.Add("x.md", "---\na: b\n---\n```js\nlet x\n```")
	f.Add("Makefile", "a:\r\n\tb\r\n")
	f.Add("x.php", "<?php echo 1 ?><b>")
	f.Add("x.ini", "=end\n") // chroma finds a name of no length here
	f.Fuzz(func(t *testing.T, name, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		at := 0
		for _, s := range Lex(ctx, name, text) {
			if s.From < at || s.To <= s.From || s.To > len(text) || s.Class == Text || s.Class >= Classes {
				t.Fatalf("span %+v behind %d of %d", s, at, len(text))
			}
			at = s.To
		}
	})
}
