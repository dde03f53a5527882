// Package e2e tells the stories of aoctl with the real programs: those of testdata/script with
// aoctl alone, those of TestE2E… with real agents and a scripted model, where AOCTL_E2E_CLAUDE
// names one. Agents that are not installed are skipped.
package e2e

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/cli"
	"github.com/aoctl/aoctl/hookclient"
	"github.com/aoctl/aoctl/scripts/standin"
)

// TestMain makes the test binary play aoctl and aoctl-hook when it is called by
// these names, so that scripts run the real programs.
func TestMain(m *testing.M) {
	if os.Getenv(reaperEnv) != "" {
		reap(os.Stdin)
		return
	}
	// Scripts wait more than they compute; real agents do not.
	if os.Getenv("AOCTL_E2E_CLAUDE") == "" {
		brokertest.AtOnce(16)
	}
	testscript.Main(tests{m}, map[string]func(){
		"aoctl": func() {
			vet.Patience = time.Minute // a busy machine may not run a reader for as long as it may take
			os.Exit(cli.Main(os.Args[1:]))
		},
		"aoctl-fragile": func() {
			vet.Trial = fragile
			if os.Getenv("E2E_PATIENT") != "" {
				vet.Patience = time.Minute
			}
			os.Exit(cli.Main(os.Args[1:]))
		},
		"aoctl-hook": func() {
			os.Exit(hookclient.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		"standin":          func() { os.Exit(standin.Main(os.Args[1:], os.Stdin, os.Stdout)) },
		"standin-headless": func() { os.Exit(standin.Headless(os.Stdout)) },
		sqlProgram: func() {
			if err := changeDatabase(os.Args[1:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	})
}

// fragile makes aoctl-fragile a program whose parsers have faults: in the parse guard and
// in the console alike, and one, while there is a file "poison" in its folder, that the
// guard does not have.
func fragile(text []byte) {
	switch {
	case bytes.Contains(text, []byte("OVERFLOW")):
		var down func(int) int
		down = func(n int) int { return down(n+1) + n }
		down(0)
	case bytes.Contains(text, []byte("RUNAWAY")):
		for begun := time.Now(); time.Since(begun) < time.Hour; {
		}
	case bytes.Contains(text, []byte("POISON")):
		if _, err := os.Stat(filepath.Join(os.Getenv("AOCTL_HOME"), "poison")); err == nil {
			os.Exit(3)
		}
	}
}

// TestScripts tells the stories in testdata/script. Beside testscript's own
// commands there are those of scriptCommands.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Files:               scriptFiles(t, "script"),
		Cmds:                scriptCommands,
		Condition:           conditions,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUpScript,
	})
}

// TestFleetScripts tells the stories in testdata/fleet, which have the fleet's server in the path. With
// -short those of threats are left out: they wait most of their time.
func TestFleetScripts(t *testing.T) {
	files := scriptFiles(t, "fleet")
	if testing.Short() {
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasPrefix(filepath.Base(f), "threat-") })
	}
	dir := t.TempDir()
	build(t, filepath.Join(dir, "aoctl-fleet"), module+"/broker/fleet/aoctl-fleet", "CGO_ENABLED=0")
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Files:               files,
		Cmds:                scriptCommands,
		Condition:           conditions,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", dir+string(filepath.ListSeparator)+env.Getenv("PATH"))
			return setUpScript(env)
		},
	})
}

// setUpScript gives a script a home and a state folder of its own.
func setUpScript(env *testscript.Env) error {
	env.Setenv("HOME", filepath.Join(env.WorkDir, "user"))
	env.Setenv("AOCTL_HOME", filepath.Join(env.WorkDir, "s"))
	env.Setenv("TERM", "dumb")
	env.Setenv("GORACE", "atexit_sleep_ms=0") // a race-built program would sleep a second at each exit
	if err := reapUnder(env.WorkDir); err != nil {
		return err
	}
	// A script that fails is told of when all that it started has ended, and a hook whose console is gone waits on.
	env.Defer(func() { killUnder(env.WorkDir, func(int) bool { return true }) })
	env.Values[consoleKey{}] = &scriptConsole{}
	env.Values[slowKey{}] = &slowPeers{}
	env.Values[handKey{}] = &fleetHand{}
	return os.Mkdir(filepath.Join(env.WorkDir, "user"), 0o700)
}

// waitLong are the scripts that wait ten seconds and more, and some that do all the time. They stand last: package
// testing lets the parallel tests that were made last begin first, and the others then run beside them.
var waitLong = []string{
	"notify_bell_focus", "notify_bell", "notify_bell_muted", "run-deaf", "threat-01-broken", "threat-17-slow", "threat-24-paused", "config_console", "doctor_drill", "fleet_errors", "handover",
	"fleet", "threat-fleet-3-server",
}

// scriptFiles are all scripts of a folder, those of waitLong last.
func scriptFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	slices.SortStableFunc(files, func(x, y string) int {
		place := func(file string) int {
			return slices.Index(waitLong, strings.TrimSuffix(filepath.Base(file), ".txtar"))
		}
		return cmp.Compare(place(x), place(y))
	})
	return files
}
