package story

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/aoctl/aoctl/broker"
)

// A line may hold a whole file that a tool gave back, so it can be long; one of more than
// maxTranscriptLine is left out and said to be.
const (
	transcriptPage    = 256 << 10 // bytes that are read at a time
	maxTranscriptLine = 8 << 20   // the longest line that is read
	markedBytes       = 256       // before a mark
)

// FileMark tells whether a file is still the one that it was, and not another that took
// its place, or its name, or was written over it. A file that was written over in place keeps its
// inode, so bytes are looked at too.
type FileMark struct {
	Dev uint64 `json:"dev"`
	Ino uint64 `json:"ino"`
	At  int64  `json:"at"`  // offset
	Sum uint64 `json:"sum"` // over the bytes before it
}

// transcriptFile is an open transcript.
type transcriptFile struct {
	*os.File
	size     int64
	dev, ino uint64
}

// filePart is what was read: whole lines.
type filePart struct {
	lines    []byte
	from, to int64
	atEnd    bool // no whole line comes after it
	leftOut  int  // bytes of a line that is too long; it is where lines are missing
}

// openTranscript opens what a hook named. A FIFO or a device must not hold it up, and a link is
// not followed. Errors are ErrNoTranscript with a reason, or the file's. The path is the agent's
// word, so nothing but a plain file of this user is read.
func openTranscript(path string) (*transcriptFile, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("%w: its agent named none", broker.ErrNoTranscript)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0) //nolint:gosec // G304: what the hook named; it is looked at before it is read
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: there is no such file", broker.ErrNoTranscript)
	case errors.Is(err, syscall.ELOOP):
		return nil, fmt.Errorf("%w: it is a link", broker.ErrNoTranscript)
	case err != nil:
		return nil, fmt.Errorf("open: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look at it: %w", err), f.Close())
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.Join(fmt.Errorf("%w: it is no regular file", broker.ErrNoTranscript), f.Close())
	case !ok || int(owner.Uid) != os.Getuid():
		return nil, errors.Join(fmt.Errorf("%w: the file is another user's", broker.ErrNoTranscript), f.Close())
	}
	return &transcriptFile{File: f, size: info.Size(), dev: uint64(owner.Dev), ino: owner.Ino}, nil //nolint:unconvert // of another type elsewhere
}

// crcTable is that of the sums in a FileMark. A checksum is enough here: a forged file only shows
// the agent's own words, which it could write anyway.
var crcTable = crc64.MakeTable(crc64.ECMA)

// mark is the state of the file before an offset.
func (f *transcriptFile) mark(at int64) (FileMark, error) {
	m := FileMark{Dev: f.dev, Ino: f.ino, At: at}
	b, err := f.bytes(max(0, at-markedBytes), at)
	if err == nil {
		m.Sum = crc64.Checksum(b, crcTable)
	}
	return m, err
}

// still reports whether have is a stretch of f as it is now. f is nil for no file.
func (f *transcriptFile) still(have TranscriptSpan) bool {
	if f == nil {
		return have.File == FileMark{}
	}
	if have.File.Dev != f.dev || have.File.Ino != f.ino || have.From < 0 || have.From > have.To || max(have.To, have.File.At) > f.size || have.File.At < 0 {
		return false
	}
	// The same bytes before the same place: then what follows it is new.
	m, err := f.mark(have.File.At)
	return err == nil && m == have.File
}

// bytes reads [from, to), or less where the file has become shorter. The file may be cut while it
// is read, which is no error here.
func (f *transcriptFile) bytes(from, to int64) ([]byte, error) {
	b, err := io.ReadAll(io.NewSectionReader(f, from, to-from))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return b, nil
}

// before reads the last whole lines that end at an offset, or before it. The window grows until a
// whole line is in it. A mark in the middle of a line is no harm: what is behind the last line's
// end is left for later.
func (f *transcriptFile) before(end int64) (filePart, error) {
	// Most lines are short, so the first read is enough nearly always.
	for size := int64(transcriptPage); ; size *= 4 {
		from := max(0, end-size)
		b, err := f.bytes(from, end)
		if err != nil {
			return filePart{}, err
		}
		p := filePart{from: from, to: from + int64(len(b)), atEnd: end == f.size}
		if from > 0 { // the first line may be a part of one
			i := bytes.IndexByte(b, '\n') + 1
			if i > 0 && i < len(b) {
				p.from, b = p.from+int64(i), b[i:]
			} else if size < maxTranscriptLine {
				continue
			} else {
				p.leftOut = len(b)
				return p, nil
			}
		}
		n := wholeLines(b)
		p.lines, p.to = b[:n], p.from+int64(n)
		if n == 0 && p.from > 0 && size < maxTranscriptLine {
			continue // nothing but the beginning of a line
		}
		return p, nil
	}
}

// after reads the first whole lines that begin at an offset, or after it. At the end of the file
// a last line without an end is taken when it is whole JSON, as the agent may not write another
// one.
func (f *transcriptFile) after(begin int64) (filePart, error) {
	begin, err := f.nextLine(begin)
	if err != nil {
		return filePart{}, err
	}
	for size := int64(transcriptPage); ; size *= 4 {
		b, err := f.bytes(begin, min(begin+size, f.size))
		if err != nil {
			return filePart{}, err
		}
		p := filePart{from: begin, to: begin + int64(len(b)), atEnd: begin+size >= f.size}
		n := bytes.LastIndexByte(b, '\n') + 1
		// Only there a last line may be whole without its end.
		if p.atEnd {
			n = wholeLines(b)
		}
		switch {
		case n > 0 || p.atEnd:
			p.lines, p.to = b[:n], begin+int64(n)
			return p, nil
		case size >= maxTranscriptLine:
			p.leftOut = len(b)
			return p, nil
		}
	}
}

// nextLine is where the first line begins at an offset or after it, as far as that is
// near: the offset may be in a line that was left out.
func (f *transcriptFile) nextLine(at int64) (int64, error) {
	if at == 0 {
		return 0, nil
	}
	b, err := f.bytes(at-1, min(at+transcriptPage, f.size))
	if err != nil || len(b) < 2 || b[0] == '\n' || b[1] == '\n' {
		return at, err
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return at + int64(i), nil
	}
	return at + int64(len(b)) - 1, nil
}

// wholeLines is how many bytes the whole lines at the beginning of b have. A last line
// without an end counts when it is whole.
func wholeLines(b []byte) int {
	n := bytes.LastIndexByte(b, '\n') + 1
	if rest := b[n:]; len(rest) > 0 && json.Valid(rest) {
		return len(b)
	}
	return n
}
