package vet

import (
	"encoding/binary"
	"errors"
	"io"
)

// What passes between console and guard: first the guard's hello, then for each text a
// frame there and an answer back. All numbers are 32 bits, little endian.
//
//	frame:  length of the rest · kind · for each field its length and its bytes
//	answer: one byte
const hello = "aoctl parse guard 1\n"

// maxFrame is more than any call or rules file that the broker takes, in bytes.
const maxFrame = 32 << 20

// The answers.
const (
	answerRead    = 'r' // came through
	answerLegible = 'l' // came through, and has a command line that can be read
	answerFailed  = 'x' // a reader panicked
)

var errFrame = errors.New("malformed frame")

// appendFrame appends t's frame to b, which may be nil.
func appendFrame(b []byte, t text) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0, t.kind)
	for _, f := range t.fields {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(f))) //nolint:gosec // G115: no field is larger than a body
		b = append(b, f...)
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4)) //nolint:gosec // G115: as above
	return b
}

// readFrame reads one frame into buf, which it returns for the next one. io.EOF means that the
// other side is gone; any other error that it speaks another language. The fields are copies.
func readFrame(r io.Reader, buf []byte) (text, []byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return text{}, buf, err
	}
	n := int(binary.LittleEndian.Uint32(head[:]))
	if n < 1 || n > maxFrame {
		return text{}, buf, errFrame
	}
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := io.ReadFull(r, buf); err != nil {
		return text{}, buf, err
	}
	t := text{kind: buf[0]}
	for rest := buf[1:]; len(rest) > 0; {
		if len(rest) < 4 {
			return text{}, buf, errFrame
		}
		size := int(binary.LittleEndian.Uint32(rest))
		if rest = rest[4:]; size > len(rest) {
			return text{}, buf, errFrame
		}
		t.fields = append(t.fields, string(rest[:size]))
		rest = rest[size:]
	}
	return t, buf, nil
}
