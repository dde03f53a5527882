package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// mutant is one defect that can be switched on: its number is what AOCTL_MUTANT holds.
type mutant struct {
	id       int
	file     string // from the root of the repository
	at       int    // in the file
	line     int
	function string
	what     string
	table    bool // it takes out a word or a row of a table
}

// name tells a mutant by what it does, so that it stays the same when lines move.
func (m mutant) name() string { return m.file + ": " + m.function + ": " + m.what }

// insertion is a text that is put into a source file. All mutants are made of nothing
// else, so that they all stand in one program and line numbers stay as they are.
type insertion struct {
	at    int
	text  string
	close bool // it ends what an earlier one has begun
	depth int
}

// source is one file with the mutants that it can have.
type source struct {
	path    string // from the root
	text    []byte
	set     *token.FileSet
	in      []insertion
	mutants []mutant
	next    *int
	stack   []ast.Node
	banned  map[int]bool // where a mutant did not compile, as an offset
}

// find reads the files of a package and finds what can be mutated in them.
func find(root, pkg string, banned map[string]map[int]bool) ([]*source, error) {
	paths, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	next := 1
	var all []*source
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path) //nolint:gosec // G304: files of the repository
		if err != nil {
			return nil, err
		}
		rel := filepath.Join(pkg, filepath.Base(path))
		s := &source{path: rel, text: text, set: token.NewFileSet(), next: &next, banned: banned[rel]}
		file, err := parser.ParseFile(s.set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			s.decl(d)
		}
		all = append(all, s)
	}
	return all, nil
}

func (s *source) decl(d ast.Decl) {
	if g, ok := d.(*ast.GenDecl); ok && (g.Tok == token.CONST || g.Tok == token.IMPORT || g.Tok == token.TYPE) {
		return
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			s.stack = s.stack[:len(s.stack)-1]
			return true
		}
		if g, ok := n.(*ast.GenDecl); ok && g.Tok == token.CONST {
			return false
		}
		s.node(n)
		s.stack = append(s.stack, n)
		return true
	})
}

// parent is the node that holds the one that is looked at.
func (s *source) parent() ast.Node {
	if len(s.stack) == 0 {
		return nil
	}
	return s.stack[len(s.stack)-1]
}

func (s *source) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		s.wrap(n.Cond, "negate the condition", "_not(%d, ", ")")
	case *ast.ForStmt:
		if n.Cond != nil {
			s.wrap(n.Cond, "negate the condition of the loop", "_not(%d, ", ")")
		}
	case *ast.BinaryExpr:
		s.binary(n)
	case *ast.BasicLit:
		s.literal(n)
	case *ast.ExprStmt:
		s.statement(n)
	case *ast.IncDecStmt:
		s.statement(n)
	case *ast.BranchStmt:
		s.statement(n)
	case *ast.ReturnStmt:
		s.statement(n)
	case *ast.FuncDecl:
		s.end(n.Type, n.Body)
	case *ast.FuncLit:
		s.end(n.Type, n.Body)
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			s.statement(n)
		}
	}
}

// binary takes away one side of && and ||, turns == and != around, and moves the bound of
// a comparison by one.
func (s *source) binary(n *ast.BinaryExpr) {
	switch n.Op { //nolint:exhaustive // the other operators stay as they are
	case token.LAND:
		s.wrap(n.X, "leave out "+s.cut(n.X), "(_is(%d) || (", "))")
		s.wrap(n.Y, "leave out "+s.cut(n.Y), "(_is(%d) || (", "))")
	case token.LOR:
		s.wrap(n.X, "leave out "+s.cut(n.X), "(!_is(%d) && (", "))")
		s.wrap(n.Y, "leave out "+s.cut(n.Y), "(!_is(%d) && (", "))")
	case token.EQL, token.NEQ:
		if _, ok := s.parent().(*ast.IfStmt); !ok {
			s.wrap(n, "turn around "+s.cut(n), "_not(%d, ", ")")
		}
	case token.LSS, token.GTR:
		s.bound(n, "(", " || _is(%d) && ("+s.cut(n.X)+") == ("+s.cut(n.Y)+"))")
	case token.LEQ, token.GEQ:
		s.bound(n, "(", " && !(_is(%d) && ("+s.cut(n.X)+") == ("+s.cut(n.Y)+")))")
	}
}

func (s *source) bound(n *ast.BinaryExpr, before, after string) {
	if text := s.cut(n); strings.Contains(text, "\n") || strings.Contains(strings.ReplaceAll(text, "len(", ""), "(") {
		return // a call may do something twice
	}
	s.wrap(n, "move the bound of "+s.cut(n), before, after)
}

// statement leaves a statement out.
func (s *source) statement(n ast.Stmt) {
	switch s.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause:
	default:
		return
	}
	if b, ok := n.(*ast.BranchStmt); ok && (b.Tok == token.FALLTHROUGH || b.Tok == token.GOTO) {
		return
	}
	if strings.HasPrefix(s.cut(n), "panic(") || s.last(n) {
		return
	}
	s.wrap(n, "leave out "+s.cut(n), "if !_is(%d) { ", " }")
}

// end makes the end of a function one that it may have when returns are left out.
func (s *source) end(t *ast.FuncType, body *ast.BlockStmt) {
	if t.Results != nil && body != nil {
		s.in = append(s.in, insertion{at: s.offset(body.Rbrace), text: "; panic(0) ", depth: len(s.in)})
	}
}

// last reports whether a statement ends its function, which then has nothing else to do.
func (s *source) last(n ast.Stmt) bool {
	body, ok := s.parent().(*ast.BlockStmt)
	if !ok || body.List[len(body.List)-1] != n {
		return false
	}
	switch s.stack[len(s.stack)-2].(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		_, ok := n.(*ast.ReturnStmt)
		return ok
	}
	return false
}

