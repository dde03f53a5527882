package hooks

import "testing"

func TestTmuxServer(t *testing.T) {
	for value, want := range map[string]string{
		"/tmp/tmux-1000/default,1234,0": "/tmp/tmux-1000/default",
		"/tmp/a,b/s,1234,12":            "/tmp/a,b/s",
		"":                              "",
		"/tmp/s":                        "",
		"/tmp/s,1234":                   "",
		"/tmp/s,x,0":                    "",
		"/tmp/s,1,":                     "",
	} {
		if got := tmuxServer(value); got != want {
			t.Errorf("tmuxServer(%q) = %q, want %q", value, got, want)
		}
	}
}
