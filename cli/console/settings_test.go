package console

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/tui/tty"
)

// Every flag of the console is either a setting of the file or refused with a reason: a
// new one must not become one by itself.
func TestEveryFlagIsSettled(t *testing.T) {
	taken := config.Names()
	NewCommand().Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		_, refused := config.Refused[f.Name]
		if refused == slices.Contains(taken, f.Name) {
			t.Errorf("--%s: refused %v, taken %v; it must be one of them", f.Name, refused, !refused)
		}
		taken = slices.DeleteFunc(taken, func(n string) bool { return n == f.Name })
	})
	if len(taken) > 0 {
		t.Errorf("no flags: %v", taken)
	}
}

// What a console without a file goes by is what "aoctl config" says.
func TestDefaultsAreTheFlags(t *testing.T) {
	flags := NewCommand().Flags()
	for _, k := range config.Keys() {
		if err := flags.Set(k.Name, k.Default); k.Default != "" && err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		if f := flags.Lookup(k.Name); f.Value.String() != f.DefValue {
			t.Errorf("%s: %q is what the flag has, %q what is told", k.Name, f.DefValue, k.Default)
		}
	}
}

// settle is what the console goes by with this file, environment and command line.
func settle(t *testing.T, file string, args ...string) (Options, config.File) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("AOCTL_HOME", home)
	if err := os.WriteFile(filepath.Join(home, config.Name), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var o Options
	cmd := &cobra.Command{}
	cmd.Flags().String("socket", "", "")
	o.Flags(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	f := config.Load(KeyActions())
	if err := f.Fill(cmd); err != nil {
		t.Fatal(err)
	}
	if err := o.Read(cmd); err != nil {
		t.Fatal(err)
	}
	return o, f
}

// Flags win, then the environment, then the file, then what is built in.
func TestConfigPrecedence(t *testing.T) {
	const file = "timeout = \"5m\"\non-timeout = \"defer\"\nkeep = \"90d\"\nno-output = true\nnotify = \"osc9\"\nmax-pending = 300\nmax-pending-session = 200\nmax-rate = 7\n"
	type outcome struct {
		Timeout, Kept       time.Duration
		Late                string
		NoOut               bool
		Notify              tty.Notify
		Pending, Each, Rate int
	}
	all := outcome{5 * time.Minute, 90 * 24 * time.Hour, "defer", true, tty.OSC9, 300, 200, 7}
	with := func(change func(*outcome)) outcome {
		o := all
		change(&o)
		return o
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		args string
		want outcome
	}{
		{"file", nil, "", all},
		{"environment", map[string]string{config.TimeoutEnv: "90", config.NotifyEnv: "bell"}, "", with(func(o *outcome) { o.Timeout, o.Notify = 90*time.Second, tty.Bell })},
		{"silent environment", map[string]string{config.NoBellEnv: "1"}, "", with(func(o *outcome) { o.Notify = 0 })},
		{"environment that says nothing", map[string]string{config.NoBellEnv: "0", config.TimeoutEnv: "", config.NotifyEnv: ""}, "", all},
		{
			"flags",
			map[string]string{config.TimeoutEnv: "90", config.NotifyEnv: "bell"},
			"--timeout 1h --on-timeout deny --keep 1w --no-output=false --notify osc99 --max-pending 30 --max-pending-session 20 --max-rate 0",
			outcome{time.Hour, 7 * 24 * time.Hour, "deny", false, tty.OSC99, 30, 20, 0},
		},
		{"no bell", nil, "--no-bell", with(func(o *outcome) { o.Notify = 0 })},
		{"one limit is a flag", nil, "--max-pending 30", with(func(o *outcome) { o.Pending, o.Each = 30, 30 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			o, f := settle(t, file, strings.Fields(c.args)...)
			if f.Problem != nil {
				t.Fatal(f.Problem)
			}
			got := outcome{o.Timeout, o.kept, o.late, o.noOut, o.attention.notify, o.limits.pending, o.limits.pendingSession, o.limits.rate}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The theme and the keys of the file reach the screen, by the names that it has for them.
func TestScreenSettings(t *testing.T) {
	o, f := settle(t, "theme = \"high-contrast\"\n[keys]\nmark = \"W\"\nunfold = [\"space\", \"ctrl+r\"]\n")
	if f.Problem != nil || o.theme != "high-contrast" {
		t.Fatalf("%v, theme %q", f.Problem, o.theme)
	}
	o.config = f
	if diff := cmp.Diff(map[string][]string{"mark": {"W"}, "unfold": {" ", "ctrl+r"}}, o.chosenKeys()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// No key of the console as it is does two things that a file may not say.
func TestDefaultKeysMayStandInAFile(t *testing.T) {
	file := "[keys]\n"
	for _, a := range KeyActions() {
		var quoted []string
		for _, k := range a.Default {
			quoted = append(quoted, strconv.Quote(k))
		}
		file += a.Name + " = [" + strings.Join(quoted, ", ") + "]\n"
	}
	if _, f := settle(t, file); f.Problem != nil {
		t.Errorf("%v, %s", f.Problem, f.Problem.Cure)
	}
}

// Attack: a file that sets what it may not, beside what it may. All is as it is built in.
func TestBadConfigSetsNothing(t *testing.T) {
	plain, _ := settle(t, "")
	for _, line := range []string{
		"observe = true", "listen = \"127.0.0.1:0\"", "listen-operators = true", "on-wait = \"x\"", "on-wait-token = true", "socket = \"/tmp/x\"", "no-bell = true", "otlp = \"http://x\"", "otlp-content = true", "metrics = \"yes\"",
		"timeout = \"25h\"", "timeout = \"soon\"", "on-timeout = \"allow\"", "on-timeout = \"ask\"", "keep = \"1m\"", "notify = \"pager\"",
		"max-pending = 0", "max-pending = 20001", "max-rate = 0", "max-rate = -1", "max-pending-session = 4097", "no-output = 1", "x = 1", "[",
	} {
		t.Run(line, func(t *testing.T) {
			fine := "max-rate = 9\n"
			if strings.HasPrefix(line, "max-rate") {
				fine = "max-pending = 9\n" // no key may come twice
			}
			for _, file := range []string{fine + line + "\n", line + "\n" + fine} {
				o, f := settle(t, file)
				if f.Problem == nil || f.Problem.Line == 0 || f.Problem.Cure == "" || len(f.Settings) > 0 {
					t.Fatalf("%+v, %v", f.Problem, f.Settings)
				}
				if o.observe || o.listen != "" || o.anyone || o.onWait != "" || o.onWaitToken || o.telemetry.metrics || !o.telemetry.to.None() || o.telemetry.content || o.limits != plain.limits || o.Timeout != plain.Timeout || o.late != plain.late || o.kept != 0 || o.noOut || o.attention.notify != plain.attention.notify {
					t.Errorf("%+v", o)
				}
			}
		})
	}
}
