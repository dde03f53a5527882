package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// curlOps finds the files that curl reads besides: file: URLs, @file in data and
// headers, uploads, keys and cookies.
func curlOps(c *call) {
	for _, w := range append(c.values("--url"), c.rest...) {
		fileURL(c, w)
		if scheme, _, ok := strings.Cut(strings.ToLower(w.Text), "://"); ok && !curlSchemes.Has(scheme) {
			c.exactf("curl speaks another protocol than those of web pages")
		}
	}
	c.reads(c.values("-T", "--upload-file", "--key", "--cacert", "--capath", "--crlfile", "--pubkey", "--netrc-file", "--proxy-key", "--proxy-cacert", "--proxy-capath", "--proxy-crlfile")...)
	for _, w := range c.values("-E", "--cert", "--proxy-cert") {
		file, _, _ := strings.Cut(w.Text, ":") // its password
		c.reads(tail(w, file))
	}
	for _, w := range c.values("-b", "--cookie") {
		// With "=" it is the cookie itself.
		if !strings.Contains(w.Text, "=") {
			c.reads(w)
		}
	}
	for _, w := range c.values("-d", "--data", "--data-ascii", "--data-binary", "--json", "-H", "--header", "--proxy-header") {
		if file, ok := strings.CutPrefix(w.Text, "@"); ok {
			c.reads(tail(w, file))
		}
	}
	for _, w := range c.values("--data-urlencode", "--url-query", "--variable") {
		if name, file, ok := strings.Cut(w.Text, "@"); ok && !strings.Contains(name, "=") {
			c.reads(tail(w, file))
		}
	}
	for _, w := range c.values("-F", "--form") {
		formFiles(c, w)
	}
	for _, w := range c.values("-w", "--write-out") {
		if strings.Contains(w.Text, "%output{") || strings.HasPrefix(w.Text, "@") {
			c.exactf("curl -w reads or writes a file")
		}
	}
	for _, w := range c.values("--proto-default") {
		if strings.HasPrefix(strings.ToLower(w.Text), "file") {
			c.exactf("curl is told to read files")
		}
	}
}

// formFiles reads the files of a field: NAME=@FILE,FILE or NAME=<FILE, each with a type and so on
// behind semicolons, among which headers may stand in a file, too.
func formFiles(c *call, w Word) {
	_, value, _ := strings.Cut(w.Text, "=")
	if strings.ContainsAny(value, `"\`) {
		c.exactf("curl -F is given a name in quotes")
	}
	list, isFile := strings.HasPrefix(value, "@"), begins(value, "@", "<")
	if isFile {
		value = value[1:]
	}
	part, quoted, setting := "", false, false
	for _, r := range value + ";" {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted || r != ';' && (r != ',' || !list):
			part += string(r)
		default:
			_, from, _ := strings.Cut(part, "=")
			if !setting && isFile {
				c.reads(tail(w, strings.TrimSpace(part)))
			} else if setting && begins(from, "@", "<") {
				c.reads(tail(w, from[1:]))
			}
			part, setting = "", r == ';'
		}
	}
}

// The protocols by which curl fetches; others talk to mail servers, shares and telnet. file is
// here because fileURL judges it.
var curlSchemes = wordset.New("http https ftp ftps file ws wss")

// fileURL reads the file that a file: URL names.
func fileURL(c *call, w Word) {
	if len(w.Text) < 5 || !strings.EqualFold(w.Text[:5], "file:") {
		return
	}
	c.exactf("%s reads a file of this machine", c.name)
	path := strings.TrimPrefix(w.Text[5:], "//")
	if _, rest, ok := strings.Cut(path, "/"); ok {
		path = "/" + rest // behind the name of a machine
	}
	c.reads(tail(w, path))
}

// wgetOps: without -O wget makes files by the names in its URLs.
func wgetOps(c *call) {
	if !c.has("--spider", "-O", "--output-document", "--version", "--help", "-V", "-h") {
		c.exactf("wget writes a file that is named by its address")
	}
}

// httpieOps: name@file sends a file, name=@file its text. An "@" in an address is that of a
// user.
func httpieOps(c *call) {
	for i, w := range c.rest {
		if at := strings.LastIndex(w.Text, "@"); i > 0 && at >= 0 && !strings.Contains(w.Text, "://") {
			c.reads(tail(w, w.Text[at+1:]))
		}
	}
}

// ipOps: "ip netns exec NAME command" runs a command; words may be shortened.
func ipOps(c *call) {
	for i, w := range c.rest {
		if i > 0 && (strings.HasPrefix("exec", w.Text) || w.Text == "vrf") && begins(c.rest[0].Text, "n", "v") {
			c.unsuref("ip can run another program")
		}
	}
}

// opensslOps: its servers give files of this machine to others.
func opensslOps(c *call) {
	if sub := textAt(c.words, 0); sub == "s_server" || sub == "ocsp" || sub == "tsget" {
		c.exactf("openssl opens a server")
	}
}
