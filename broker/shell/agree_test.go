package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// The two readers agree about these, and about each with itself alone: a tree that says
// something else than the text is found out, whatever it is that differs.
func TestTwoReadersAgree(t *testing.T) {
	lines := strings.Split("ls¦ls a¦ls b¦ls a b¦ls ab¦ls 'a'¦ls \"a\"'b'¦ls 'a b'¦ls a\\ b¦ls \\;¦ls a\\;b¦ls \"\"¦ls \"a\\$b\"¦ls \"a\\b\"¦ls \"a\\\"b\"¦ls \"a\\`b\"¦"+
		"ls $a¦ls $b¦ls \"$a\"¦ls a$b¦ls $(a)¦ls $(b)¦ls \"$(a)\"¦ls $(a; b)¦ls $(a) b¦ls \"$(a) b\"¦"+
		"a;b¦a&b¦a&b&¦a|b¦a&&b¦a||b¦a && b || c¦! a¦! a | b¦time a¦time a | b¦(a)¦{ a; }¦(a; b)¦{ a; b; }¦(a); b¦{ a; }; b¦(a) | b¦{ a; } && b¦"+
		"if a; then b; fi¦if a; then b; c; fi¦if a; b; then c; fi¦if a; then b; else c; fi¦if a; then b; elif c; then d; fi¦if a; then b; elif c; then d; else e; fi¦"+
		"while a; do b; done¦until a; do b; done¦while a; do b; c; done¦while a; b; do c; done¦for x in a; do b; done¦for y in a; do b; done¦for x in b; do b; done¦for x in a b; do c; done¦for x in ab; do c; done¦"+
		"A=b c¦A= c¦A=c¦B=b c¦A=b B=c d¦A='b' c¦A=$b c¦A=b¦export A¦export A=b¦export A=¦export B=b¦export A='b'¦export A=b B=c¦export A B¦"+
		"ls >a¦ls >>a¦ls <a¦ls >b¦ls 2>a¦ls >a 2>&1¦ls 2>&1 >a¦ls >&2¦ls 2>&-¦ls <&3¦ls >'a'¦{ a; } >b¦(a) >b¦while a; do b; done <c¦"+
		"cat <<'E'\nx\nE\n¦cat <<'E'\ny\nE\n¦cat <<'E'\nE\n¦cat <<'E'\nx\ny\nE\n¦cat <<E\nx z\nE\n¦cat <<'E' >a\nx\nE\n", "¦")
	for _, tree := range lines {
		file, why := read(tree)
		if why != "" {
			t.Fatalf("%q: %s", tree, why)
		}
		for _, text := range lines {
			if why := disagree(text, file); (why == "") != (text == tree) {
				t.Errorf("%q and the tree of %q: %q", text, tree, why)
			}
		}
	}
}

// What the plain language has no words for agrees with no text, also where its tokens would
// be the same.
func TestOnlyThePlainLanguageAgrees(t *testing.T) {
	for _, pair := range [][2]string{
		{"ls 'a'", "ls $'a'"},
		{"ls \"a\"", "ls $\"a\""},
		{"A=b c", "A+=b c"},
		{"A=b", "A[1]=b"},
		{"A=", "A=(b)"},
		{"export A=b", "export A+=b"},
		{"export A=b", "export A[1]=b"},
		{"export A=", "export A=(b)"},
		{"time ls", "time -p ls"},
		{"for x in a; do b; done", "select x in a; do b; done"},
		{"for x in a; do b; done", "for x in a; { b; }"},
		{"for x in a; do b; done", "for ((;;)); do b; done"},
		{"ls $a", "ls ${a:-b}"},
		{"ls $a", "ls ${#a}"},
		{"ls $a", "ls ${a[1]}"},
		{"ls $a", "ls ${!a}"},
		{"ls $(a)", "ls `a`"},
		{"ls \"$(a)\"", "ls \"`a`\""},
		{"ls a", "ls a$((1))"},
		{"ls a", "ls a<(b)"},
		{"ls", "ls; [[ a ]]"},
		{"cat <<'E'\nE\n", "cat <<E\n$x\nE\n"},
		{"cat <<'E'\nx\nE\n", "cat <<E\nx\n$x\nE\n"},
		{"ls", "f() { ls; }"},
		{"ls", "case a in a) ls;; esac"},
		{"ls", "coproc ls"},
	} {
		file, why := read(pair[1])
		if why != "" {
			t.Fatalf("%q: %s", pair[1], why)
		}
		if disagree(pair[0], file) == "" {
			t.Errorf("%q agrees with the tree of %q", pair[0], pair[1])
		}
	}
	for text, want := range map[string]string{"ls": "what two readers read in it is not the same", "eval a": `what begins at "eval a"`} {
		if file, _ := read("ls a"); disagree(text, file) != want {
			t.Errorf("%q and the tree of another: %s", text, disagree(text, file))
		}
	}
}

