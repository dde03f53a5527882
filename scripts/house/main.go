// Command house measures how the code is laid out: how large types and packages are, how often
// arrows between the files of a package run back up, how many files a call visits on its way, how
// much is comment. It prints one line a measure and judges nothing.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	top := flag.Int("top", 5, "how many of the largest are listed")
	flag.Parse()
	h, err := read(".")
	if err == nil {
		err = h.print(*top)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

// file is one source file of the product: no test, and none of scripts.
type file struct {
	path, room  string
	lines, said int // lines in all, and those that are comment
	syntax      *ast.File
}

type house struct {
	set   *token.FileSet
	files []*file
	rooms map[string][]*file
}

func read(root string) (*house, error) {
	h := &house{set: token.NewFileSet(), rooms: map[string][]*file{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (name == "scripts" || name == "testdata" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		return h.add(path)
	})
	return h, err
}

func (h *house) add(path string) error {
	text, err := os.ReadFile(path) //nolint:gosec // G304: our own sources
	if err != nil {
		return fmt.Errorf("read a source: %w", err)
	}
	syntax, err := parser.ParseFile(h.set, path, text, parser.ParseComments)
	if err != nil {
		return fmt.Errorf("parse a source: %w", err)
	}
	f := &file{path: path, room: filepath.Dir(path), lines: strings.Count(string(text), "\n"), syntax: syntax}
	for _, group := range syntax.Comments {
		for _, c := range group.List {
			from, to := h.set.Position(c.Pos()), h.set.Position(c.End())
			f.said += to.Line - from.Line
			if strings.TrimSpace(strings.SplitAfter(string(text), "\n")[from.Line-1][:from.Column-1]) == "" {
				f.said++ // one behind code on its line is not counted
			}
		}
	}
	h.files = append(h.files, f)
	h.rooms[f.room] = append(h.rooms[f.room], f)
	return nil
}

// sized is something of which the largest are listed.
type sized struct {
	name string
	n    int
	more string
}

func largest(list []sized, top int) string {
	slices.SortFunc(list, func(x, y sized) int { return cmp.Or(y.n-x.n, strings.Compare(x.name, y.name)) })
	words := make([]string, 0, top)
	for _, s := range list[:min(top, len(list))] {
		words = append(words, fmt.Sprintf("%s %d%s", s.name, s.n, s.more))
	}
	return strings.Join(words, ", ")
}

func (h *house) print(top int) error {
	fields, methods := h.types()
	line := func(what, found string) { fmt.Printf("%-34s %s\n", what, found) }
	line("fields of a type", largest(fields, top))
	line("methods of a type", largest(methods, top))
	var files, lines []sized
	all, said, big := 0, 0, 0
	for room, list := range h.rooms {
		n := 0
		for _, f := range list {
			n += f.lines
			said += f.said
		}
		all += n
		if len(list) > 30 || n > 5000 {
			big++
		}
		files = append(files, sized{room, len(list), ""})
		lines = append(lines, sized{room, n, ""})
	}
	line("files of a package", largest(files, top))
	line("lines of a package", largest(lines, top))
	line("packages over 30 files, 5,000 lines", fmt.Sprint(big))
	for _, way := range []string{"ask", "key"} {
		text, err := h.way(filepath.Join("scripts", "house", way+".txt"))
		if err != nil {
			return err
		}
		line(map[string]string{"ask": "a call, standard input to card", "key": "a key, press to waiter"}[way], text)
	}
	back, arrows, worst := h.arrows()
	line("arrows back up inside packages", fmt.Sprintf("%d of %d; %s", back, arrows, largest(worst, top)))
	line("files that name an agent", fmt.Sprint(h.naming()))
	line("locks of the state machine", fmt.Sprint(h.locks("broker/engine")))
	line("comment", fmt.Sprintf("%.1f %% of the lines", 100*float64(said)/float64(all)))
	line("product lines", fmt.Sprint(all))
	return nil
}

// types counts fields of structs, and methods by their receiver.
func (h *house) types() (fields, methods []sized) {
	count := map[string]int{}
	for _, f := range h.files {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					count[f.room+"."+receiver(d)]++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					t, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					if s, ok := t.Type.(*ast.StructType); ok {
						fields = append(fields, sized{f.room + "." + t.Name.Name, s.Fields.NumFields(), ""})
					}
				}
			}
		}
	}
	for name, n := range count {
		methods = append(methods, sized{name, n, ""})
	}
	return fields, methods
}

// receiver is the name of the type that a method is of.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}

