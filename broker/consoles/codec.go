package consoles

import (
	"bufio"
	"errors"
	"io"
	"net/rpc"

	"github.com/fxamacker/cbor/v2"
)

// maxOrder is the most that one message of a console may have, bytes. The largest is an edited
// call, whose input may have 1 MiB; a list of marked calls comes next.
const maxOrder = 4 << 20

// errTooLarge ends a connection.
var errTooLarge = errors.New("a message is too large")

// stream reads and writes messages: a header of net/rpc, then the body.
type stream struct {
	io.Closer
	in  *cbor.Decoder
	cap *capped // nil where the peer may send as much as it likes
	buf *bufio.Writer
	out *cbor.Encoder
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

// encoding and decoding keep what is sent as it is: times to the nanosecond, JSON byte for byte.
func encoding() cbor.EncMode {
	mode, err := cbor.EncOptions{Time: cbor.TimeRFC3339Nano, TimeTag: cbor.EncTagNone}.EncMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}

func decoding() cbor.DecMode {
	mode, err := cbor.DecOptions{MaxArrayElements: 1 << 20, MaxNestedLevels: 64, DupMapKey: cbor.DupMapKeyEnforcedAPF}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}

func newStream(conn io.ReadWriteCloser, most int) *stream {
	s := &stream{Closer: conn, buf: bufio.NewWriter(conn)}
	var from io.Reader = conn
	if most > 0 {
		s.cap = &capped{Reader: conn, left: most}
		from = s.cap
	}
	s.in, s.out = decoding().NewDecoder(from), encoding().NewEncoder(s.buf)
	return s
}

// send writes both parts of a message at once. net/rpc sends one message at a time.
func (s *stream) send(head, body any) error {
	if err := errors.Join(s.out.Encode(head), s.out.Encode(body)); err != nil {
		return err
	}
	return s.buf.Flush()
}

// body reads the second part of a message; nil leaves it out.
func (s *stream) body(into any) error {
	if into == nil {
		return s.in.Skip()
	}
	return s.in.Decode(into)
}

// serverCodec is the broker's end.
type serverCodec struct {
	*stream
	most int
}

func (c serverCodec) ReadRequestHeader(r *rpc.Request) error {
	c.cap.left = c.most
	return c.in.Decode(r)
}
func (c serverCodec) ReadRequestBody(into any) error             { return c.body(into) }
func (c serverCodec) WriteResponse(r *rpc.Response, v any) error { return c.send(r, v) }

// clientCodec is the console's end.
type clientCodec struct{ *stream }

func (c clientCodec) WriteRequest(r *rpc.Request, v any) error { return c.send(r, v) }
func (c clientCodec) ReadResponseHeader(r *rpc.Response) error { return c.in.Decode(r) }
func (c clientCodec) ReadResponseBody(into any) error          { return c.body(into) }
