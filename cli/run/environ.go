package run

// The environment that a managed session was started with is kept in a file of the user's,
// beside the session's log: what was allowed for one account must not run for another
// because somebody else's shell resumed the session. Console and log know the names of its
// variables, and a seal: a hash of the file, which begins with random bytes so that no
// value can be guessed from it. A file that does not fit the seal is not used.
//
// Shape: saltSize random bytes, then NAME=value after NAME=value, each ended by a NUL.

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/hookclient/runner"
)

// The environment that a managed session was started with is kept in a file of the user's,
// beside the session's log: what was allowed for one account must not run for another because
// somebody else's shell resumed the session. Console and log know the names of its variables,
// and a seal: a hash of the file, which begins with random bytes so that no value can be
// guessed from it. A file that does not fit the seal is not used.
//
// Shape: saltSize random bytes, then NAME=value after NAME=value, each ended by a NUL.

const (
	saltSize   = 32
	maxRunEnv  = 8 << 20 // bytes of the file
	envSuffix  = ".env"
	maxEnvTold = 500 // names that are told to the console, and 256 bytes of each
)

// Why the environment of an earlier start cannot be used. Both go on with "the environment
// …".
var (
	errEnvGone    = errors.New("is gone")
	errEnvChanged = errors.New("was changed by another program")
)

// envFileOf is where the environment with this seal is kept, of the session with this log.
// Each start has a file of its own, so that one that comes to nothing takes no other's
// place. seal may be of any length, also "".
func envFileOf(log, seal string) string {
	return strings.TrimSuffix(log, ".log") + "-" + seal[:min(len(seal), 16)] + envSuffix
}

// keepEnv keeps env for the session with this log, and returns its seal. The file is whole
// or not there. Values such as tokens are in it, so nobody else may read it.
func keepEnv(log string, env []string) (seal string, err error) {
	text := make([]byte, saltSize)
	// The salt is in the seal too, so a seal says nothing about a value that somebody might
	// guess.
	_, _ = rand.Read(text) // never fails
	text = append(text, joinEnv(env)...)
	seal = sealOf(text)
	f, err := os.CreateTemp(filepath.Dir(log), ".new-*"+envSuffix) // 0600
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(f.Name()) }() // renamed by then, or of no use
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", err
	}
	return seal, os.Rename(f.Name(), envFileOf(log, seal))
}

// sealOf is the SHA-256 of a file's bytes, in hex.
func sealOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// keptEnv reads what keepEnv wrote. Errors: errEnvGone, errEnvChanged, the system's. A link
// or a pipe in the file's place is an error, and a file that is too long does not fit its
// seal.
func keptEnv(path, seal string) ([]string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) //nolint:gosec // G304: our own file
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errEnvGone
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxRunEnv))
	switch {
	case err != nil:
		return nil, err
	case len(text) < saltSize || sealOf(text) != seal:
		return nil, errEnvChanged
	}
	return splitEnv(text[saltSize:]), nil
}

// joinEnv writes env as it is kept and handed on. No name and no value holds a NUL.
func joinEnv(env []string) []byte {
	var text []byte
	for _, kv := range env {
		text = append(append(text, kv...), 0)
	}
	return text
}

// splitEnv reads what joinEnv wrote. It is never nil: that would mean our own, as os/exec
// takes it.
func splitEnv(text []byte) []string {
	env := []string{}
	for kv := range bytes.SplitSeq(text, []byte{0}) {
		if len(kv) > 0 {
			env = append(env, string(kv))
		}
	}
	return env
}

