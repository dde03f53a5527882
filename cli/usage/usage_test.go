package usage

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.Local)
	for text, want := range map[string]time.Time{
		"2h":                   now.Add(-2 * time.Hour),
		"1h30m":                now.Add(-90 * time.Minute),
		"3d":                   now.Add(-72 * time.Hour),
		"0.5d":                 now.Add(-12 * time.Hour),
		"0s":                   now,
		"2026-11-01":           time.Date(2026, 11, 1, 0, 0, 0, 0, time.Local),
		"2026-11-01 08:30:00":  time.Date(2026, 11, 1, 8, 30, 0, 0, time.Local),
		"2026-11-01T08:30:00Z": time.Date(2026, 11, 1, 8, 30, 0, 0, time.UTC),
	} {
		got, err := ParseSince("--then", text, now)
		if err != nil || !got.Equal(want) {
			t.Errorf("parseSince(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "-2h", "-1d", "2", "d", "NaNd", "Infd", "99999999d", "2026-13-01", ""} {
		if got, err := ParseSince("--then", text, now); err == nil || !strings.HasPrefix(err.Error(), "--then ") {
			t.Errorf("parseSince(%q) = %v, %v; want an error that names the flag", text, got, err)
		}
	}
}

func TestTypable(t *testing.T) {
	for word, want := range map[string]bool{
		"api-server": true, "v1.2_x+y@z": true, "": false, "-rf": false, "a b": false, "$(x)": false,
		"a;b": false, "a\n": false, "ünïcode": false, "a'b": false, "*": false, "~x": false, "a/b": false,
	} {
		if got := Typable(word); got != want {
			t.Errorf("typable(%q) = %v, want %v", word, got, want)
		}
	}
}

func TestAmbiguousListsAFew(t *testing.T) {
	var lines []string
	for range 50 {
		lines = append(lines, "line")
	}
	u, ok := errors.AsType[Error](Ambiguous("session", "x", lines))
	if !ok || len(u.List) != maxCandidates+1 || u.List[maxCandidates] != "… and 40 more" {
		t.Errorf("list = %q", u.List)
	}
}

func TestNear(t *testing.T) {
	names := []string{"log", "hook", "stop", "stats", "status", "session", "install", "deny"}
	for word, want := range map[string]string{
		"foo": "", "sotp": "stop", "stopp": "stop", "lgo": "log", "inst": "install", "in": "", "x": "", "": "",
		"frobnicate": "", "Deny": "deny", "hok": "hook", "allow": "",
	} {
		got := ""
		if near := Near(word, names); len(near) > 0 {
			got = near[0]
		}
		if got != want {
			t.Errorf("Near(%q) begins with %q, want %q", word, got, want)
		}
	}
}

// The hint names the value, and has no sign of how the help is made.
func TestHintOfAFlag(t *testing.T) {
	cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
	cmd.SetFlagErrorFunc(FlagError)
	cmd.Flags().Var(never{}, "jq", "filter it with a jq `EXPRESSION`")
	cmd.SetArgs([]string{"--jq", "x"})
	err, ok := errors.AsType[Error](cmd.Execute())
	if !ok || err.Hint != "give it as --jq EXPRESSION: filter it with a jq EXPRESSION" {
		t.Errorf("%+v", err)
	}
}

type never struct{}

func (never) Set(string) error { return errors.New("never") }
func (never) String() string   { return "" }
func (never) Type() string     { return "expression" }
