package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// goPackage is what go list tells of a package.
type goPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// compile returns an error for each mutation that leaves source in dir which does not
// compile, as when it takes out an import's last use: that one would be tried in vain.
func compile(ctx context.Context, dir string, list []mutation) error {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for _, m := range list {
		args = append(args, "./"+filepath.Dir(m.file))
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list the packages of the mutations: %w", err)
	}
	exports, byDir := map[string]string{}, map[string]goPackage{}
	for told := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := told.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("read what go list says: %w", err)
		}
		exports[p.ImportPath], byDir[p.Dir] = p.Export, p
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	root, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("name the source's folder: %w", err)
	}
	var bad []error
	for _, m := range list {
		p, ok := byDir[filepath.Join(root, filepath.Dir(m.file))]
		if !ok {
			return fmt.Errorf("%s is in no package of this system", m.file)
		}
		if err := m.compile(dir, fset, imports, p); err != nil {
			bad = append(bad, fmt.Errorf("%s, without %q, does not compile: %w", m.script, m.what, err))
		}
	}
	return errors.Join(bad...)
}

// compile checks the types of package p with the mutated file in it.
func (m mutation) compile(dir string, fset *token.FileSet, imports types.Importer, p goPackage) error {
	mutated, err := m.apply(dir)
	if err != nil {
		return err
	}
	files := make([]*ast.File, 0, len(p.GoFiles))
	for _, name := range p.GoFiles {
		var source any
		if name == filepath.Base(m.file) {
			source = mutated
		}
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: imports, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	_, err = config.Check(p.ImportPath, fset, files, nil)
	return err
}
