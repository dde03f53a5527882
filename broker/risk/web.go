package risk

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// longQuery is a query's length from which on it may carry more than a question.
const longQuery = 300

// fetch judges a tool that fetches a page. Some agents put the address into a text for the
// model, so each word with one is looked at.
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

// address judges the address of a page. Its answer goes to the agent, and the address itself to
// whoever has the host.
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
	case commands.IsMetadata(host):
		j.danger("reaches the cloud's metadata")
	// A fetch of a file's address is a read.
	case u.Scheme == "file":
		j.files.readPath(j.resolve(u.Path, spot{}), false)
	case host == "localhost" || strings.HasSuffix(host, ".localhost") || addr.Unmap().IsLoopback():
		j.note("reaches a service of this machine")
	// Whose address it is cannot be seen; names are at least somebody's.
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
