package patterns

import (
	"encoding/hex"
	"regexp"
	"strings"
)

// networkSchemes begin the address of something on another machine, alone or behind git+ and the like.
var networkSchemes = map[string]bool{
	"http": true, "https": true, "ftp": true, "ftps": true, "sftp": true, "ssh": true, "git": true, "ws": true, "wss": true,
	"s3": true, "gs": true, "oci": true, "docker": true, "redis": true, "postgres": true, "postgresql": true, "mysql": true, "mongodb": true, "mongodb+srv": true,
	"amqp": true, "tcp": true, "udp": true, "grpc": true, "ldap": true, "smtp": true, "nats": true,
}

// AddressIn is the length of an address that s begins with, up to a second colon or the next of
// a list; 0 when s begins with none, or with one that is a path for a program that takes the ..
// in it for the folder above. What looks like an address and is a path would be an open door,
// so only known schemes count.
func AddressIn(s string) int {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || !networkSchemes[scheme] || strings.Contains(rest, "..") {
		return 0
	}
	if i := strings.IndexAny(rest, ":,;|<>'\" \t\r\n"); i >= 0 {
		return len(scheme) + len("://") + i + 1
	}
	return len(s)
}

var percentEscape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// Unescaped is a word with the address of a file in it as that is read: file:///srv%2fx names
// /srv/x.
func Unescaped(w string) string {
	if !strings.Contains(strings.ToLower(w), "file:") {
		return w
	}
	return percentEscape.ReplaceAllStringFunc(w, func(s string) string {
		b, _ := hex.DecodeString(s[1:])
		return string(b)
	})
}

// Widened is a pattern that fits whatever programs take a quoted one for: they disagree about
// classes and backslashes. What lies in a folder that stands for any number of them is not
// looked at. p is absolute, and so is the answer.
func Widened(p string) string {
	if i := strings.Index(p, "**"); i >= 0 {
		p = p[:i+1]
	}
	return openPart.ReplaceAllLiteralString(p, "*")
}

// openPart is where a pattern becomes one that programs read differently, up to the next slash.
var openPart = regexp.MustCompile(`[\[\\][^/]*`)
