package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

//go:embed fixture.sh
var fixture string

// world is a folder that holds a project, a home folder and another project. It is made once,
// changed for each group of lines, and put back after each line that wrote anything.
type world struct {
	root  string
	rules *rules.Set
	known map[string]bool // files of the project that were there before a line ran; true: tracked by git
	index string          // what git has staged
	leads bool            // the project's own files lead out of it
	conf  string          // the repository's settings, but those of branches
}

// cache is where build caches lie, for all worlds. The lines may use them but not make them.
const cache = "/mnt/cache"

func (w *world) project() string { return w.root + "/project" }
func (w *world) home() string    { return w.root + "/home" }

// newWorld makes the plain world.
func newWorld(root string) (*world, error) {
	set, err := granted()
	if err != nil {
		return nil, err
	}
	w := &world{root: root, rules: set}
	if err := os.MkdirAll(root, 0o755); err != nil { //nolint:gosec // G301: it holds no secrets
		return nil, err
	}
	if err := w.script(root, fixture); err != nil {
		return nil, fmt.Errorf("make the world: %w", err)
	}
	return w, w.keep("plain")
}

// script runs commands to make a world.
func (w *world) script(dir, text string) error {
	cmd := exec.CommandContext(context.Background(), "bash", "-euc", text) //nolint:gosec // G204: the corpus is ours
	cmd.Dir, cmd.Env = dir, w.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// environ is what the lines find in their environment.
func (w *world) environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.home(), "PWD=" + w.project(), "USER=dev", "LOGNAME=dev", "SHELL=/bin/bash", "LANG=C.UTF-8", "TERM=dumb",
		"GOCACHE=" + cache + "/go", "GOMODCACHE=" + cache + "/mod", "GOTOOLCHAIN=local", "GOTELEMETRY=off", "CARGO_HOME=" + cache + "/cargo", "RUSTUP_HOME=" + os.Getenv("RUSTUP_HOME"),
		"npm_config_update_notifier=false", "npm_config_cache=" + cache + "/npm", "PYTHONDONTWRITEBYTECODE=1", "MAVEN_OPTS=-Duser.home=" + w.home(),
		"SERVICE_TOKEN=" + canary,
	}
}

// keep remembers the world as it is now, under a name.
func (w *world) keep(name string) error {
	kept := w.root + "." + name
	if err := os.RemoveAll(kept); err != nil {
		return err
	}
	return exec.CommandContext(context.Background(), "cp", "-a", w.root, kept).Run() //nolint:gosec // G204: folders of ours
}

// put makes the world again as it was kept.
func (w *world) put(name string) error {
	if err := os.RemoveAll(w.root); err != nil {
		return err
	}
	if err := exec.CommandContext(context.Background(), "cp", "-a", w.root+"."+name, w.root).Run(); err != nil { //nolint:gosec // G204: folders of ours
		return err
	}
	w.known = map[string]bool{}
	_ = filepath.WalkDir(w.project(), func(p string, _ os.DirEntry, _ error) error {
		w.known[p] = false
		return nil
	})
	w.index, w.conf = w.staged(), w.settings()
	for line := range strings.SplitSeq(w.index, "\x00") {
		_, name, _ := strings.Cut(line, "\t")
		w.known[filepath.Join(w.project(), name)] = true
	}
	return nil
}

// staged is what git has in its index. git status writes the index anew without a change.
func (w *world) staged() string { return w.git("ls-files", "-s", "-z") }

// settings are those of the repository. Some of branches are git's own notes, and go with them.
func (w *world) settings() string {
	var list []string
	for line := range strings.Lines(w.git("config", "--local", "--list")) {
		if !strings.HasPrefix(line, "branch.") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "")
}

// git is what git prints in the project; "" when it fails.
func (w *world) git(words ...string) string {
	cmd := exec.CommandContext(context.Background(), "git", words...) //nolint:gosec // G204: words of ours
	cmd.Dir, cmd.Env = w.project(), w.environ()
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// place is where the lines would run. It asks the disk anew each time, as for each call.
func (w *world) place() risk.Place {
	return workspace.PlaceOf(w.project(), w.project(), w.home(), []string{w.home() + "/.local/share/aoctl", w.home() + "/.config/aoctl"})
}

// group tries the lines of a group in its world.
func (w *world) group(g Group, o options, sum *summary) error {
	if err := w.put("plain"); err != nil {
		return err
	}
	if err := w.script(w.project(), strings.Join(g.Setup, "\n")); err != nil {
		return fmt.Errorf("world %s: %w", g.World, err)
	}
	if err := w.keep("group"); err != nil {
		return err
	}
	w.leads = g.Leads
	dirty := true
	for _, l := range g.Lines {
		l.Text = strings.ReplaceAll(l.Text, "WORLD", w.root)
		if dirty {
			if err := w.put("group"); err != nil {
				return err
			}
		}
		r := result{Line: l, judged: w.judge(l.Text)}
		dirty = false
		if r.judged.pass && !o.list {
			var err error
			if dirty, err = w.try(&r); err != nil {
				return fmt.Errorf("%q: %w", l.Text, err)
			}
		}
		sum.add(r, o)
	}
	return nil
}
