// Package claude reads permission rules in the syntax of Claude Code's settings and writes them
// as rules of aoctl: those of a settings file, for an import, and those that an agent suggests
// with a call.
//
// The two languages differ in what a star stands for, in how paths are anchored and in what a
// prefix covers. A rule that allows never comes out wider than it was meant, and one that
// refuses or asks never narrower; what cannot be said that way is left out, and Skipped says
// why.
//
// One rule is a line such as "Bash(npm run test:*)". It is split into a tool and what stands in
// the brackets; by the tool, that is read as a command (bash.go), as a path in the manner of
// .gitignore (file.go), or as one of the rest (other.go). What comes of it is one draft or
// several, as Claude Code's Read is a family of tools here. Each draft is checked like any rule
// before it is taken.
//
// Every function here takes the decision with the text, since the same text becomes a narrower
// pattern for an allow and a wider one for a deny. Texts come from files that an agent may have
// written, or from the agent itself.
//
// The package knows the rules and their patterns. Whether a rule is offered or written down is
// for others to decide.
package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
)

// Skipped is a permission rule that was not taken over, or not wholly. Text is as it stands in
// the file, and must be made safe before it is drawn.
type Skipped struct {
	Text string `json:"text"` // as it stands in the settings, with its list: "allow: Bash"
	Why  string `json:"why"`
}

// Import turns the permission rules of Claude Code's settings into rules. project
// is the absolute path of the folder that the settings belong to; "" for the user's own
// settings, which hold everywhere. home is the user's home folder.
//
// Shape: the JSON of settings.json, of which only permissions.allow, deny and ask are
// read. Source: Claude Code's documentation of permission rules, version 2.1.
//
// Claude Code compares commands as text and files in the manner of .gitignore. Where
// that cannot be said here, an allow rule becomes narrower and a deny or ask rule
// wider, and what fits neither way is in skipped. There, deny beats ask beats allow
// whatever else they say; priorities keep it so: asks come before allows. Rules have no
// id yet.
func Import(settings []byte, project, home string) (list []rules.Rule, skipped []Skipped, err error) {
	if len(settings) > rules.MaxFile {
		return nil, nil, fmt.Errorf("the settings are larger than %d MiB", rules.MaxFile>>20)
	}
	im := &claudeImport{project: project, home: home}
	permissions, err := claudePermissions(settings)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range []rules.Verdict{rules.Deny, rules.Ask, rules.Allow} {
		var lines []string
		raw, given := permissions[string(d)]
		if !given {
			continue
		}
		if err := json.Unmarshal(raw, &lines); err != nil {
			return nil, nil, fmt.Errorf("permissions.%s must be a list of texts", d)
		}
		for _, line := range lines {
			im.add(d, line)
		}
	}
	if len(im.list) > rules.MaxRules {
		return nil, nil, fmt.Errorf("the settings have %d rules; %d is the most", len(im.list), rules.MaxRules)
	}
	return im.list, im.skipped, nil
}

// claudePermissions reads names as Claude Code does: in their exact case, and of two
// with one name the last.
func claudePermissions(settings []byte) (map[string]json.RawMessage, error) {
	var all, permissions map[string]json.RawMessage
	if err := json.Unmarshal(settings, &all); err != nil {
		return nil, errors.New("the settings are not plain JSON, so Claude Code ignores them too: " + rules.Printable(err.Error()))
	}
	raw, given := all["permissions"]
	if !given {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &permissions); err != nil {
		return nil, errors.New("permissions must be an object with the lists allow, deny and ask")
	}
	return permissions, nil
}

// claudePriority puts an imported ask before an imported allow. A deny wins anyway.
func claudePriority(d rules.Verdict) int {
	if d == rules.Allow {
		return rules.DefaultPriority
	}
	return rules.DefaultPriority - 10
}

// claudeImport gathers what comes of one file, or of one call's suggestions.
type claudeImport struct {
	project, home string
	list          []rules.Rule
	skipped       []Skipped
	warned        bool // about searches, once
}

// unsaid is why a rule cannot be taken over, as a sentence for its owner.
type unsaid string

func (u unsaid) Error() string { return string(u) }

// draft is what one rule of Claude Code becomes: the same decision for each. where is nil for
// every use of the tool.
type draft struct {
	tool  string
	where map[string]string
}

