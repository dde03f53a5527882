package cli

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 90 * time.Minute: "1h",
		47 * time.Hour: "47h", 48 * time.Hour: "2d", 1000 * time.Hour: "41d",
	} {
		if got := age(d); got != want {
			t.Errorf("age(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCountdown(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Minute: "0:00", 9*time.Minute + 5*time.Second: "9:05", 90 * time.Minute: "90:00", 999 * time.Millisecond: "0:00",
	} {
		if got := countdown(d); got != want {
			t.Errorf("countdown(%v) = %q, want %q", d, got, want)
		}
	}
}

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
		got, err := parseSince(text, now)
		if err != nil || !got.Equal(want) {
			t.Errorf("parseSince(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "-2h", "-1d", "2", "d", "NaNd", "Infd", "99999999d", "2026-13-01", ""} {
		if got, err := parseSince(text, now); err == nil {
			t.Errorf("parseSince(%q) = %v, want an error", text, got)
		}
	}
}

func TestTimeoutFromEnv(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "600": 10 * time.Minute, "1": time.Second, "1.5": 1500 * time.Millisecond, "86400": 24 * time.Hour,
	} {
		if got, err := timeoutFromEnv(text); err != nil || got != want {
			t.Errorf("timeoutFromEnv(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "-1", "0.5", "86401", "1e300", "Inf", "NaN", "10m", " 5", "x"} {
		_, err := timeoutFromEnv(text)
		if _, ok := errors.AsType[usageError](err); !ok {
			t.Errorf("timeoutFromEnv(%q) = %v, want a usage error", text, err)
		}
	}
}

func TestCallLine(t *testing.T) {
	for _, tc := range []struct{ name, tool, input, want string }{
		{"command", "Bash", `{"command":"ls","description":"x"}`, "ls"},
		{"file", "Edit", `{"file_path":"/a","old_string":"b"}`, "/a"},
		{"unknown tools are shown whole", "mcp__x__run", `{"command":"ls","target":"prod"}`, `{"command":"ls","target":"prod"}`},
		{"wrong type", "Bash", `{"command":["ls"]}`, `{"command":["ls"]}`},
		{"missing", "Bash", `{"description":"x"}`, `{"description":"x"}`},
		{"no object", "Bash", `[1]`, `[1]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := callLine(broker.Request{ToolName: tc.tool, ToolInput: []byte(tc.input)}); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		code int
		text string
	}{
		{"no error", nil, exitOK, ""},
		{"usage", usageError{text: "bad", hint: "do", list: []string{"one", "two\n"}}, exitUsage, "aoctl: bad\n  do\n    one\n    two⏎\n"},
		{"failure", failure{code: exitNoConsole, text: "gone", hint: "start one"}, exitNoConsole, "aoctl: gone\n  start one\n"},
		{"escapes", failure{code: exitError, text: "a\x1b[2J"}, exitError, "aoctl: a\\x1b[2J\n"},
		{"other", errors.New("odd"), exitError, "aoctl: odd\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			if code := report(&b, tc.err); code != tc.code || b.String() != tc.text {
				t.Errorf("got %d %q, want %d %q", code, b.String(), tc.code, tc.text)
			}
		})
	}
}

func TestTypable(t *testing.T) {
	for word, want := range map[string]bool{
		"api-server": true, "v1.2_x+y@z": true, "": false, "-rf": false, "a b": false, "$(x)": false,
		"a;b": false, "a\n": false, "ünïcode": false, "a'b": false, "*": false, "~x": false, "a/b": false,
	} {
		if got := typable(word); got != want {
			t.Errorf("typable(%q) = %v, want %v", word, got, want)
		}
	}
}
