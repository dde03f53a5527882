package hookclient

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// Sizes of the pieces in which stdin is read, in bytes. The first fits nearly every
// payload; later ones double, so that a large one is copied only once.
const (
	firstPiece = 16 << 10
	maxPiece   = 1 << 20
)

// readPayload reads the agent's JSON to the end of r. Beyond limit bytes it keeps
// reading and forgets, up to drain bytes, because an agent whose write fails may
// count the hook as broken and run the call.
//
// Only the cheap things are looked at here; what the JSON says is the broker's matter.
//
// Errors are ErrInput. A payload that is refused here was read to its end all the same, as far as
// drain goes.
func readPayload(r io.Reader, limit, drain int) ([]byte, error) {
	var full [][]byte
	piece, size := make([]byte, 0, firstPiece), 0
	for {
		if len(piece) == cap(piece) {
			full = append(full, piece)
			piece = make([]byte, 0, min(2*cap(piece), maxPiece))
		}
		n, err := r.Read(piece[len(piece):cap(piece)])
		piece = piece[:len(piece)+n]
		size += n
		switch {
		case size > limit:
			return nil, tooLarge(r, limit, drain-size)
		case errors.Is(err, io.EOF):
			if len(full) > 0 {
				piece = bytes.Join(append(full, piece), nil)
			}
			return piece, nil
		case err != nil:
			return nil, badPayload("stdin cannot be read: "+err.Error(), err)
		}
	}
}

// tooLarge reads what is left and throws it away.
func tooLarge(r io.Reader, limit, drain int) error {
	// The payload is refused whatever else comes, so a read error changes nothing.
	_, _ = io.CopyBuffer(io.Discard, onlyReader{io.LimitReader(r, int64(max(drain, 0)))}, make([]byte, 64<<10))
	return badPayload("the hook payload is larger than the limit of "+strconv.Itoa(limit>>20)+" MiB", nil)
}

// onlyReader hides every method but Read, so that CopyBuffer uses our buffer.
type onlyReader struct{ io.Reader }

// looksLikeObject refuses what cannot be a payload, by its first character. The broker reads the
// rest, strictly.
func looksLikeObject(payload []byte) error {
	text := bytes.TrimLeft(payload, " \t\r\n")
	switch {
	case len(text) == 0:
		return badPayload("the agent sent nothing on stdin", nil)
	case text[0] == '{':
		return nil
	case text[0] == '[':
		return badPayload("the hook payload is a JSON array, not an object", nil)
	default:
		return badPayload("the hook payload is not a JSON object", nil)
	}
}

// badPayload names the payload as the cause, and the most frequent reason: somebody ran the hook
// by hand.
func badPayload(text string, cause error) error {
	return &refusalError{kind: ErrInput, text: text, hint: "run this only as an agent's hook, with its JSON on stdin", cause: cause}
}
