// Package chain says how the log is chained, what each link vouches for, and which
// changes are whole enough to be recorded. It is pure: values in, hashes and
// verdicts out.
//
// The hash of an event is SHA-256 over, in this order:
//
//	the previous event's hash   32 bytes; zeros before the first event
//	seq                         8 bytes, big endian
//	at                          8 bytes, big endian, milliseconds since 1970 UTC
//	type, session_id, request_id, data, subject, seal
//	                            each as its length in 8 bytes, big endian, then its bytes
//
// Data is the event's JSON as it was written, byte for byte. Subject and seal are
// empty for most events. An event that goes with a row of requests or grants names
// that row as its subject ("request/ID", "grant/ID") and carries the row's seal: a
// SHA-256 over every column of it. So a row that was changed, added or brought back
// by another program no longer fits the log, and the log cannot be bent to fit
// without changing every hash after it.
//
// Facts, the events that hold until a later one changes them, have no row: the log is
// their authority. Their subject is their number among the facts, "fact/N" from 1, and
// their seal covers that number.
//
// Check is the other half: before a change is recorded it looks that rows and events say the same
// (plan.go), and tells for each event which row it vouches for, so that the store can seal it.
// Facts have a file of their own (facts.go). Both stores use this package, the one in memory for
// tests as well, so their logs are the same to the byte.
//
// Nothing here may change for logs that exist. A new field in a row needs a new kind of seal
// beside the old one, or every older log would fail to verify.
package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Hash is a SHA-256. The zero Hash stands before the first event.
type Hash [sha256.Size]byte

// Link is one event as it is hashed. Strings hold bytes as they are stored: a text that is no
// UTF-8 is hashed as it is.
type Link struct {
	Seq     int64
	AtMS    int64
	Type    string
	Session string
	Request string
	Data    string
	Subject string // "" for events that vouch for no row
	Seal    string // 32 bytes, or "" without a subject
}

// roomy is what most events and rows take at most to be hashed: they need no memory of the heap.
const roomy = 1024

// After is the hash of l when prev is the hash of the event before it. Each text has its length
// before it, so no byte can move from one field to the next without changing the hash.
func (l Link) After(prev Hash) Hash {
	var room [roomy]byte
	b := room[:0]
	b = append(b, prev[:]...)
	b = appendInt(b, l.Seq)
	b = appendInt(b, l.AtMS)
	for _, f := range []string{l.Type, l.Session, l.Request, l.Data, l.Subject, l.Seal} {
		b = appendText(b, f)
	}
	return sha256.Sum256(b)
}

// MS is t in milliseconds since 1970 UTC; 0 for the zero time. The zero time is 0, which is also
// the first moment of 1970; no event is of that time.
func MS(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time is the reverse of MS, in UTC.
func Time(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// RequestSubject and GrantSubject name the row that an event vouches for.
func RequestSubject(id string) string { return "request/" + id }

// GrantSubject is the subject of a grant's events.
func GrantSubject(id string) string { return "grant/" + id }

// SealRequest covers everything about a request that is fixed when it is made. Annotations are
// not covered: they are not in the row, or the log has them elsewhere. The word in front keeps a
// seal of one kind from passing for one of another.
func SealRequest(r *broker.Request) Hash {
	var room [roomy]byte
	b := appendText(room[:0], "request")
	for _, f := range []string{
		r.ID, r.Key, r.SessionID, r.Agent, r.Event, r.ToolUseID, r.SubagentID, r.SubagentType,
		r.ToolName, string(r.ToolInput), r.CWD, r.Mode, r.Description, r.Digest,
	} {
		b = appendText(b, f)
	}
	for _, n := range []int64{int64(r.Asker.PID), bits(r.Asker.Start), MS(r.CreatedAt), MS(r.ExpiresAt)} {
		b = appendInt(b, n)
	}
	return sha256.Sum256(b)
}

// SealOutcome covers how the request sealed by created ended.
func SealOutcome(created Hash, o *broker.Outcome) Hash {
	var room [roomy]byte
	b := appendText(room[:0], "outcome")
	b = append(b, created[:]...)
	for _, f := range []string{
		string(o.State), string(o.By.Kind), o.By.ID, o.By.Exe, o.By.TTY, o.Reason, string(o.UpdatedInput),
	} {
		b = appendText(b, f)
	}
	b = appendInt(b, int64(o.By.PID))
	b = appendInt(b, MS(o.At))
	return sha256.Sum256(b)
}

// SealGrant covers a grant as it was made, unused.
func SealGrant(g *broker.Grant) Hash {
	var room [roomy]byte
	b := appendText(room[:0], "grant")
	for _, f := range []string{
		g.ID, g.SessionID, g.SubagentID, g.Digest, g.RequestID,
		string(g.By.Kind), g.By.ID, g.By.Exe, g.By.TTY,
	} {
		b = appendText(b, f)
	}
	for _, n := range []int64{int64(g.By.PID), MS(g.CreatedAt), MS(g.ExpiresAt)} {
		b = appendInt(b, n)
	}
	return sha256.Sum256(b)
}

// SealUse covers who used the grant sealed by created. by is a request's id, or Revoked.
func SealUse(created Hash, by string) Hash {
	var room [roomy]byte
	b := appendText(room[:0], "use")
	b = append(b, created[:]...)
	return sha256.Sum256(appendText(b, by))
}

// sha is for short values, where the heap does not matter.
func sha(b []byte) Hash { return sha256.Sum256(b) }

// appendText writes the length, then the bytes.
func appendText(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(len(s)))
	return append(b, s...)
}

// appendInt writes eight bytes, big endian, as in the table above.
func appendInt(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(n)) //nolint:gosec // the same 64 bits, for hashing
}

// bits is n as the signed integer with the same 64 bits.
func bits(n uint64) int64 { return int64(n) } //nolint:gosec // the same 64 bits, for hashing
