package risk

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// metadata are the addresses at which clouds tell a machine its keys.
var metadata = wordset.New("169.254.169.254 169.254.170.2 fd00:ec2::254 metadata.google.internal metadata.goog 100.100.100.200 metadata")

// longQuery is a query's length from which on it may carry more than a question.
const longQuery = 300

// fetch judges a tool that fetches a page.
func (j toolJudge) fetch(input map[string]any) {
	for _, text := range texts(input, []string{"url", "urls", "prompt"}) {
		for _, w := range strings.Fields(text) {
			if strings.Contains(w, "://") || text == input["url"] {
				j.about(0, w)
				j.address(w)
			}
		}
	}
}

// address judges the address of a page.
func (j toolJudge) address(text string) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		j.note("its address cannot be read")
		return
	}
	host := strings.TrimSuffix(pathtable.Fold(u.Hostname()), ".")
	switch addr, err := netip.ParseAddr(host); {
	case isMetadata(host):
		j.danger("reaches the cloud's metadata")
	case u.Scheme == "file":
		j.files.readPath(j.resolve(u.Path, spot{}), false)
	case host == "localhost" || strings.HasSuffix(host, ".localhost") || addr.Unmap().IsLoopback():
		j.note("reaches a service of this machine")
	case err == nil || decimalHost().MatchString(host):
		j.note("reaches an address without a name")
	case u.Scheme == "http":
		j.note("goes over the network unencrypted")
	}
	if u.User != nil {
		j.note("has a password in its address")
	}
	if len(u.RawQuery) > longQuery {
		j.note("sends a long query")
	}
}

// isMetadata reports whether a host is a cloud's metadata service, also as a number or
// as an IPv4 address within IPv6.
func isMetadata(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.Unmap().String()
	}
	return metadata.Has(host) || host == "2852039166" || host == "0xa9fea9fe" || host == "0xa9.0xfe.0xa9.0xfe" || host == "0251.0376.0251.0376"
}

// decimalHost is an IPv4 address in one of its unusual spellings.
var decimalHost = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(0x[0-9a-f]+|[0-9]+)(\.(0x[0-9a-f]+|[0-9]+))*$`) })

// destructive are names of tools of servers that take something away for good.
var destructive = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|_|-|/)(delete|drop|destroy|purge|truncate|wipe|erase)(_|-|[A-Z]|$)`)
})

// sending are names of tools that others get to notice.
var sending = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|_|-|/)(remove|publish|transfer|payment|pay|send|merge|deploy|post|invite|grant|revoke)(_|-|[A-Z]|$)`)
})

// nameOf judges an unknown tool by its name.
func (j toolJudge) nameOf(tool string) {
	server := strings.HasPrefix(tool, "mcp_") || strings.HasPrefix(tool, "MCP:")
	name := tool[strings.LastIndex(tool, "__")+1:]
	name = name[strings.LastIndexByte(name, ':')+1:]
	switch {
	case server && (destructive().MatchString(name) || camel().MatchString(name)):
		j.danger("its name says that it deletes")
	case server && sending().MatchString(name):
		j.note("its name says that others will see it")
	}
}

// camel is a destructive name in camel case.
var camel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[a-z_-])(delete|Delete|drop|Drop|destroy|Destroy|purge|Purge)[A-Z]`)
})