// withEnv decides with which environment the agent of s is started: here is this process's,
// and asNow says that the user named the agent in this very shell, whose environment it
// then gets. Otherwise it gets the one of its last start.
//
// old is nil for a new session. The environment that was decided on is kept again, under a
// new seal, and s carries it from here on. How it differs is for the screen.
func (s *spec) withEnv(old *broker.Run, asNow bool, here []string) error {
	mine := runner.AgentEnv(here)
	env := mine
	// A session of an earlier release has no seal, and gets this shell's environment.
	if old != nil && old.EnvSeal != "" {
		path := envFileOf(old.Log, old.EnvSeal)
		kept, err := keptEnv(path, old.EnvSeal)
		switch {
		case asNow:
			s.Start.EnvDiffers = differences(old.EnvNames, kept, mine)
		// Starting with another environment would run the session's allowed calls for
		// another account.
		case err != nil:
			return envLost(s.Start.SessionID, path, err, missingNames(old.EnvNames, mine))
		default:
			env = withOurs(kept, mine)
		}
	}
	var err error
	if s.Start.EnvSeal, err = keepEnv(s.Start.Log, env); err != nil {
		return exit.Error{
			Code: exit.Failed, Text: fmt.Sprintf("the session's environment cannot be kept in %s: %v", filepath.Dir(s.Start.Log), exit.RootCause(err)),
			Hint: "make room, or name another state folder with AOCTL_HOME", Cause: err,
		}
	}
	s.Env, s.Start.EnvNames = joinEnv(env), namesOf(env)
	return nil
}

// envLost is the error for an environment that is gone or changed. It names the variables
// that this shell lacks, and how to go on with what it has.
func envLost(session, path string, err error, missing []string) error {
	text := fmt.Sprintf("the environment that this session was started with %v (%s)", exit.RootCause(err), path)
	if len(missing) > 0 {
		text += "; missing here: " + strings.Join(missing, ", ")
	}
	return exit.Error{
		Code: exit.Failed, Text: text, Cause: err,
		Hint: fmt.Sprintf(`start it from a shell that has what it needs: aoctl run --resume --session-id %s -- claude "go on"`, session),
	}
}

// withOurs is kept with those variables of aoctl's own that are set now: they say where the
// console is, and what is asked of it, and not for whom the agent works.
func withOurs(kept, now []string) []string {
	ours := func(kv string) bool { return strings.HasPrefix(kv, "AOCTL_") }
	env := slices.DeleteFunc(slices.Clone(kept), ours)
	for _, kv := range now {
		if ours(kv) {
			env = append(env, kv)
		}
	}
	return env
}

// ofTheShell are variables that differ from one terminal to the next, and say nothing of
// what an agent may reach. Telling of them would hide the differences that matter.
var ofTheShell = []string{
	"_", "COLUMNS", "LINES", "OLDPWD", "SHLVL", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "TERM", "TERM_PROGRAM",
	"TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "TMUX", "TMUX_PANE", "WINDOWID",
}

// namesOf are the names of env that the console is told, sorted, each once. Values never
// leave the file.
func namesOf(env []string) []string {
	names := make([]string, 0, len(env))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(ofTheShell, name) && !strings.HasPrefix(name, "AOCTL_") && plainEnvName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxEnvTold)]
}

// plainEnvName reports whether a name may be told: of a sane length and without control
// characters.
func plainEnvName(s string) bool {
	return s != "" && len(s) <= 256 && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f })
}

// missingNames are those of names that env has not.
func missingNames(names, env []string) []string {
	have := namesOf(env)
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(have, n) })
}

// differences names the variables that are in one of both environments only, and, where the
// earlier one is known, those with another value. names is what the console knows of the
// earlier one; before is nil when its file is gone or changed.
func differences(names, before, now []string) []string {
	differ := append(missingNames(names, now), missingNames(namesOf(now), equalsSigns(names))...)
	if before != nil {
		for _, kv := range now {
			// Only names that the console knows of can be told to differ in value; values
			// are never printed.
			if name, _, _ := strings.Cut(kv, "="); slices.Contains(names, name) && !slices.Contains(before, kv) {
				differ = append(differ, name)
			}
		}
	}
	slices.Sort(differ)
	return slices.Compact(slices.DeleteFunc(differ, func(n string) bool { return slices.Contains(ofTheShell, n) }))
}

// equalsSigns makes an environment of names, so that namesOf can read it.
func equalsSigns(names []string) []string {
	env := make([]string, len(names))
	for i, n := range names {
		env[i] = n + "="
	}
	return env
}
