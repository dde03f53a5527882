package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// switches is the file that the mutated package gets besides: which mutant is on, what the
// mutants are made of, and a file with a byte for each, where those are noted that a run
// comes by.
const switches = `package %s

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

var _mutant, _reached = func() (int, []byte) {
	n, _ := strconv.Atoi(os.Getenv("AOCTL_MUTANT"))
	f, err := os.OpenFile(os.Getenv("AOCTL_REACHED"), os.O_RDWR, 0)
	if err != nil {
		return n, nil
	}
	info, err := f.Stat()
	if err != nil {
		panic(err)
	}
	notes, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return n, notes
}()

func _is(id int) bool {
	if _reached != nil {
		_reached[id] = 1
	}
	return _mutant == id
}

func _not(id int, b bool) bool { return b != _is(id) }

func _more(id, n int) int {
	if _is(id) {
		n++
	}
	return n
}

func _other(id int, s string) string {
	if _is(id) {
		return "\x00"
	}
	return s
}

func _without(first int, s string) string {
	words := strings.Fields(s)
	for i := range words {
		if _is(first + i) {
			return strings.Join(append(words[:i:i], words[i+1:]...), " ")
		}
	}
	return s
}
`

// built is a package with all its mutants, and the tests that look for them.
type built struct {
	pkg     string
	mutants []mutant
	stages  []stage
}

// rounds is how often lines that do not compile are left out.
const rounds = 8

// build compiles the tests of a package, and of the packages also, over the package with all
// its mutants. What a mutant would not compile with has none.
func build(ctx context.Context, root, dir, pkg string, also []string) (*built, error) {
	banned := map[string]map[int]bool{}
	for range rounds {
		b := &built{pkg: pkg}
		sources, err := find(root, pkg, banned)
		if err != nil {
			return nil, err
		}
		overlay, err := write(root, dir, pkg, sources)
		if err != nil {
			return nil, err
		}
		for _, s := range sources {
			b.mutants = append(b.mutants, s.mutants...)
		}
		var programs []stage
		compiled := 0
		for i, p := range append([]string{pkg}, also...) {
			program := filepath.Join(dir, strconv.Itoa(i)+".test")
			//nolint:gosec // G204: the go command over packages of this repository
			c := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-gcflags=-e", "-overlay", overlay, "-o", program, "./"+p)
			c.Dir = root
			out, err := c.CombinedOutput()
			if err != nil {
				if !ban(banned, b.mutants, out) {
					return nil, fmt.Errorf("%s: %w\n%s", p, err, out)
				}
				break
			}
			compiled++
			if _, err := os.Stat(program); err == nil { // else it has no tests of its own
				programs = append(programs, stage{program: program, dir: filepath.Join(root, p)})
			}
		}
		if compiled == 1+len(also) {
			b.stages, err = stages(ctx, programs, len(b.mutants))
			return b, err
		}
	}
	return nil, errors.New("the mutants do not compile")
}

// write writes the mutated files and the overlay that puts them into the place of the others.
func write(root, dir, pkg string, sources []*source) (string, error) {
	replace := map[string]string{}
	name := ""
	for _, s := range sources {
		to := filepath.Join(dir, filepath.Base(s.path))
		if err := os.WriteFile(to, s.mutated(), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, s.path)] = to
		if f, err := parser.ParseFile(token.NewFileSet(), "", s.text, parser.PackageClauseOnly); err == nil {
			name = f.Name.Name
		}
	}
	to := filepath.Join(dir, "zz_mutant.go")
	if err := os.WriteFile(to, fmt.Appendf(nil, switches, name), 0o600); err != nil {
		return "", err
	}
	replace[filepath.Join(root, pkg, "zz_mutant.go")] = to
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// helper is a mutant in what the compiler says.
var helper = regexp.MustCompile(`_(?:is|not|more|other|without)\((\d+)`)

// place is the line that the compiler means.
var place = regexp.MustCompile(`([^\s:/]+\.go):(\d+)`)

// ban notes the mutants that the compiler complains about, by number or else by line, and
// reports whether there are new ones.
func ban(banned map[string]map[int]bool, list []mutant, out []byte) bool {
	more := false
	for line := range bytes.Lines(out) {
		id := -1
		if m := helper.FindSubmatch(line); m != nil {
			id, _ = strconv.Atoi(string(m[1]))
		}
		m := place.FindSubmatch(line)
		if m == nil {
			continue
		}
		at, _ := strconv.Atoi(string(m[2]))
		for _, x := range list {
			if filepath.Base(x.file) != string(m[1]) || id >= 0 && x.id != id || id < 0 && x.line != at {
				continue
			}
			if banned[x.file] == nil {
				banned[x.file] = map[int]bool{}
			}
			more = more || !banned[x.file][x.at]
			banned[x.file][x.at] = true
		}
	}
	return more
}
