package hookclient

import (
	"math/rand/v2"
	"time"
)

// newUUID makes a version 7 UUID: 48 bits of milliseconds, 74 random bits.
// Source: RFC 9562, section 5.7.
//
// The random bits are the runtime's ChaCha8, seeded by the kernel. They need to be
// unique, not secret: everybody who can reach the socket is the same user. Package
// crypto/rand would add 3 % to the time of a hook run.
func newUUID(now time.Time) string {
	var u [16]byte
	// #nosec G404 G115 -- see above; the low bytes are what is wanted
	for i, bits := 0, []uint64{rand.Uint64(), rand.Uint64()}; i < len(u); i++ {
		u[i] = byte(bits[i/8] >> (8 * (i % 8)))
	}
	ms := now.UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i)) // #nosec G115 -- the low byte is what is wanted
	}
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	const hex = "0123456789abcdef"
	s := make([]byte, 0, 36)
	for i, b := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			s = append(s, '-')
		}
		s = append(s, hex[b>>4], hex[b&15])
	}
	return string(s)
}
