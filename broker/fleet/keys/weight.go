package keys

import (
	"encoding/binary"
	"errors"
)

// ErrHeavy means that something is larger than it may be once it is decoded.
var ErrHeavy = errors.New("this is larger than it may be when it is decoded")

// MaxWeight is the most that one thing may weigh (Weight).
const MaxWeight = 32 << 20

// itemWeight is what one item of a list weighs: one byte may become a struct of some hundred.
const itemWeight = 256

// Weight is about what raw takes once it is decoded, bytes: its length, and itemWeight for each item of
// a list. It reads no further than where raw is no CBOR that Encode writes; the decoder says then what
// is wrong.
func Weight(raw []byte) int {
	weight := len(raw)
	for len(raw) > 0 {
		major, info := raw[0]>>5, raw[0]&31
		raw = raw[1:]
		n := uint64(info)
		switch info {
		case 24, 25, 26, 27:
			size := 1 << (info - 24)
			if len(raw) < size {
				return weight
			}
			var wide [8]byte
			copy(wide[8-size:], raw[:size])
			n, raw = binary.BigEndian.Uint64(wide[:]), raw[size:]
		case 28, 29, 30, 31:
			return weight
		}
		switch major {
		case 2, 3: // bytes and text
			if n > uint64(len(raw)) {
				return weight
			}
			raw = raw[n:]
		case 4: // a list; no item is shorter than a byte
			weight += itemWeight * int(min(n, uint64(len(raw))))
		}
	}
	return weight
}
