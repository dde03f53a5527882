package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing/iotest"
	"time"
)

// generous points the client at the console that allows everything: what comes through
// there although the input is bad is an ALLOW where a DENY is wanted.
func generous(alter func(w *world, s *start)) func(w *world, s *start) {
	return func(w *world, s *start) {
		s.env["AOCTL_SOCKET"] = w.lab.world.socket
		if alter != nil {
			alter(w, s)
		}
	}
}

func feeds(make func(w *world) io.Reader) func(w *world, s *start) {
	return generous(func(w *world, s *start) { s.stdin = make(w) })
}

func feedsText(change func(payload string) string) func(w *world, s *start) {
	return feeds(func(w *world) io.Reader { return strings.NewReader(change(payload(w))) })
}

func wraps(shell string) func(w *world, s *start) {
	return generous(func(_ *world, s *start) { s.wrap = shell })
}

// inputs are payloads that are none.
func inputs() []fault {
	only := func(s string) func(string) string { return func(string) string { return s } }
	replace := func(old, now string) func(string) string {
		return func(p string) string { return strings.Replace(p, old, now, 1) }
	}
	hint := "run this only as an agent's hook"
	return []fault{
		{name: "stdin empty", cause: "bad request", words: []string{"sent nothing on stdin", hint}, alter: feedsText(only(""))},
		{name: "stdin closed", words: []string{"stdin", hint}, alter: wraps(`exec "$@" <&-`)},
		{name: "stdin a folder", words: []string{"stdin cannot be read", hint}, alter: wraps(`exec "$@" </`)},
		{name: "stdin []", words: []string{"a JSON array, not an object"}, alter: feedsText(only("[]"))},
		{name: "stdin null", words: []string{"not a JSON object"}, alter: feedsText(only("null"))},
		{name: "stdin {}", words: []string{"aoctl"}, alter: feedsText(only("{}"))},
		{name: "stdin binary", words: []string{"not a JSON object"}, alter: feedsText(only("\x7fELF\x00\x01\x02\xff"))},
		{name: "stdin not UTF-8", words: []string{"UTF-8"}, alter: feedsText(replace("touch", "touch\xff"))},
		{name: "stdin cut off", words: []string{"aoctl"}, alter: feedsText(func(p string) string { return p[:len(p)/2] })},
		{name: "stdin with duplicate keys", words: []string{"twice"}, alter: feedsText(replace(`"tool_name"`, `"tool_name":"Read","tool_name"`))},
		{name: "stdin with keys that differ in case", words: []string{"upper and lower case"}, alter: feedsText(replace(`"tool_name"`, `"Tool_Name":"Read","tool_name"`))},
		{name: "stdin nested 100,000 deep", words: []string{"deep"}, alter: feedsText(replace(`"touch canary"`, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)))},
		{name: "stdin with a second document", words: []string{"aoctl"}, alter: feedsText(func(p string) string { return p + p })},
		{name: "stdin of 64 MiB", words: []string{"larger than the limit", hint}, alter: feeds(func(w *world) io.Reader {
			before, after, _ := strings.Cut(payload(w), "canary")
			return io.MultiReader(strings.NewReader(before), io.LimitReader(letters{}, 64<<20), strings.NewReader(after))
		}), timeout: 2 * time.Second, slow: true},
		{name: "stdin never closed", words: []string{"did not finish sending its payload"}, alter: feeds(func(w *world) io.Reader {
			return blocked(w, payload(w))
		})},
		{name: "stdin never begun", words: []string{"did not finish sending its payload"}, alter: feeds(func(w *world) io.Reader { return blocked(w, "") })},
		{name: "stdin without an end", words: []string{hint}, alter: feeds(func(*world) io.Reader { return letters{} }), timeout: time.Second, slow: true},
	}
}

