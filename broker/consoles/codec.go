package consoles

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// maxOrder is the most that one message of a console may have, bytes. The largest is an edited
// call, whose input may have 1 MiB; a list of marked calls comes next.
const maxOrder = 4 << 20

// errTooLarge ends a connection.
var errTooLarge = errors.New("a message is too large")

// head goes before each message: an order, or what came of one.
type head struct {
	Seq    uint64 `json:"seq"`              // the order's number, which its answer has too
	Method string `json:"method,omitempty"` // of an order: "Calls.Decide"
}

// stream reads and writes messages. Several goroutines may send; one reads.
type stream struct {
	io.Closer
	in  *cbor.Decoder
	cap *capped // nil where the peer may send as much as it likes

	sending sync.Mutex
	buf     *bufio.Writer
	out     *cbor.Encoder
}

// capped ends a stream whose message goes on for too long.
type capped struct {
	io.Reader
	left int
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooLarge
	}
	n, err := c.Reader.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// encoding and decoding keep what is sent as it is: times to the nanosecond, JSON byte for byte, and
// texts that are no UTF-8, as names of files may be.
func encoding() cbor.EncMode {
	mode, err := cbor.EncOptions{Time: cbor.TimeRFC3339Nano, TimeTag: cbor.EncTagNone}.EncMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}

func decoding() cbor.DecMode {
	mode, err := cbor.DecOptions{MaxArrayElements: 1 << 20, MaxNestedLevels: 64, DupMapKey: cbor.DupMapKeyEnforcedAPF, UTF8: cbor.UTF8DecodeInvalid}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}

// newStream makes one. Where bounded is set, what comes in is an order, and no larger than one may be.
func newStream(conn io.ReadWriteCloser, bounded bool) *stream {
	s := &stream{Closer: conn, buf: bufio.NewWriter(conn)}
	var from io.Reader = conn
	if bounded {
		s.cap = &capped{Reader: conn}
		from = s.cap
	}
	s.in, s.out = decoding().NewDecoder(from), encoding().NewEncoder(s.buf)
	return s
}

// send writes both parts of a message at once.
func (s *stream) send(h head, body any) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := errors.Join(s.out.Encode(h), s.out.Encode(body)); err != nil {
		return err
	}
	return s.buf.Flush()
}

// next reads the first part of the next message, of at most so many bytes where the stream is bounded.
func (s *stream) next(most int) (h head, err error) {
	if s.cap != nil {
		s.cap.left = most
	}
	return h, s.in.Decode(&h)
}

// body reads the second part; nil leaves it out.
func (s *stream) body(into any) error {
	if into == nil {
		return s.in.Skip()
	}
	return s.in.Decode(into)
}

// Marshal is a value as messages have it.
func Marshal(v any) ([]byte, error) {
	raw, err := encoding().Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", v, err)
	}
	return raw, nil
}

// Unmarshal reads what Marshal wrote into v, which is a pointer.
func Unmarshal(raw []byte, v any) error {
	if err := decoding().Unmarshal(raw, v); err != nil {
		return fmt.Errorf("decode a %T: %w", v, err)
	}
	return nil
}
