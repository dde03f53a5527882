package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
)

// TranscriptMark is the state of a transcript's file when it was read. The zero mark is
// that of no file.
type TranscriptMark struct {
	Size int64
	At   time.Time // its modification
}

// Transcript is the end of what an agent wrote down of its session.
type Transcript struct {
	Path string
	Mark TranscriptMark
	From int64 // where in the file the part begins; 0 when all of it was read
	Same bool  // the file is as it was at the caller's mark, so Said is empty
	Said []Said
}

// Said is one part of a transcript.
type Said = agents.Said

// maxTranscript is how much of a transcript's end is read, bytes.
const maxTranscript = 256 << 10

// Transcript reads the end of a session's transcript; see Console. The path is what the
// agent's hook said, so nothing but a regular file of our own user is read.
func (b *Broker) Transcript(ctx context.Context, sessionID string, seen TranscriptMark) (Transcript, error) {
	s, err := b.Session(ctx, sessionID)
	if err != nil {
		return Transcript{}, err
	}
	t := Transcript{Path: s.Transcript}
	if !filepath.IsAbs(s.Transcript) {
		return t, fmt.Errorf("transcript of %s: %w", clip(sessionID), ErrNoTranscript)
	}
	tail, err := t.read(seen)
	if err != nil {
		return t, fmt.Errorf("transcript of %s: %w", clip(sessionID), err)
	}
	t.Said = agents.ReadTranscript(tail)
	return t, nil
}

// read takes the whole lines of the file's last part. A FIFO or a device must not hold
// it up, and a link is not followed.
func (t *Transcript) read(seen TranscriptMark) ([]byte, error) {
	f, err := os.OpenFile(t.Path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: there is no such file", ErrNoTranscript)
	case errors.Is(err, syscall.ELOOP):
		return nil, fmt.Errorf("%w: it is a link", ErrNoTranscript)
	case err != nil:
		return nil, fmt.Errorf("open: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at it: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: it is no regular file", ErrNoTranscript)
	case !ok || int(owner.Uid) != os.Getuid():
		return nil, fmt.Errorf("%w: the file is another user's", ErrNoTranscript)
	}
	t.Mark = TranscriptMark{Size: info.Size(), At: info.ModTime()}
	if t.Mark == seen {
		t.Same = true
		return nil, nil
	}
	t.From = max(0, info.Size()-maxTranscript)
	tail, err := io.ReadAll(io.NewSectionReader(f, t.From, maxTranscript))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if i := bytes.IndexByte(tail, '\n'); t.From > 0 && i >= 0 && i+1 < len(tail) { // the first line is a part of one
		t.From, tail = t.From+int64(i+1), tail[i+1:]
	}
	return tail, nil
}
