package claude

import "github.com/aoctl/aoctl/broker/rules"

// Suggested turns allow rules in Claude Code's syntax, which an agent suggests, into rules of a
// project. What cannot be said here is left out, and so is what would allow every command. None
// of them may speak about a dangerous call. They are not stored: package rules decides which
// are fit to be offered (OfferSuggested).
func Suggested(texts []string, project, home string) []rules.Rule {
	im := &claudeImport{project: project, home: home}
	for _, text := range texts {
		im.add(rules.Allow, text)
	}
	for i := range im.list {
		im.list[i].Version = 1
	}
	return im.list
}
