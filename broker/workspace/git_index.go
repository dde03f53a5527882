package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// gitIndex is what git's list of the files that it keeps is read for.
type gitIndex struct {
	names      []string    // of all files, with slashes
	stats      []indexStat // of each of these
	submodules []string    // folders with a repository of their own
}

// indexStat is what git saw of a file when it last compared it with what it keeps.
type indexStat struct {
	changed, modified [2]uint32 // times: seconds and nanoseconds
	size              uint32
	whole             bool // git keeps the content; it is no conflict, not only announced, not taken on trust
}

// Limits of an index: bytes, and names that are submodules.
const (
	maxIndex = 32 << 20
	headSize = 12
)

// errIndex is the only error of the format: which part is wrong helps nobody.
var errIndex = errors.New("not an index of git as aoctl knows it")

// readGitIndex reads a repository's index, in the formats 2 to 4 with either kind of hash. One
// that is not there is empty. One that is split or too large is an error. Source: git's
// documentation of the index format (gitformat-index).
func readGitIndex(path string) (gitIndex, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gitIndex{}, nil
	case err != nil:
		return gitIndex{}, err
	case !info.Mode().IsRegular() || info.Size() > maxIndex:
		return gitIndex{}, errIndex
	}
	file, err := os.Open(path) //nolint:gosec // G304: git's own files are what this is about
	if err != nil {
		return gitIndex{}, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxIndex+1))
	if err != nil {
		return gitIndex{}, err
	}
	// SHA-1 or SHA-256: the file does not say which, but only one of them comes out even.
	for _, hash := range []int{20, 32} {
		if index, err := parseGitIndex(data, hash); err == nil {
			return index, nil
		}
	}
	return gitIndex{}, errIndex
}

// parseGitIndex reads an index whose hashes have that many bytes. The sum at the end is not
// checked: git would refuse what is damaged, and any names that can be read are looked at.
func parseGitIndex(data []byte, hash int) (gitIndex, error) {
	var index gitIndex
	if len(data) < headSize+hash || string(data[:4]) != "DIRC" {
		return index, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), int(binary.BigEndian.Uint32(data[8:]))
	rest := data[headSize : len(data)-hash]
	// A count that cannot be true would only make the loop long.
	if version < 2 || version > 4 || count > len(rest)/hash {
		return index, errIndex
	}
	name := ""
	for range count {
		mode, size, next, err := indexEntry(rest, hash, version, name)
		if err != nil {
			return index, err
		}
		stat := indexStatOf(rest, hash)
		name, rest = next, rest[size:]
		if mode == gitlink {
			index.submodules = append(index.submodules, name)
		} else {
			index.names, index.stats = append(index.names, name), append(index.stats, stat)
		}
	}
	return index, plainExtensions(rest)
}

// gitlink is the mode of a submodule's entry.
const gitlink = 0o160000

// indexEntry reads the entry that data begins with: its mode, its size and its name.
// before is the name of the one before it, which format 4 shares the beginning of.
func indexEntry(data []byte, hash int, version uint32, before string) (mode uint32, size int, name string, err error) {
	const numbers = 40 // bytes before the hash
	at := numbers + hash + 2
	if len(data) < at {
		return 0, 0, "", errIndex
	}
	mode = binary.BigEndian.Uint32(data[24:])
	if version >= 3 && data[at-2]&0x40 != 0 {
		at += 2 // more flags
	}
	kept := 0
	if version == 4 {
		drop, n := indexNumber(data[min(at, len(data)):])
		if kept = len(before) - drop; n == 0 || kept < 0 || kept > len(before) {
			return 0, 0, "", errIndex
		}
		at += n
	}
	end := bytes.IndexByte(data[min(at, len(data)):], 0)
	if end < 0 {
		return 0, 0, "", errIndex
	}
	name, size = before[:kept]+string(data[at:at+end]), at+end+1
	if version < 4 {
		size = (at + end + 8) &^ 7
	}
	if size > len(data) || mode&0o170000 == 0 || name == "" {
		return 0, 0, "", errIndex
	}
	return mode, size, name, nil
}

// indexStatOf is the stat of the entry that data begins with, which indexEntry has read.
func indexStatOf(data []byte, hash int) indexStat {
	at := func(n int) uint32 { return binary.BigEndian.Uint32(data[n:]) }
	// Beside the length of the name there is a stage, a bit for files taken on trust, and one for more flags.
	flags := binary.BigEndian.Uint16(data[40+hash:]) &^ 0x0fff
	return indexStat{changed: [2]uint32{at(0), at(4)}, modified: [2]uint32{at(8), at(12)}, size: at(36), whole: flags == 0}
}

// indexNumber reads a number of variable length and how many bytes it has; 0 bytes when it is
// none. More than five bytes would be no length of a name.
func indexNumber(data []byte) (value, bytes int) {
	for i, b := range data[:min(5, len(data))] {
		if i > 0 {
			value++
		}
		value = value<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

// plainExtensions refuses an index that keeps its names in another file.
func plainExtensions(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return errIndex
		}
		size := int(binary.BigEndian.Uint32(data[4:]))
		if string(data[:4]) == "link" || size > len(data)-8 {
			return errIndex
		}
		data = data[8+size:]
	}
	return nil
}
