package broker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// MaxName is the longest id, correlation or name from outside, bytes.
const MaxName = 256

// CheckName says what is wrong with a name or id from outside. Errors: ErrInvalid. Control
// characters are refused and not replaced: a name that is changed on the way is not found again.
func CheckName(field, v string) error {
	if len(v) > MaxName {
		return fmt.Errorf("%w: %s is longer than %d bytes", ErrInvalid, field, MaxName)
	}
	for _, r := range v {
		if r < 0x20 || r == 0x7f {
			return fmt.Errorf("%w: %s holds a control character", ErrInvalid, field)
		}
	}
	return nil
}

// MaxPath is the longest path from outside, bytes.
const MaxPath = 4096

// CheckPath says what is wrong with a path that a person decides about. No screen can show a control
// character as it is, so that it would stand for another path. Errors: ErrInvalid.
func CheckPath(field, v string) error {
	switch {
	case len(v) > MaxPath:
		return fmt.Errorf("%w: %s is longer than %d bytes", ErrInvalid, field, MaxPath)
	case strings.ContainsFunc(v, unicode.IsControl):
		return fmt.Errorf("%w: %s holds a control character", ErrInvalid, field)
	}
	return nil
}

// ValidID reports whether s may be the id of a request that a caller chose. The letters are those
// that fit into a path of the API without being escaped. The empty id is valid here; who needs
// one checks for that.
func ValidID(s string) bool {
	for _, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune("._:-", r) {
			return false
		}
	}
	return len(s) <= 128
}

// MaxReason is the longest reason that is taken from outside, bytes.
const MaxReason = 4096

// Clip shortens text from outside for an error message. It cuts bytes, so the last character may
// be broken; what shows the message makes it safe.
func Clip(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

// SortRequests puts requests in the order in which they were asked. The order is the same in
// every console and command, so that a card does not change its place.
func SortRequests(list []Request) {
	slices.SortFunc(list, func(a, b Request) int { return Older(&a, &b) })
}

// Older compares by time and, within a millisecond, by id, which grows with time.
func Older(a, b *Request) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}