func (s *source) literal(n *ast.BasicLit) {
	switch n.Kind { //nolint:exhaustive // the others are rare
	case token.INT:
		switch p := s.parent().(type) {
		case *ast.ArrayType:
		case *ast.BinaryExpr:
			if p.Op.Precedence() == token.EQL.Precedence() {
				return // the comparison is changed itself
			}
			s.wrap(n, "one more than "+n.Value+" in "+s.around(), "_more(%d, ", ")")
		default:
			s.wrap(n, "one more than "+n.Value+" in "+s.around(), "_more(%d, ", ")")
		}
	case token.STRING:
		value, err := strconv.Unquote(n.Value)
		if err != nil || value == "" {
			return
		}
		if words := strings.Fields(value); len(words) > 1 && s.table() && !sentence(value) {
			s.words(n, words)
		} else if len(words) == 1 && s.compared(n) {
			s.wrap(n, "another text for "+n.Value+" in "+s.around(), "_other(%d, ", ")")
			s.mutants[len(s.mutants)-1].table = true
		}
	}
}

// words takes one word out of a list of them.
func (s *source) words(n ast.Node, words []string) {
	if s.banned[s.offset(n.Pos())] {
		return
	}
	first := *s.next
	for i, w := range words {
		s.add(n, fmt.Sprintf("leave out the word %s", w), true)
		if i == 0 {
			s.insert(n, fmt.Sprintf("_without(%d, ", first), ")")
		}
	}
}

// table reports whether a string with several words is a list of words: the value of a
// field or a variable, or what a function makes words of.
func (s *source) table() bool {
	switch p := s.parent().(type) {
	case *ast.KeyValueExpr:
		name := s.cut(p.Key)
		return name != "whole" && name != "never" && name != "other" // reasons that people read
	case *ast.CompositeLit, *ast.ValueSpec, *ast.BinaryExpr:
		return true
	case *ast.CallExpr:
		name := s.cut(p.Fun)
		return strings.HasSuffix(strings.ToLower(name), "words") || strings.HasSuffix(name, "Fields") || name == "set"
	}
	return false
}

// sentence reports whether a text is for people.
func sentence(s string) bool {
	for _, w := range strings.Fields(s) {
		switch w {
		case "a", "an", "the", "of", "is", "are", "to", "and", "or", "not", "it", "its", "that", "what", "which", "who", "may", "can", "about", "in", "for", "from", "with", "has", "on", "by", "as", "at":
			return true
		}
	}
	return strings.Contains(s, "%")
}

// comparing are functions that look for a text in another.
var comparing = []string{
	"has", "hasAny", "is", "in", "value", "values", "HasPrefix", "HasSuffix", "Contains", "ContainsAny", "ContainsRune", "TrimPrefix", "TrimSuffix", "CutPrefix", "CutSuffix",
	"Index", "IndexByte", "LastIndex", "Cut", "EqualFold", "newWords",
}

// compared reports whether a string is a row of a table or what another text is compared with.
func (s *source) compared(n *ast.BasicLit) bool {
	switch p := s.parent().(type) {
	case *ast.CaseClause:
		return true
	case *ast.BinaryExpr:
		return p.Op == token.EQL || p.Op == token.NEQ
	case *ast.KeyValueExpr:
		return p.Key == n
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		name := s.cut(p.Fun)
		name = name[strings.LastIndexByte(name, '.')+1:]
		for _, c := range comparing {
			if name == c {
				return true
			}
		}
	}
	return false
}

// wrap makes a mutant of a node by texts before and behind it, one of them with its number.
func (s *source) wrap(n ast.Node, what, before, after string) {
	if s.banned[s.offset(n.Pos())] {
		return
	}
	id := *s.next
	s.add(n, what, false)
	number := func(text string) string { return strings.Replace(text, "%d", strconv.Itoa(id), 1) }
	s.insert(n, number(before), number(after))
}

func (s *source) insert(n ast.Node, before, after string) {
	s.in = append(s.in,
		insertion{at: s.offset(n.Pos()), text: before, depth: len(s.in)},
		insertion{at: s.offset(n.End()), text: after, close: true, depth: len(s.in)})
}

func (s *source) add(n ast.Node, what string, table bool) {
	s.mutants = append(s.mutants, mutant{id: *s.next, file: s.path, at: s.offset(n.Pos()), line: s.line(n), function: s.function(), what: short(what), table: table})
	*s.next++
}

// function is the name of the declaration that the node is in.
func (s *source) function() string {
	for _, n := range s.stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Name.Name
		case *ast.ValueSpec:
			return n.Names[0].Name
		}
	}
	return "file"
}

func (s *source) offset(p token.Pos) int { return s.set.Position(p).Offset }
func (s *source) line(n ast.Node) int    { return s.set.Position(n.Pos()).Line }
func (s *source) cut(n ast.Node) string  { return string(s.text[s.offset(n.Pos()):s.offset(n.End())]) }
func (s *source) around() string         { return s.cut(s.parent()) }

// short is a text on one line.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}

// mutated is the text of the file with all its mutants.
func (s *source) mutated() []byte {
	in := s.in
	sort.SliceStable(in, func(i, j int) bool {
		a, b := in[i], in[j]
		switch {
		case a.at != b.at:
			return a.at < b.at
		case a.close != b.close:
			return a.close // what ends here ends before what begins here
		case a.close:
			return a.depth > b.depth // the innermost first
		}
		return a.depth < b.depth
	})
	var out []byte
	last := 0
	for _, i := range in {
		out = append(append(out, s.text[last:i.at]...), i.text...)
		last = i.at
	}
	return append(out, s.text[last:]...)
}