// way follows the functions that a file lists, in the order in which they are called, each as
// "package function" or "package Type.method". It says how many files they lie in, and how often
// the way comes back to one that it had left. Every function must be there, and be called by one
// that stands above it.
func (h *house) way(list string) (string, error) {
	f, err := os.Open(list) //nolint:gosec // G304: our own file
	if err != nil {
		return "", fmt.Errorf("read a way: %w", err)
	}
	defer func() { _ = f.Close() }()
	decls := h.functions()
	seen := map[string]bool{}
	called := map[string]bool{}
	last, returns, steps := "", 0, 0
	for in := bufio.NewScanner(f); in.Scan(); {
		words := strings.Fields(in.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		at, ok := decls[words[0]+" "+words[1]]
		if !ok {
			return "", fmt.Errorf("%s: there is no %s in %s", list, words[1], words[0])
		}
		name := words[1][strings.LastIndex(words[1], ".")+1:]
		if steps > 0 && !called[name] && !slices.Contains(words, "sent") {
			return "", fmt.Errorf("%s: nothing above %s %s calls it", list, words[0], words[1])
		}
		steps++
		ast.Inspect(at.decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				called[id.Name] = true
			}
			return true
		})
		if at.file != last && seen[at.file] {
			returns++
		}
		seen[at.file], last = true, at.file
	}
	return fmt.Sprintf("%d files, %d returns (%d functions)", len(seen), returns, steps), nil
}

type function struct {
	file string
	decl *ast.FuncDecl
}

// functions are all of them, as "package name" or "package Type.name".
func (h *house) functions() map[string]function {
	all := map[string]function{}
	for _, f := range h.files {
		for _, d := range f.syntax.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				name := d.Name.Name
				if d.Recv != nil {
					name = receiver(d) + "." + name
				}
				all[f.room+" "+name] = function{f.path, d}
			}
		}
	}
	return all
}

// arrows counts uses of what another file of the package declares, a pair of files once, and
// those of them that run back up in the best order of the files that a greedy search finds.
func (h *house) arrows() (back, all int, worst []sized) {
	for room, files := range h.rooms {
		b, n := backUp(files)
		back, all = back+b, all+n
		worst = append(worst, sized{room, b, fmt.Sprintf(" of %d", n)})
	}
	return back, all, worst
}

func backUp(files []*file) (back, all int) {
	at := map[string]int{} // the file of a name that one file alone declares; -1 for others
	for i, f := range files {
		for _, name := range declared(f.syntax) {
			if old, known := at[name]; known && old != i {
				at[name] = -1
			} else {
				at[name] = i
			}
		}
	}
	uses := make([]map[int]bool, len(files))
	for i, f := range files {
		uses[i] = map[int]bool{}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if j, known := at[id.Name]; known && j >= 0 && j != i {
					uses[i][j] = true
				}
			}
			return true
		})
		all += len(uses[i])
	}
	return all - forward(uses), all
}

// declared are the names of a file's functions, methods, types, variables and constants.
func declared(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}

// forward is how many arrows run forward in the order that takes, again and again, the file with
// the most arrows out over arrows in of those that are left (Eades, Lin and Smyth, 1993).
func forward(uses []map[int]bool) (n int) {
	left := map[int]bool{}
	for i := range uses {
		left[i] = true
	}
	for len(left) > 0 {
		best, most := -1, 0
		for i := range uses {
			if !left[i] {
				continue
			}
			score := 0
			for j := range left {
				if uses[i][j] {
					score++
				}
				if uses[j][i] {
					score--
				}
			}
			if best < 0 || score > most {
				best, most = i, score
			}
		}
		delete(left, best)
		for j := range left {
			if uses[best][j] {
				n++
			}
		}
	}
	return n
}

// naming counts the files that have an agent's name in a text of theirs, beside those that the
// agent is all that they are about.
func (h *house) naming() int {
	agents := []string{"claude", "codex", "gemini", "qwen", "opencode", "copilot", "cursor"}
	n := 0
	for _, f := range h.files {
		if slices.ContainsFunc(agents, func(a string) bool { return strings.Contains(filepath.Base(f.path), a) }) {
			continue
		}
		found := false
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				found = found || slices.Contains(agents, strings.Trim(lit.Value, "\"`"))
			}
			return true
		})
		if found {
			n++
		}
	}
	return n
}

// locks counts the places of a room that take a mutex.
func (h *house) locks(room string) int {
	n := 0
	for _, f := range h.rooms[room] {
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Lock" || sel.Sel.Name == "RLock") {
				n++
			}
			return true
		})
	}
	return n
}
