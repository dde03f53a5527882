package rules

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// Offer drafts allow rules that cover c, narrowest first: the exact call, then what can be said
// about calls like it. Each of them alone allows c. A dangerous call is offered in its exact
// form only, with Dangerous set. There is none when no rule may allow c. OfferEffects drafts what
// goes by what c does.
//
// For "npm run test" there are the patterns "npm run test" and "npm run test *"; for "timeout 9
// make" there are "timeout 9 make" and "make", as a rule looks at what timeout runs; for "rm
// -rf build" there is only "rm -rf build".
//
// The drafts are enabled, of default priority, and have neither id, scope nor end; the
// operator's screen adds these. A draft is tried before it is offered, so that nobody saves a
// rule and is asked again by the next such call.
func Offer(c *Call) []Rule {
	if c.unsure != "" || c.risk.Guarded {
		return nil
	}
	var drafts []map[string]string
	switch {
	case c.line.Line != nil:
		drafts = []map[string]string{c.exactLine(), c.eachElement(exactWords), c.eachElement(commandPrefix)}
	case len(c.input.pathKeys()) > 0:
		drafts = c.input.offerPaths(c.q.Place.Project)
	case c.input.hasURL():
		drafts = c.input.offerURL()
	default:
		drafts = c.input.offerParams()
	}
	if strings.HasPrefix(c.q.Tool, "mcp__") {
		drafts = append(drafts, c.input.escaped())
	}
	var offers []Rule
	for _, where := range drafts {
		r := Rule{Version: 1, Priority: DefaultPriority, Enabled: true, Tool: patterns.EscapeText(c.q.Tool), Where: where, Decision: Allow}
		r.Dangerous = c.risk.Class == risk.Dangerous
		// Often the wider draft is the exact one again.
		if !slices.ContainsFunc(offers, func(o Rule) bool { return maps.Equal(o.Where, where) }) && c.allowedBy(r) {
			offers = append(offers, r)
		}
	}
	return offers
}

// OfferEffects drafts a grant of what c does, as Offer drafts rules. Together with the built-in grant it
// allows c; so what only looks has none, nor has what is dangerous, in doubt, or does what nobody
// may grant.
func OfferEffects(c *Call) (r Rule, ok bool) {
	does := c.Effects() &^ effects.Of(effects.Look)
	r = Rule{Version: 1, Priority: DefaultPriority, Enabled: true, Tool: EffectsTool, Effects: does, Decision: Allow}
	if c.unsure != "" || c.risk.Guarded || r.Effects == 0 || !c.allowedBy(r) {
		return Rule{}, false
	}
	return r, true
}

// allowedBy reports whether r, and not the built-in rule, allows the call. Nothing else is ever
// offered. For a command line the id does not tell, as its rules may rest on the built-in one
// for the files that it reads. A grant stands beside the built-in one.
func (c *Call) allowedBy(r Rule) bool {
	list := []Rule{r}
	if r.Effects != 0 {
		list = append(list, LookGrant())
	}
	s, err := Compile(list)
	if err != nil {
		return false
	}
	v, id := s.Verdict(c, time.Time{})
	return v == Allow && (id != BuiltinReadOnly || c.line.Line != nil)
}

// hasURL reports whether the call has an address as a text, and not a list of them.
func (in *input) hasURL() bool {
	_, ok := in.members[urlParam].(string)
	return ok
}

// offerPaths drafts the exact files, their folders and the project, whose folder is root.
// Folders are offered inside the project only. Real paths are offered, as these are what the
// rule is compared with.
func (in *input) offerPaths(root string) []map[string]string {
	exact, folder, project := in.escaped(), in.escaped(), in.escaped()
	inside := root != ""
	for _, key := range in.pathKeys() {
		if len(in.params[key].places) == 0 {
			return nil // nothing can be said about it, and no draft may leave it open
		}
		for i := range in.params[key].places {
			real := in.params[key].places[i].real
			// One file outside is enough for the exact form alone.
			inside = inside && patterns.Below(root, real)
			addAlternative(exact, key, patterns.EscapePath(real))
			addAlternative(folder, key, patterns.EscapePath(strings.TrimSuffix(path.Dir(real), "/"))+"/**")
			addAlternative(project, key, patterns.EscapePath(root)+"/**")
			if real == root {
				folder[key] = project[key]
			}
		}
	}
	if !inside {
		return []map[string]string{exact}
	}
	return []map[string]string{exact, folder, project}
}

// escaped names the parameters by which the call leaves its bounds: no draft may
// be without them.
func (in *input) escaped() map[string]string {
	where := map[string]string{}
	for _, key := range in.escapes {
		where[key] = patterns.EscapeText(textOf(in.members[key]))
	}
	return where
}

// addAlternative adds an alternative to the pattern of a parameter, once. alt is escaped, so
// that a | in it is none of the pattern's.
func addAlternative(where map[string]string, key, alt string) {
	switch old, ok := where[key]; {
	case !ok:
		where[key] = alt
	case old != alt && !strings.HasPrefix(old, alt+"|") && !strings.HasSuffix(old, "|"+alt) && !strings.Contains(old, "|"+alt+"|"):
		where[key] = old + "|" + alt
	}
}

// offerURL drafts the URL itself and its host. The host of an address that is not written
// plainly is not offered: who reads it may see another one than the program does.
func (in *input) offerURL() []map[string]string {
	exact, host := in.escaped(), in.escaped()
	u := in.params[urlParam].urls[0]
	exact[urlParam] = patterns.EscapeText(u.Raw)
	if !u.Plain {
		return []map[string]string{exact}
	}
	scheme := "http"
	if u.HTTPS {
		scheme = "https"
	}
	host[urlParam] = scheme + "://" + u.Host + "/**"
	return []map[string]string{exact, host}
}

// offerParams drafts these very parameters, and the tool whatever they are.
func (in *input) offerParams() []map[string]string {
	exact := in.escaped()
	for key, v := range in.members {
		exact[key] = patterns.EscapeText(textOf(v))
	}
	// A call with more parameters than a rule may name has no exact form.
	if len(exact) > MaxWhere {
		exact = in.escaped()
	}
	return []map[string]string{exact, in.escaped()}
}
