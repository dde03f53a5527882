package fakemodel

import (
	"bytes"
	"encoding/binary"
)

// The little of protocol buffers that is needed: numbers, and fields of bytes, which are
// texts and messages.

// The little of protocol buffers that is needed: numbers, and fields of bytes, which
// are texts and messages. Source: protobuf.dev, "Encoding".
func message(no uint64, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	// The tag is the field's number and the wire type, 2 for bytes.
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, no<<3|2), uint64(len(body))), body...)
}

// number writes a field with a number.
func number(no, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, no<<3), value)
}

// field returns the bytes of the field that path leads to, through messages in messages;
// nil when there is none.
func field(msg []byte, path ...uint64) []byte {
	for _, no := range path {
		msg, _ = find(msg, no)
	}
	return msg
}

// has reports whether msg has that field at all: a message without fields has no bytes.
func has(msg []byte, no uint64) bool {
	_, ok := find(msg, no)
	return ok
}

// find is the value of field no in a message; false when the message has none or is broken.
func find(msg []byte, no uint64) ([]byte, bool) {
	for len(msg) > 0 {
		tag, n := binary.Uvarint(msg)
		// A varint that is too long or cut short. Agents are not trusted to send whole
		// messages.
		if n <= 0 {
			return nil, false
		}
		msg = msg[n:]
		value, rest, ok := cut(msg, tag&7)
		if !ok {
			return nil, false
		}
		if tag>>3 == no {
			return value, true
		}
		msg = rest
	}
	return nil, false
}

// cut takes the value of a wire type off msg.
func cut(msg []byte, wireType uint64) (value, rest []byte, ok bool) {
	size, head := uint64(0), 0
	// The wire types are 0 varint, 1 eight bytes, 2 bytes with their length, 5 four
	// bytes.
	switch wireType {
	case 0:
		_, n := binary.Uvarint(msg)
		size = uint64(max(n, 0))
		if n <= 0 {
			return nil, nil, false
		}
	case 1:
		size = 8
	case 2:
		size, head = binary.Uvarint(msg)
		if head <= 0 {
			return nil, nil, false
		}
	case 5:
		size = 4
	default:
		return nil, nil, false
	}
	msg = msg[head:]
	// A length beyond the message would read what is not ours.
	if size > uint64(len(msg)) {
		return nil, nil, false
	}
	return msg[:size], msg[size:], true
}
