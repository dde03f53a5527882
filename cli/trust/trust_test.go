package trust

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
)

// Only what can be granted is asked for.
func TestParse(t *testing.T) {
	for text, want := range map[string]effects.Set{
		"look,edit": effects.Of(effects.Look, effects.Edit),
		"serve":     effects.Of(effects.Serve),
		"":          0, ",": 0, "push": 0, "look,secrets": 0, "unknown": 0, "lok": 0,
	} {
		if got, err := parse(text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v %v", text, got, err)
		}
	}
}

// The last name of a list is completed, with what is not in the list yet.
func TestOffers(t *testing.T) {
	for begun, want := range map[string]string{
		"":                                    "look edit check commit fetch serve",
		"c":                                   "check commit",
		"look,c":                              "look,check look,commit",
		"check,c":                             "check,commit",
		"look,edit,check,commit,fetch,serve,": "",
		"push,":                               "push,look push,edit push,check push,commit push,fetch push,serve",
	} {
		var names []string
		for _, o := range offers(begun) {
			name, _, _ := strings.Cut(o, "\t")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: %s", begun, got)
		}
	}
}
