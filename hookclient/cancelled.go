package hookclient

import (
	"bytes"
	"io"
	"os"
	"syscall"

	"github.com/aoctl/aoctl/hookclient/profile"
)

// errGivenUp: nobody wants the answer any more, and the console cannot see it.
var errGivenUp = error(&refusalError{kind: ErrStopped, text: "the agent's user cancelled the call before there was an answer"})

// Gemini CLI and Qwen Code tell a hook nothing when their user gives up the call that it
// decides (Esc): it waits on, for nobody. What they do is write it to the session's
// transcript. A quote inside a text has a backslash there, so no text of the agent's has
// these words. The parameters of its calls may have them, as they are written as they came,
// and so may what writes the file itself: either has the agent's own calls refused, and
// allows none.
// Source: runs of Gemini CLI 0.61.0 and Qwen Code 0.24.4.
func cancelledWords(agent string, payload []byte) string {
	given := profile.Of(agent).GivenUp
	if given == nil {
		return ""
	}
	return given(member(payload, "tool_call_id"))
}

// maxRead is how much of a transcript one look takes in.
const maxRead = 1 << 20

// transcript is what an agent writes about its session. It belongs to the goroutine that watches,
// once it was handed over.
type transcript struct {
	path  string
	at    int64 // the first byte that was not looked at; lines before it are whole
	words []byte
}

// follow has w notice from now on that the user gave up the call of payload. Only what is written
// from now on counts: an earlier call of the session may have been given up.
func (w *parentWatch) follow(agent string, payload []byte) {
	words := cancelledWords(agent, payload)
	if words == "" {
		return
	}
	path := textMember(payload, "transcript_path")
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		w.transcript.Store(&transcript{path: path, at: info.Size(), words: []byte(words)})
	}
}

// cancelled looks at what was written since the last look. What cannot be read says nothing.
func (t *transcript) cancelled() bool {
	// A file that has not grown costs one look and no read.
	if info, err := os.Stat(t.path); err != nil || !info.Mode().IsRegular() || info.Size() <= t.at {
		return false
	}
	f, err := os.OpenFile(t.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that took its place must not block
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.NewSectionReader(f, t.at, maxRead))
	if err != nil {
		return false
	}
	if bytes.Contains(b, t.words) {
		return true
	}
	// The words may lie across the end of what was read, in a line that is still being written.
	if whole := bytes.LastIndexByte(b, '\n') + 1; whole > 0 || len(b) < maxRead {
		b = b[:whole] // the rest is looked at again, with its end
	}
	t.at += int64(len(b))
	return false
}
