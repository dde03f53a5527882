package patterns

import (
	"errors"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A URL pattern names a host and, if it likes, a scheme and a path:
//
//	docs.rs                   this host, any path, http or https
//	https://docs.rs/std/**    a glob over the path
//	*.github.com              every host below it, not github.com itself
//	domain:example.com        the host and every host below it
//	https://docs.rs/a?b=c     with a query: this URL, character by character
//
// On the strict side a URL must be plain: http or https, a host name in ASCII, the
// scheme's own port, no user, nothing that servers and clients read differently.

// domainPrefix begins a pattern of a host and all hosts below it.
const domainPrefix = "domain:"

// URL is a pattern of addresses, made for one side. Exact is a pattern of whole URLs.
type URL struct {
	alts  []urlAlt
	re    *regexp.Regexp
	find  *regexp.Regexp // lenient: re anywhere in the URL
	Exact bool
}

// urlAlt is one alternative. With whole nothing else is asked on the strict side.
type urlAlt struct {
	whole  string // the URL itself when nothing in it is a wildcard and it has a path
	scheme string // "" is both
	host   Glob
	sub    bool   // hosts below host too
	path   string // a glob without the leading "/"; "**" is every path
}

// ParseURL reads a pattern of addresses. lenient: of a rule that does not allow.
func ParseURL(s string, lenient bool) (*URL, error) {
	if body, ok := strings.CutPrefix(s, Expression); ok {
		re, err := compileRE(body, dotAll(lenient))
		if err != nil {
			return nil, err
		}
		p := &URL{re: re}
		if lenient {
			p.find, err = regexp.Compile("(?si)" + body)
		}
		return p, err
	}
	p := &URL{Exact: true}
	for _, alt := range splitAlternatives(s) {
		a, err := parseURLAlt(alt)
		if err != nil {
			return nil, err
		}
		p.alts = append(p.alts, a)
		p.Exact = p.Exact && a.whole != ""
	}
	return p, nil
}

// parseURLAlt reads one alternative. A port, a user or a query may only stand in a whole URL,
// as the rest is compared by host and path.
func parseURLAlt(s string) (urlAlt, error) {
	a := urlAlt{path: "**"}
	if s == "" {
		return a, errNoAlt
	}
	if g, err := parseGlob(s); err != nil {
		return a, err
	} else if g.Exact() && strings.Contains(g[0], "://") && strings.Count(g[0], "/") > 2 {
		a.whole = g[0]
	}
	host, isDomain := strings.CutPrefix(s, domainPrefix)
	a.sub = isDomain
	if scheme, rest, ok := strings.Cut(host, "://"); ok {
		if a.scheme, host = strings.ToLower(scheme), rest; a.scheme != "http" && a.scheme != "https" {
			return a, errors.New("has a scheme other than http and https")
		}
	}
	host, p, hasPath := strings.Cut(host, "/")
	if isDomain && hasPath {
		return a, errors.New("has a path after domain:, which names a host only")
	}
	if err := checkHost(host); err != nil && a.whole == "" {
		return a, err
	}
	var err error
	if a.host, err = parseGlob(strings.ToLower(strings.TrimSuffix(host, "."))); err != nil {
		return a, errors.New("has no host")
	}
	if a.whole == "" {
		err = checkGlob(p)
		if strings.ContainsAny(p, "?#") {
			err = errors.New("has a ? or # beside wildcards: only host and path are looked at, or the exact URL")
		}
	}
	if hasPath {
		a.path = p
	}
	if i := strings.IndexAny(a.path, "?#"); i >= 0 {
		a.path = a.path[:i]
	}
	return a, err
}

// checkHost refuses hosts that no URL has and wildcards in the place of a whole one.
func checkHost(host string) error {
	if host == "" {
		return errors.New("has no host")
	}
	for i := range len(host) {
		if c := host[i]; c != '*' && !hostByte(c) {
			return errors.New("has a host with characters other than letters, digits, dots and dashes; a port or user needs the exact URL")
		}
	}
	return nil
}

const hostRunes = ".-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func hostByte(c byte) bool { return strings.IndexByte(hostRunes, c) >= 0 }

// Address is a URL as patterns look at it. hosts and paths are for refusing rules, and have
// whatever anybody could read in it.
type Address struct {
	Raw   string
	Plain bool     // everybody reads it as this scheme, host and path
	HTTPS bool     //
	Host  string   // lower case
	path  string   // without the leading "/", as it stands
	hosts []string // lower case: every host that somebody may read in it
	paths []string // every path that somebody may read in it
}

// ReadURL never fails: what it cannot read is not plain. raw is the agent's and may be
// anything.
func ReadURL(raw string) Address {
	a := Address{Raw: raw}
	u, err := url.Parse(raw)
	if err == nil {
		a.Host, a.path = strings.ToLower(u.Hostname()), strings.TrimPrefix(u.EscapedPath(), "/")
		a.HTTPS = strings.EqualFold(u.Scheme, "https")
		a.Plain = plainURL(raw, u)
		a.paths = append(a.paths, a.path, cleanPath(u.Path))
	}
	a.hosts = hostsIn(raw)
	if a.Host != "" {
		a.hosts = append(a.hosts, strings.TrimSuffix(a.Host, "."))
	}
	// Of a plain address there is nothing more to read.
	if !a.Plain {
		a.paths = append(a.paths, PathsIn(raw)...)
	}
	return a
}

// plainURL reports whether there is only one way to read u. Programs differ about users, ports,
// backslashes, blanks, dots at the ends and letters beyond ASCII; none of these is plain.
func plainURL(raw string, u *url.URL) bool {
	https := u.Scheme == "https"
	if !https && u.Scheme != "http" || u.User != nil || u.Opaque != "" || u.Host == "" {
		return false
	}
	if p := u.Port(); p != "" && (p != "443" || !https) && (p != "80" || https) || strings.HasSuffix(u.Host, ":") {
		return false
	}
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c >= 0x7f || c == '\\' {
			return false
		}
	}
	for i := range len(u.Hostname()) {
		if !hostByte(u.Hostname()[i]) {
			return false
		}
	}
	if strings.HasSuffix(u.Hostname(), ".") || strings.HasPrefix(u.Hostname(), ".") || strings.Contains(u.Hostname(), "..") {
		return false
	}
	return plainURLPath(u.EscapedPath())
}

