// Package autostart keeps "aoctl serve" running: as a user unit of systemd, or as an agent of launchd on
// macOS.
//
// In go the program, its arguments and the environment that it needs; out comes a Service, whose file
// Write writes and Remove takes away. A file that a person edited is never lost: it is set aside. The
// package starts nothing by itself: Start and Stop are command lines for whoever asks.
//
// There is no socket for systemd to listen on. A hook takes answers only from the process that the lock
// file names, and until aoctl has started that would be systemd, so the first call would be refused.
package autostart

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/cli/state"
)

// label is what launchd calls the service.
const label = "io.github.aoctl.serve"

// kept are the variables of this environment that the service gets, where they are set: where things
// lie, and where its agents and commands are found.
var kept = []string{"PATH", "AOCTL_HOME", "AOCTL_SOCKET", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "LANG"}

// Service is one that starts with the user's login, or is to.
type Service struct {
	File  string     // that describes it
	Text  string     // what is in it
	Start [][]string // command lines that start it, and keep it for the next login
	Stop  [][]string // and those that end it; they come before Remove
	After [][]string // those that come after Remove

	runs string // what in Text names the program
}

// Of is the service that runs program with args. Errors: there is no home folder, or a text that the
// file cannot hold.
func Of(program string, args ...string) (Service, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Service{}, err
	}
	var env []string
	for _, name := range kept {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	words := append([]string{program}, args...)
	for _, text := range slices.Concat(words, env) {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return Service{}, fmt.Errorf("%q has characters that do not print", text)
		}
	}
	if runtime.GOOS == "darwin" {
		return launchd(home, words, env), nil
	}
	return systemd(home, words, env), nil
}

func systemd(home string, words, env []string) Service {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(home, ".config")
	}
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, inUnit(strings.ReplaceAll(w, "$", "$$")))
	}
	var b strings.Builder
	fmt.Fprint(&b, "[Unit]\nDescription=aoctl, the broker that coding agents ask\n\n[Service]\n")
	fmt.Fprintf(&b, "ExecStart=%s\n", strings.Join(quoted, " "))
	for _, kv := range env {
		fmt.Fprintf(&b, "Environment=%s\n", inUnit(kv))
	}
	// Whatever would be barred here would be barred for the agents that it starts, and they outlive it.
	fmt.Fprint(&b, "Restart=on-failure\nRestartSec=2\nKillMode=process\nOOMPolicy=continue\nLimitCORE=0\n\n[Install]\nWantedBy=default.target\n")
	ctl := func(args ...string) []string { return append([]string{"systemctl", "--user"}, args...) }
	return Service{
		File: filepath.Join(dir, "systemd", "user", "aoctl.service"), Text: signed("#", "", b.String()), runs: "ExecStart=" + quoted[0] + " ",
		Start: [][]string{ctl("daemon-reload"), ctl("enable", "--now", "aoctl.service")},
		Stop:  [][]string{ctl("disable", "--now", "aoctl.service")}, After: [][]string{ctl("daemon-reload")},
	}
}

// inUnit is a word as systemd reads it.
func inUnit(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(s) + `"`
}

func launchd(home string, words, env []string) Service {
	file := filepath.Join(home, "Library", "LaunchAgents", label+".plist")
	var b strings.Builder
	text := func(s string) string {
		var out bytes.Buffer
		_ = xml.EscapeText(&out, []byte(s)) // a buffer takes all
		return out.String()
	}
	fmt.Fprintf(&b, "<plist version=\"1.0\">\n<dict>\n\t<key>Label</key><string>%s</string>\n\t<key>ProgramArguments</key>\n\t<array>\n", label)
	for _, w := range words {
		fmt.Fprintf(&b, "\t\t<string>%s</string>\n", text(w))
	}
	fmt.Fprint(&b, "\t</array>\n\t<key>EnvironmentVariables</key>\n\t<dict>\n")
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		fmt.Fprintf(&b, "\t\t<key>%s</key><string>%s</string>\n", name, text(value))
	}
	fmt.Fprint(&b, "\t</dict>\n\t<key>RunAtLoad</key><true/>\n\t<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n\t<key>AbandonProcessGroup</key><true/>\n</dict>\n</plist>\n")
	domain := "gui/" + strconv.Itoa(os.Getuid())
	return Service{
		File: file, Text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + signed("<!--", " -->", b.String()), runs: "\t<string>" + text(words[0]) + "</string>\n",
		Start: [][]string{{"launchctl", "bootstrap", domain, file}},
		Stop:  [][]string{{"launchctl", "bootout", domain + "/" + label}},
	}
}

// mark begins the line that says who wrote the rest of the file, and what that was.
const mark = " aoctl wrote this; sha256 "

// signed is text below its mark, in a comment of the file's kind.
func signed(open, end, text string) string {
	sum := sha256.Sum256([]byte(text))
	return open + mark + hex.EncodeToString(sum[:]) + end + "\n" + text
}

// edited reports whether somebody else than Write wrote a file with this text.
func edited(text string) bool {
	_, rest, ok := strings.Cut(text, mark)
	line, body, whole := strings.Cut(rest, "\n")
	sum := sha256.Sum256([]byte(body))
	return !ok || !whole || !strings.HasPrefix(line, hex.EncodeToString(sum[:]))
}

// Written is what became of a Service's file.
type Written struct {
	Changed bool   // it is another one than before
	Aside   string // where the one lies that a person edited; "" when there was none
}

// Write writes the file.
func (s Service) Write() (w Written, err error) {
	old, err := os.ReadFile(s.File)
	if err == nil && string(old) == s.Text {
		return w, nil
	}
	if w.Aside, err = s.setAside(); err != nil {
		return w, err
	}
	if err = os.MkdirAll(filepath.Dir(s.File), 0o700); err != nil {
		return w, err
	}
	w.Changed = true
	return w, state.Replace(s.File, []byte(s.Text))
}

// Remove removes the file.
func (s Service) Remove() (w Written, err error) {
	if w.Aside, err = s.setAside(); err != nil || w.Aside != "" {
		w.Changed = err == nil
		return w, err
	}
	err = os.Remove(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	w.Changed = err == nil
	return w, err
}

// setAside moves a file away that a person edited, and says where to.
func (s Service) setAside() (to string, err error) {
	old, err := os.ReadFile(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil || !edited(string(old)) {
		return "", err
	}
	to = s.File + ".edited"
	return to, os.Rename(s.File, to)
}

// Installed reports whether there is a file, and whether it runs the program of s.
func (s Service) Installed() (there, same bool) {
	old, err := os.ReadFile(s.File)
	return err == nil, err == nil && strings.Contains(string(old), s.runs)
}

// Here reports whether this process is the service's.
func Here() bool {
	return os.Getenv("SYSTEMD_EXEC_PID") == strconv.Itoa(os.Getpid()) || os.Getenv("XPC_SERVICE_NAME") == label
}