// letters never ends.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// blocked gives text and then nothing, without an end, until the world ends. It is a file
// of the system's, which a client gets as it is.
func blocked(w *world, text string) io.Reader {
	r, in, err := os.Pipe()
	if err != nil {
		return iotest.ErrReader(err)
	}
	w.atEnd(func() { _ = errors.Join(in.Close(), r.Close()) })
	if _, err = in.WriteString(text); err != nil { // it fits a pipe's buffer
		return iotest.ErrReader(err)
	}
	return r
}

// surroundings are environments, arguments and descriptors that are not as they should be.
func surroundings() []fault {
	none := func(names ...string) func(w *world, s *start) {
		return func(_ *world, s *start) {
			for _, name := range names {
				delete(s.env, name)
			}
		}
	}
	args := func(words ...string) func(w *world, s *start) {
		return generous(func(_ *world, s *start) { s.words = append(append([]string{}, s.client.words...), words...) })
	}
	env := func(name, value string) func(w *world, s *start) {
		return generous(func(_ *world, s *start) { s.env[name] = value })
	}
	return []fault{
		{name: "HOME unset", onlyBare: true, words: []string{"HOME is not set", "set HOME"}, alter: none("HOME", "AOCTL_HOME")},
		{name: "HOME not absolute", onlyBare: true, words: []string{"HOME is not set"}, alter: func(_ *world, s *start) { delete(s.env, "AOCTL_HOME"); s.env["HOME"] = "." }},
		{name: "no environment at all", onlyBare: true, words: []string{"HOME is not set"}, alter: none("HOME", "AOCTL_HOME", "PATH", "TMPDIR", "LANG")},
		{name: "control: TMPDIR and XDG unset", want: allow, alter: generous(none("TMPDIR"))},
		{name: "control: an empty PATH", want: allow, alter: env("PATH", "")},
		{name: "a timeout that is no number", onlyBare: true, words: []string{"is not a number of seconds", "correct or unset it"}, alter: generous(func(_ *world, s *start) {
			s.words = append(append([]string{}, s.client.words...), "claude")
			s.env["AGENT_ORCHESTRATOR_APPROVAL_TIMEOUT"] = "NaN"
		})},
		{name: "an unknown flag", onlyBare: true, words: []string{"unknown flag", "usage:"}, alter: args("claude", "--bogus")},
		{name: "an unknown agent", onlyBare: true, words: []string{"nosuchagent"}, alter: args("nosuchagent")},
		{name: "an agent's name that is a path", onlyBare: true, words: []string{"unknown agent"}, alter: args("../claude")},
		{name: "no arguments", onlyBare: true, words: []string{"the agent's name is missing", "usage:"}, alter: args()},
		{name: "--help", onlyBare: true, words: []string{"usage: aoctl hook"}, alter: args("--help")},
		{name: "--version", onlyBare: true, words: []string{"unknown flag"}, alter: args("--version")},
		{name: "stdout closed", words: []string{"stdout is closed"}, alter: wraps(`exec "$@" >&-`)},
		{name: "stdout full", words: []string{"no space left"}, alter: wraps(`exec "$@" >/dev/full`)},
		{name: "stdout closed, stderr closed", alter: muted(wraps(`exec "$@" >&- 2>&-`))},
		{name: "stdout full, stderr full", alter: muted(wraps(`exec "$@" >/dev/full 2>/dev/full`))},
		{name: "no console, stderr closed", alter: muted(func(_ *world, s *start) { s.wrap = `exec "$@" 2>&-` })},
		{name: "control: stderr closed", want: allow, alter: wraps(`exec "$@" 2>&-`)},
		{name: "all descriptors closed", alter: muted(wraps(`exec "$@" <&- >&- 2>&-`))},
		{name: "the working folder is gone", want: allow, alter: wraps(`mkdir gone && cd gone && rmdir ../gone && exec "$@"`)},
	}
}

func muted(alter func(w *world, s *start)) func(w *world, s *start) {
	return func(w *world, s *start) {
		alter(w, s)
		s.mute = true
	}
}
