package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// folder is a new folder for a run, in the user's cache: projects do not lie in temporary
// folders, which are a place of their own to rules. The caller removes it.
func folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err == nil {
		cache = filepath.Join(cache, "aoctl-ease")
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("make a folder: %w", err)
	}
	return os.MkdirTemp(cache, "run")
}

// project makes projects/NAME.txtar at dir: its files, links and commits.
func (o options) project(ctx context.Context, name, dir string) error {
	a, err := txtar.ParseFile(filepath.Join(o.data, "projects", name+".txtar"))
	if err != nil {
		return fmt.Errorf("read the project: %w", err)
	}
	for _, f := range a.Files {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(string(f.Data), "#!") {
			mode = 0o755
		}
		if err := put(filepath.Join(dir, f.Name), f.Data, mode); err != nil {
			return err
		}
	}
	steps := [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "Anna"}, {"config", "user.email", "anna@example.com"}}
	for line := range strings.Lines(string(a.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 3 && words[0] == "link":
			if err := link(filepath.Join(dir, words[1]), words[2]); err != nil {
				return err
			}
		case len(words) > 1 && words[0] == "commit":
			message, files, _ := strings.Cut(strings.TrimPrefix(line, "commit "), ": ")
			steps = append(steps, append([]string{"add"}, strings.Fields(files)...), []string{"commit", "-q", "-m", message})
		}
	}
	// The remote is one of another machine, as nearly every remote is, and cannot be reached: "invalid" is no domain.
	return git(ctx, dir, append(steps, []string{"remote", "add", "origin", "https://git.invalid/anna/" + name + ".git"}))
}

func put(path string, data []byte, mode os.FileMode) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755) //nolint:gosec // G301: as a project has them
	if err == nil {
		err = os.WriteFile(path, data, mode)
	}
	return err
}

func link(path, target string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)) //nolint:gosec // G301: as a project has them
}

// git runs commands of git in dir, without the settings of whoever measures.
func git(ctx context.Context, dir string, commands [][]string) error {
	for _, args := range commands {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// standIns are programs that take long, need a network, change the machine, or may not be here.
var standIns = strings.Fields(`go gofmt golangci-lint staticcheck node npm npx tsc jest python python3 pytest pip uv poetry
	tox ruff black mypy flake8 coverage make curl lsof`)

// stubs makes the stand-ins in dir and returns a PATH that has them first.
func stubs(dir string) (string, error) {
	for _, name := range standIns {
		if err := put(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
			return "", err
		}
	}
	return dir + string(os.PathListSeparator) + os.Getenv("PATH"), nil
}

// with is an environment with another PATH.
func with(env []string, path string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	return append(env, "PATH="+path)
}
