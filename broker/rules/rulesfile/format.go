package rulesfile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/aoctl/aoctl/broker/rules"
)

// Header is what Format begins a file with: what the keys of a rule mean, for whoever opens the
// file with no documentation at hand.
const Header = `# aoctl rules
#
# decision   allow, deny, ask or defer
# tool       which tools: "Bash", "Edit|Write", "mcp__github__*"
# priority   lower is looked at first: the first match decides, any deny wins
# where      parameter = pattern; all of them must match
`

// The times that a rules file can say. The zero time means none, so it is not one of
// them.
var (
	firstTime = time.Time{}.Add(time.Millisecond)
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, int(999*time.Millisecond), time.UTC)
)

// Format writes rules as a file that Parse reads back: everything but their version, uses and
// source, with times to the millisecond. The same rules make the same bytes, so that a file
// under version control only changes where a rule does.
func Format(list []rules.Rule) []byte {
	var b bytes.Buffer
	b.WriteString(Header)
	for _, r := range list {
		b.WriteByte('\n')
		b.Write(FormatOne(r))
	}
	return b.Bytes()
}

// FormatOne writes one rule as it stands in a file, without the header. It is also how one rule
// is shown and edited.
func FormatOne(r rules.Rule) []byte {
	var b bytes.Buffer
	w := tomlWriter{&b}
	w.line("[[rule]]")
	w.rule(r)
	return b.Bytes()
}

// tomlWriter writes lines. Writing to a buffer cannot fail.
type tomlWriter struct{ *bytes.Buffer }

// rule writes the fields in the order in which a person reads them. What has its default is
// left out, but for priority, which decides who speaks first. Tables come last, as TOML counts
// what follows them as theirs.
func (w tomlWriter) rule(r rules.Rule) {
	w.text("id", r.ID)
	w.raw("decision", quoted(string(r.Decision)))
	if r.Effects == 0 {
		w.raw("tool", quoted(r.Tool))
	}
	w.text("effects", r.Effects.String())
	w.raw("priority", strconv.Itoa(r.Priority))
	if !r.Enabled {
		w.raw("enabled", "false")
	}
	if r.Dangerous {
		w.raw("dangerous", "true")
	}
	w.text("reason", r.Reason)
	w.moment("expires_at", r.ExpiresAt)
	if r.MaxUses != 0 {
		w.raw("max_uses", strconv.Itoa(r.MaxUses))
	}
	w.text("created_by", r.CreatedBy)
	w.text("created_from", r.CreatedFrom)
	w.moment("created_at", r.CreatedAt)
	w.moment("updated_at", r.UpdatedAt)
	if r.Scope != (rules.Scope{}) {
		w.line("[rule.scope]")
		w.text("project", r.Scope.Project)
		w.text("session", r.Scope.Session)
		w.text("agent", r.Scope.Agent)
	}
	if len(r.Where) > 0 {
		w.line("[rule.where]")
		for _, key := range slices.Sorted(maps.Keys(r.Where)) {
			w.raw(bareKey(key), quoted(r.Where[key]))
		}
	}
}

func (w tomlWriter) line(s string) { fmt.Fprintln(w, s) }

func (w tomlWriter) raw(key, value string) {
	w.line(key + " = " + value)
}

// text and moment leave out what is empty; raw takes the value as TOML has it.
func (w tomlWriter) text(key, value string) {
	if value != "" {
		w.raw(key, quoted(value))
	}
}

func (w tomlWriter) moment(key string, at time.Time) {
	if at.IsZero() {
		return
	}
	at = at.UTC()
	// A rule from elsewhere may have any time. One that TOML cannot say is moved to the
	// nearest.
	if at.Before(firstTime) {
		at = firstTime
	}
	if at.After(lastTime) {
		at = lastTime
	}
	w.raw(key, at.Format("2006-01-02T15:04:05.999Z07:00"))
}

// bareKey is a key as TOML takes it, in quotes where it has to be.
func bareKey(key string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return !plain(r) }) {
		return escaped(key)
	}
	return key
}

// quoted is s as a TOML string: in single quotes where that saves escapes, as in most regular
// expressions. It is always one line.
func quoted(s string) string {
	// Single quotes know no escapes, so what cannot be seen needs the other kind.
	hidden := strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) })
	if !hidden && strings.ContainsAny(s, `\"`) {
		return "'" + s + "'"
	}
	return escaped(s)
}

// escaped is s as a basic string, in which every character can be seen.
func escaped(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
