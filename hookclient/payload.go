package hookclient

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// firstRead fits nearly every payload, so that one buffer is enough.
const firstRead = 16 << 10

// readPayload reads the agent's JSON to the end of r. Beyond limit bytes it keeps
// reading and forgets, up to drain bytes, because an agent whose write fails may
// count the hook as broken and run the call.
//
// Only the cheap things are looked at here; what the JSON says is the broker's matter.
func readPayload(r io.Reader, limit, drain int) ([]byte, error) {
	buf := make([]byte, 0, firstRead)
	for {
		if len(buf) == cap(buf) {
			if len(buf) > limit {
				return nil, tooLarge(r, limit, drain-len(buf))
			}
			grown := make([]byte, len(buf), min(2*cap(buf), limit+1))
			copy(grown, buf)
			buf = grown
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if len(buf) > limit {
			return nil, tooLarge(r, limit, drain-len(buf))
		}
		if errors.Is(err, io.EOF) {
			return buf, looksLikeObject(buf)
		}
		if err != nil {
			return nil, badPayload("stdin cannot be read: "+err.Error(), err)
		}
	}
}

func tooLarge(r io.Reader, limit, drain int) error {
	// The payload is refused whatever else comes, so a read error changes nothing.
	_, _ = io.CopyBuffer(io.Discard, onlyReader{io.LimitReader(r, int64(max(drain, 0)))}, make([]byte, 64<<10))
	return badPayload("the hook payload is larger than the limit of "+strconv.Itoa(limit>>20)+" MiB", nil)
}

// onlyReader hides every method but Read, so that CopyBuffer uses our buffer.
type onlyReader struct{ io.Reader }

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

func badPayload(text string, cause error) error {
	return &refusal{kind: ErrInput, text: text, hint: "run this only as an agent's hook, with its JSON on stdin", cause: cause}
}