// plainURLPath refuses the parts that some servers fold away, in any spelling.
func plainURLPath(p string) bool {
	low := strings.ToLower(p)
	for _, odd := range []string{"%2e", "%2f", "%5c", "%25", "//", ";"} {
		if strings.Contains(low, odd) {
			return false
		}
	}
	for _, part := range strings.Split(low, "/") {
		if part == "." || part == ".." {
			return false
		}
	}
	return true
}

// cleanPath is a path as servers see it that fold dots away.
func cleanPath(p string) string { return strings.TrimPrefix(path.Clean("/"+p), "/") }

// hostsIn are all texts of raw between its scheme and its path that could be a host. In
// "http://a@b" that is a as well as b.
func hostsIn(raw string) []string {
	rest := strings.ToLower(raw)
	if _, after, ok := strings.Cut(rest, ":"); ok && strings.IndexAny(after, `/\`) == 0 {
		rest = after
	}
	rest = strings.TrimLeft(rest, `/\ `)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return strings.FieldsFunc(rest, func(r rune) bool { return !strings.ContainsRune(hostRunes, r) })
}

// PathsIn are the paths of a URL that cannot be parsed or that people read differently: as it
// stands, folded, and with its escapes resolved. There is always one.
func PathsIn(raw string) []string {
	s := strings.ReplaceAll(raw, `\`, "/")
	if _, after, ok := strings.Cut(s, "://"); ok {
		s = after
	}
	_, p, _ := strings.Cut(s, "/")
	p, _, _ = strings.Cut(p, "?")
	p, _, _ = strings.Cut(p, "#")
	if q, err := url.PathUnescape(p); err == nil {
		return []string{p, cleanPath(p), cleanPath(q)}
	}
	return []string{p, cleanPath(p)}
}

// MatchStrict reports whether an address fits, however it is read.
func (p *URL) MatchStrict(a *Address) bool {
	if p.re != nil {
		return a.Plain && p.re.MatchString(a.Raw)
	}
	for i := range p.alts {
		if alt := &p.alts[i]; alt.whole != "" && alt.whole == a.Raw || a.Plain && alt.matchStrict(a) {
			return true
		}
	}
	return false
}

// matchStrict fits a plain address by scheme, host and path. The query is not looked at.
func (u *urlAlt) matchStrict(a *Address) bool {
	return u.whole == "" && (u.scheme == "" || (u.scheme == "https") == a.HTTPS) && u.hosts(a.Host) &&
		doublestar.MatchUnvalidated(u.path, a.path)
}

// MatchLenient reports whether some way to read an address fits.
func (p *URL) MatchLenient(a *Address) bool {
	if p.re != nil {
		return p.find.MatchString(a.Raw)
	}
	for i := range p.alts {
		if p.alts[i].matchLenient(a) {
			return true
		}
	}
	return false
}

// matchLenient does not look at the scheme, which redirects change.
func (u *urlAlt) matchLenient(a *Address) bool {
	if u.whole != "" && u.whole == a.Raw {
		return true
	}
	for _, h := range a.hosts {
		if u.hosts(h) && u.lenientPath(a) {
			return true
		}
	}
	return false
}

// lenientPath fits any way to read the path.
func (u *urlAlt) lenientPath(a *Address) bool {
	for _, p := range a.paths {
		if u.path == p || doublestar.MatchUnvalidated(u.path, p) {
			return true
		}
	}
	return false
}

// hosts fits a host, or with sub one below it, at a dot.
func (u *urlAlt) hosts(h string) bool {
	if u.sub && len(h) > len(u.host[0]) && u.host.Exact() && strings.HasSuffix(h, u.host[0]) && h[len(h)-len(u.host[0])-1] == '.' {
		return true
	}
	return u.host.match(h)
}
