// Command ease measures how often aoctl asks a person: of a hundred calls that reach it, how
// many wait for somebody.
//
// testdata holds what is played. A day is a text file with the calls of a coding agent on an
// ordinary day in one project; second.txt and rare.txt are lines that people run. The days
// were written down before anybody looked at how aoctl judges them, and so they must stay: a
// line that asks is a reason to teach aoctl a program, not to take out the line.
// testdata/projects has the projects, each made anew, with its repository, for each run.
//
// A day is measured under several sets of grants (level): as installed, after one form, and
// with two effects more. There are two ways to measure it, and they must agree:
//
//   - With -dry the rules judge each call in this process, as "aoctl rules explain" would. After
//     each call its effect on the files is brought about, so that the next one meets the
//     project as an agent would leave it. That takes seconds.
//   - Otherwise a real agent plays the day against a scripted model (cli/drill), with the hooks
//     that "aoctl install" wrote, and a real broker allows at once whatever waits for a person.
//
// Programs that take long or need a network are stand-ins that do nothing (stubs): only the
// question of the hook counts, and it comes before. The lines do run otherwise, git and the
// tools that change files among them, below a folder of their own. A few write into /tmp, as
// agents do.
//
// Files: corpus.go reads a day, project.go makes a project, measure.go is the dry way,
// play.go and agents.go are the real one, person.go is who sits at the console, report.go
// prints. Nothing here is part of aoctl.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
)

// options are the flags.
type options struct {
	data   string // the folder of the calls and projects
	dry    bool
	aoctl  string            // the program to install, with aoctl-hook beside it
	agents map[string]string // an agent's program, by its name
	only   string            // the one day that is played; "" for all
	brief  bool
	few    bool // agents play without the last level
}

// level is what is granted in the project beside what is built in.
type level struct {
	name   string
	grants effects.Set
}

var levels = []level{
	{"as installed", 0},
	{"look, edit, check, commit", effects.Of(effects.Look, effects.Edit, effects.Check, effects.Commit)},
	{"and fetch, serve", effects.Of(effects.Look, effects.Edit, effects.Check, effects.Commit, effects.Fetch, effects.Serve)},
}

// days are the corpora that agents play, each in the project of its name.
var days = []string{"go", "node", "python"}

func main() {
	o := options{agents: map[string]string{}}
	flag.StringVar(&o.data, "data", filepath.Join("scripts", "ease", "testdata"), "the folder of calls and projects")
	flag.BoolVar(&o.dry, "dry", false, "judge in this process, without agents")
	flag.StringVar(&o.aoctl, "aoctl", "", "the aoctl program whose hooks are installed")
	flag.StringVar(&o.only, "only", "", "only the day of this name")
	flag.BoolVar(&o.brief, "q", false, "no list of what asks")
	flag.BoolVar(&o.few, "few", false, "agents play without the grant of fetch and serve")
	flag.Func("agent", "a real agent as NAME=PROGRAM; may be given again", func(text string) error {
		name, program, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("want NAME=PROGRAM")
		}
		o.agents[name] = program
		return nil
	})
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "ease:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if o.only != "" && !slices.Contains(days, o.only) {
		return fmt.Errorf("there is no day %q, only %s", o.only, strings.Join(days, ", "))
	}
	if o.dry {
		return dry(ctx, o)
	}
	return withAgents(ctx, o)
}

// chosen are the days to play.
func (o options) chosen() []string {
	if o.only != "" {
		return []string{o.only}
	}
	return days
}

// dry measures in this process: the days as each agent asks them, then the lists of lines.
func dry(ctx context.Context, o options) error {
	for _, a := range guests {
		var t table
		for _, day := range o.chosen() {
			more, err := o.judge(ctx, a, day, day, true)
			if err != nil {
				return err
			}
			t = append(t, more...)
		}
		t.print(os.Stdout, a.title+", in this process", o.brief || a.name != "claude")
	}
	if o.only != "" {
		return nil
	}
	for _, list := range []string{"second", "rare"} {
		t, err := o.judge(ctx, guests[0], list, "mixed", false)
		if err != nil {
			return err
		}
		t.print(os.Stdout, list+".txt", o.brief || list == "rare")
	}
	return nil
}