// Of what the plain language has no words for, the spelling of a tree has none either, so that
// nothing hangs on the plain reader alone. The parser of bash makes none of the last ones.
func TestSpelling(t *testing.T) {
	for _, text := range []string{
		"time -p ls", "time", "f() { ls; }", "case a in a) ls;; esac", "select x in a; do b; done", "for x in a; { b; }", "[[ a ]]", "(( 1 ))", "let 1", "coproc ls",
		"A+=b", "A[1]=b", "A=(b)", "export A+=b", "export A[1]=b", "export A=(b)", "export $A", "declare -x A=b",
		"ls $'a'", "ls $\"a\"", "ls ${a:-b}", "ls ${#a}", "ls `a`", "ls $((1))", "ls <(a)", "ls @(a|b)", "ls ${ a; }", "ls ${|a; }", "ls \"${a[1]}\"",
		"cat <<E\n$x\nE\n", "cat <<E\nx\n$(a)\nE\n",
	} {
		file, why := read(text)
		if why != "" {
			t.Fatalf("%q: %s", text, why)
		}
		var p spelling
		if p.list(file.Stmts); p.err == nil {
			t.Errorf("%q is spelled as %q", text, p.List())
		}
	}
	ls := &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{{Parts: []syntax.WordPart{&syntax.Lit{Value: "ls"}}}}}}
	for name, s := range map[string]*syntax.Stmt{
		"a coprocess of mksh":               {Cmd: ls.Cmd, Coprocess: true},
		"a disowned command of zsh":         {Cmd: ls.Cmd, Disown: true},
		"a background command in a list":    {Cmd: &syntax.BinaryCmd{Op: syntax.AndStmt, X: &syntax.Stmt{Cmd: ls.Cmd, Background: true}, Y: ls}},
		"an assignment of nothing":          {Cmd: &syntax.CallExpr{Assigns: []*syntax.Assign{{Name: &syntax.Lit{Value: "A"}, Naked: true}}}},
		"a backslash at the end of a word":  {Cmd: &syntax.CallExpr{Args: []*syntax.Word{{Parts: []syntax.WordPart{&syntax.Lit{Value: "a\\"}}}}}},
		"a substitution that writes a file": {Cmd: &syntax.CallExpr{Args: []*syntax.Word{{Parts: []syntax.WordPart{&syntax.CmdSubst{TempFile: true}}}}}},
		"a substitution that sets REPLY":    {Cmd: &syntax.CallExpr{Args: []*syntax.Word{{Parts: []syntax.WordPart{&syntax.CmdSubst{ReplyVar: true}}}}}},
	} {
		var p spelling
		if p.list([]*syntax.Stmt{s}); p.err == nil {
			t.Errorf("%s is spelled as %q", name, p.List())
		}
	}
	if got := unescape("a\\"); got != "a\\" {
		t.Errorf("a backslash at the end becomes %q", got)
	}
}