// add takes over one line, as far as it can be said. A draft that Check refuses is skipped
// alone; the others stay.
func (im *claudeImport) add(d rules.Verdict, line string) {
	drafts, err := im.read(d, line)
	for _, x := range drafts {
		r := rules.Rule{Enabled: true, Priority: claudePriority(d), Scope: rules.Scope{Project: im.project}, Tool: x.tool, Where: x.where, Decision: d}
		if d != rules.Allow {
			// The agent that is refused is told where the rule comes from.
			r.Reason = "imported from Claude Code: " + string(d) + " " + rules.Printable(line)
			r.Reason = strings.ToValidUTF8(r.Reason[:min(len(r.Reason), rules.MaxReason)], "")
		}
		if problem := r.Check(); problem != nil {
			err = errors.Join(err, fmt.Errorf("it would be a rule that is refused here: %w", problem))
			continue
		}
		im.list = append(im.list, r)
	}
	if err != nil {
		im.skipped = append(im.skipped, Skipped{Text: string(d) + ": " + line, Why: strings.ReplaceAll(err.Error(), "\n", "; ")})
	}
}

// read returns what can be said. An error beside drafts says what they leave out. The order of
// the cases matters: Bash, paths and the like have a syntax of their own in the brackets, and
// any other tool takes name:value, which Claude Code reads in refusing rules only.
func (im *claudeImport) read(d rules.Verdict, line string) ([]draft, error) {
	name, spec, scoped, err := splitClaude(line)
	if err != nil {
		return nil, err
	}
	if scoped && spec == "*" {
		scoped = false // Bash(*) is Bash
	}
	switch {
	case name == "Cd":
		return nil, unsaid("it is about a command of the person, not a call of the agent")
	case !scoped:
		return bareClaude(d, name)
	case name == "Bash":
		return bashClaude(d, spec)
	case name == "PowerShell":
		return nil, unsaid("commands of PowerShell are not read here; they ask")
	case claudeReads[name] || claudeEdits[name]:
		return im.fileClaude(d, name, spec)
	case name == "WebFetch":
		return fetchClaude(d, spec)
	case name == "Agent" || name == "Task":
		return agentClaude(d, spec)
	case name == "Skill":
		return skillClaude(d, spec)
	case d == rules.Allow:
		return nil, unsaid("Claude Code knows no condition for this tool")
	}
	return paramClaude(name, spec)
}

// splitClaude takes Tool(specifier) apart. A backslash makes a bracket part of the specifier.
// scoped is false for a tool without brackets.
func splitClaude(line string) (name, spec string, scoped bool, err error) {
	name, spec, scoped = strings.Cut(line, "(") // no name has a backslash
	if scoped {
		if !strings.HasSuffix(spec, ")") {
			return "", "", false, unsaid("its bracket is not closed")
		}
		spec = strings.NewReplacer(`\\`, `\`, `\(`, `(`, `\)`, `)`).Replace(spec[:len(spec)-1])
		if spec == "" {
			return "", "", false, unsaid("nothing stands between its brackets, so it has no effect in Claude Code either")
		}
	}
	if name == "" || strings.ContainsFunc(name, notInToolName) {
		return "", "", false, unsaid("it does not begin with the name of a tool")
	}
	return name, spec, scoped, nil
}

// notInToolName is about characters that no name of a tool has, there or here.
func notInToolName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-*.:", r)
}

// bareClaude is a rule without a specifier: every use of a tool. For tools that run commands
// there is no such allow rule here; it would be a key to everything.
func bareClaude(d rules.Verdict, name string) ([]draft, error) {
	server, tool, mcp := splitMCP(name)
	switch {
	case mcp && d == rules.Allow && strings.Contains(server, "*"):
		return nil, unsaid("an allow rule must name its server, in Claude Code too")
	// The whole of a server is meant by its name alone.
	case mcp && tool == "":
		return []draft{{tool: name + "__*"}}, nil
	case !mcp && strings.Contains(name, "*") && d == rules.Allow:
		return nil, unsaid("an allow rule must name its tool, in Claude Code too")
	case d == rules.Allow && (name == "Bash" || name == "PowerShell" || name == "Monitor"):
		return nil, unsaid("it would allow every command; allow the commands that you mean")
	case name == "Bash":
		return []draft{{tool: "Bash|Monitor"}}, nil
	case name == "Agent" || name == "Task":
		return []draft{{tool: "Agent|Task"}}, nil
	}
	return []draft{{tool: name}}, nil
}

// splitMCP takes mcp__server__tool apart; tool is "" for a whole server.
func splitMCP(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok || rest == "" {
		return "", "", false
	}
	server, tool, _ = strings.Cut(rest, "__")
	return server, tool, true
}
