package rulesfile

import (
	"embed"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
)

//go:embed templates/*.toml
var templateFiles embed.FS

// templateNames in the order in which they are offered. The tests read each of them.
var templateNames = []string{"read-only", "node", "go", "python", "git-local"}

// Templates are the names that Template knows, in a copy that the caller may change.
func Templates() []string { return append([]string(nil), templateNames...) }

// Template returns the rules of a template, without ids; they hold everywhere. An unknown name
// is an error that lists the known ones.
func Template(name string) ([]rules.Rule, error) {
	data, err := TemplateText(name)
	if err != nil {
		return nil, err
	}
	list, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	return list, nil
}

// TemplateText is a template as a rules file, with comments that say what it leaves out and
// why. It is what a user gets to edit.
func TemplateText(name string) ([]byte, error) {
	for _, known := range templateNames {
		if name == known {
			return templateFiles.ReadFile("templates/" + name + ".toml")
		}
	}
	return nil, fmt.Errorf("there is no template %q; there are %s", name, strings.Join(templateNames, ", "))
}
