package rules

import (
	"encoding/hex"
	"regexp"
	"strings"
)

// letters is how many letters of short options a value may stand behind, with the dash:
// -xzf/srv/a. With more, nearly every word would have a path in it.
const letters = 4

// piece is a part of a word that may be meant as a path.
type piece struct {
	at   int // where it begins
	text string
}

// separators stand between the parts of a list, or before a file's name, in one program or
// another.
const separators = "=:,;@&|+%#<>(){}'\" \t\r\n"

// partsOf are the paths that a word may be meant as: the whole of it, and what begins behind a
// separator or behind the letters of short options, up to the next separator and up to the end.
// The address of something on another machine is none, only what is listed behind it. Of
// --out=a:/b there are a, a:/b and /b; of https://h/x there is none.
func partsOf(w string) []piece {
	var found []piece
	add := func(from, to int) {
		if from < to {
			found = append(found, piece{from, w[from:to]})
		}
	}
	option := strings.HasPrefix(w, "-")
	for start := 0; start < len(w); {
		if n := addressIn(w[start:]); n > 0 {
			start += n
			continue
		}
		end := len(w)
		if i := strings.IndexAny(w[start:], separators); i >= 0 {
			end = start + i
		}
		starts := []int{start}
		// An option's own letters are no path; a value may stand behind any of the first few.
		if option && start == 0 {
			starts = nil
			for at := 2; at <= min(letters, end-1) && w[1] != '-'; at++ {
				starts = append(starts, at)
			}
			if i := strings.IndexByte(w[:end], '/'); i > letters {
				starts = append(starts, i)
			}
		}
		for _, at := range starts {
			add(at, end)
			if end < len(w) {
				add(at, len(w))
			}
		}
		start = end + 1
	}
	return found
}

// networkSchemes begin the address of something on another machine, alone or behind git+ and the like.
var networkSchemes = map[string]bool{
	"http": true, "https": true, "ftp": true, "ftps": true, "sftp": true, "ssh": true, "git": true, "ws": true, "wss": true,
	"s3": true, "gs": true, "oci": true, "docker": true, "redis": true, "postgres": true, "postgresql": true, "mysql": true, "mongodb": true, "mongodb+srv": true,
	"amqp": true, "tcp": true, "udp": true, "grpc": true, "ldap": true, "smtp": true, "nats": true,
}

// addressIn is the length of an address that s begins with, up to a second colon or the next of
// a list; 0 when s begins with none, or with one that is a path for a program that takes the ..
// in it for the folder above. What looks like an address and is a path would be an open door,
// so only known schemes count.
func addressIn(s string) int {
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

// unescaped is a word with the address of a file in it as that is read: file:///srv%2fx names
// /srv/x.
func unescaped(w string) string {
	if !strings.Contains(strings.ToLower(w), "file:") {
		return w
	}
	return percentEscape.ReplaceAllStringFunc(w, func(s string) string {
		b, _ := hex.DecodeString(s[1:])
		return string(b)
	})
}

// widened is a pattern that fits whatever programs take a quoted one for: they disagree about
// classes and backslashes. What lies in a folder that stands for any number of them is not
// looked at. p is absolute, and so is the answer.
func widened(p string) string {
	if i := strings.Index(p, "**"); i >= 0 {
		p = p[:i+1]
	}
	return openPart.ReplaceAllLiteralString(p, "*")
}

// openPart is where a pattern becomes one that programs read differently, up to the next slash.
var openPart = regexp.MustCompile(`[\[\\][^/]*`)
