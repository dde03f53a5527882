package cmdline

import "strings"

// Pieces are the parts of a word that may name a file: the word, and what follows an option's
// name, a "=", an "@" or a ":". Of --data=@key.pem there are @key.pem and key.pem; a text of
// several lines is no name.
func Pieces(w string) []string {
	if w == "" || len(w) > 4096 || strings.ContainsRune(w, '\n') {
		return nil
	}
	out := []string{}
	if w[0] != '-' {
		out = append(out, w)
	} else if len(w) > 2 && w[1] != '-' {
		out = append(out, strings.TrimPrefix(w[2:], "="))
	}
	for _, sep := range []byte{'=', '@', ':'} {
		if i := strings.IndexByte(w, sep); i >= 0 && i+1 < len(w) && !strings.HasPrefix(w[i:], "://") {
			out = append(out, w[i+1:])
		}
	}
	if i := strings.Index(w, "file://"); i >= 0 {
		out = append(out, w[i+len("file://"):])
	}
	return out
}
