package hooks

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// A custom command or a skill is a text. Shell commands in it run while its agent reads it
// in, and hooks that its head names run later: no hook is asked for either. What the model
// calls for is a call like any other; for what the user types, the agent asks before it
// reads the text. A text in which nothing is to run needs no answer of the operator's.

const maxSlashText = 256 << 10 // bytes of a text that is looked at

// Slash looks at the text that h asks for. It returns h with what is known of the text as
// the call's input, and whether the operator is to be asked. Errors: ErrTooLong.
//
// What cannot be found out (another machine, no such file, a text that changed) is written into
// the input as Unknown, and the operator is asked.
func (hs *Hooks) Slash(h agents.Hook, a Asker) (agents.Hook, bool, error) {
	if h.Slash.Own() {
		return h, false, nil
	}
	in := agents.SlashInput{Typed: h.Slash.Command, Source: h.Slash.Source}
	switch {
	case a.TCP != nil && len(peers.HoldersOf(*a.TCP)) == 0:
		in.Unknown = "its text lies on another machine"
	default:
		since, off := hs.slashSession(h.SessionID, a.Agent)
		readSlash(&in, h, slashFolders(h, a), since, a.Project)
		if off {
			in.Runs = nil // the runner has switched them off
		}
	}
	if len(in.Files) > 0 && len(in.Runs) == 0 && in.Head == "" && in.Unknown == "" {
		return h, false, nil
	}
	if h.ToolInput = in.JSON(); len(h.ToolInput) > wire.MaxBody {
		return h, true, refusal{ErrTooLong, "the text of " + h.Slash.Name + " is longer than a call may be"}
	}
	return h, true, nil
}

// firstRead is how long after its start an agent has surely read nothing yet: the start is
// told in clock ticks, and the file system's clock is coarse. A text that changed within that
// time counts as changed before the agent read it.
const firstRead = 50 * time.Millisecond

// slashSession says since when a session's agent may have read its texts, and whether it
// was told to run none of the commands in them. The process tells it best: a session may be
// one of several in it, or have been heard of late.
func (hs *Hooks) slashSession(id string, agent broker.Process) (since time.Time, off bool) {
	if s, ok := hs.o.View.Session(id); ok {
		since, off = s.StartedAt, s.Run.Running()
	}
	if age, ok := hs.o.Age(agent); ok {
		since = time.Now().Add(firstRead - age)
	}
	return since, off
}

// readSlash fills in what the files say in which the text may stand: all of them, where
// several could be meant. A later doubt replaces an earlier one: the card has room for one
// sentence.
func readSlash(in *agents.SlashInput, h agents.Hook, folders []string, since time.Time, project string) {
	var heads []string
	for _, file := range slashFiles(h.Slash.Name, folders) {
		text, changed, err := readSlashText(file)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		in.Files = append(in.Files, file)
		if err != nil {
			in.Unknown = "its text cannot be read: " + err.Error()
			continue
		}
		if h.Slash.Source == "projectSettings" && in.Unknown == "" {
			in.Unknown = slashDoubt(file, text, folders)
		}
		switch {
		case since.IsZero():
			in.Unknown = "it is not known when the session began, and the agent may have read an earlier text"
		case !changed.Before(since):
			in.Unknown = "its text has changed since the session began, and the agent may have read the earlier one"
		}
		if strings.Contains(file+h.CWD+project, "`") {
			in.Unknown = "the name of its folder may be taken for a command"
		}
		runs, head := agents.TextRuns(text)
		in.Runs = append(in.Runs, runs...)
		if head != "" {
			heads = append(heads, head)
		}
	}
	in.Head = strings.Join(heads, "\n---\n")
	if len(in.Files) == 0 {
		in.Unknown = "its text was not found"
	}
}
