package rules

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/risk"
)

func TestOfferSuggested(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		line, suggests string
		want           []string
	}{
		{"go test ./...", "Bash(go test:*)", nil}, // ours already
		{"git log --oneline -5", "Bash(git log --oneline:*)", []string{"command=git log --oneline *"}},
		{"npm run test -- -u a", "Bash(npm run test -- -u *)", []string{"command=npm run test -- -u *"}},
		{"terraform plan -out x", "Bash(terraform plan -out *)", []string{"command=terraform plan -out *"}},
		{"npm run test", "Bash(npm run test -- x:*)", nil}, // does not cover the call
		{"npm run test && ls", "Bash(npm run test:*)", nil},
		{"npm run test", "Bash(npm:*)", nil}, // wider than any of ours
		{"npm run test", "Bash(npm * test)", nil},
		{"npm run test", "Bash(* test)", nil},
		{"npm run test", "Bash", nil},
		{"npm run test", "Bash(*)", nil},
		{"npm run test", "Read(/**)", nil}, // another tool
		{"npm run test", "Bash(npm run", nil},
		{"sudo ls /root", "Bash(sudo ls:*)", nil}, // dangerous: its exact form only
		{"git push --force origin main", "Bash(git push:*)", nil},
		{"cat .claude/settings.json", "Bash(cat:*)", nil}, // no rule may allow it
		{"python3 x.py", "Bash(python3:*)", nil},          // whatever the program
		{"npx tsc", "Bash(npx:*)", nil},
		{"make build", "Bash(make:*)", nil},
		{"env FOO=1 ls", "Bash(env:*)", nil},
		{"ls && git status", "Bash(ls && git status)", nil},
		{"npm test 2>&1", "Bash(npm test 2>&1)", []string{"command=line:npm test 2>&1"}},
	} {
		c := Prepare(w.bash(t, tt.line))
		offers := Offer(c)
		var got []string
		for _, r := range OfferSuggested(c, Suggested([]string{tt.suggests}, w.project, w.place.Home), offers) {
			got = append(got, show(r))
			if a := judge(t, set(t, r), c); a.Verdict != Allow || r.Version != 1 {
				t.Errorf("%s: %s does not allow it: %s", tt.line, show(r), a.Reason)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, suggesting %s: %s", tt.line, tt.suggests, diff)
		}
	}
}

// Files are offered inside the project only.
func TestOfferSuggestedFiles(t *testing.T) {
	w := newWorld(t)
	c := Prepare(Question{Tool: "Edit", Input: []byte(`{"file_path":"` + w.project + `/src/a.go","old_string":"a","new_string":"b"}`), Agent: "claude", Place: w.place})
	offers := Offer(c)
	for suggests, want := range map[string]bool{
		"Edit(/src/**)":                       true,
		"Edit(src/*.go)":                      true,
		"Edit(//" + w.project[1:] + "/src/*)": true,
		"Edit(//**)":                          false,
		"Edit(~/**)":                          false,
		"Edit(../**)":                         false,
		"Edit":                                false,
		"Edit(/docs/**)":                      false, // does not cover the call
	} {
		list := OfferSuggested(c, Suggested([]string{suggests}, w.project, w.place.Home), offers)
		if got := len(list) > 0; got != want {
			t.Errorf("%s becomes %+v, want one: %v", suggests, list, want)
		}
	}
}

// A rule that an agent suggests never allows a dangerous call, however wide it is.
func TestSuggestedNeverAllowsDanger(t *testing.T) {
	w := newWorld(t)
	for suggests, lines := range map[string][]string{
		"Bash(git:*)": {"git status", "git push --force origin main", "git clean -fdx"},
		"Bash(npm:*)": {"npm run test", "npm publish"},
		"Bash(rm:*)":  {"rm -rf /", "rm -rf ~"},
	} {
		list := Suggested([]string{suggests}, w.project, w.place.Home)
		if len(list) == 0 {
			t.Fatalf("%s: nothing was taken over", suggests)
		}
		for _, line := range lines {
			c := Prepare(w.bash(t, line))
			dangerous := c.risk.Class == risk.Dangerous
			if a := judge(t, set(t, list...), c); dangerous && a.Verdict == Allow {
				t.Errorf("%s allows %s", suggests, line)
			}
			if dangerous && len(OfferSuggested(c, list, Offer(c))) > 0 {
				t.Errorf("%s is offered for %s", suggests, line)
			}
		}
		if slices.ContainsFunc(list, func(r Rule) bool { return r.Dangerous || r.Decision != Allow }) {
			t.Errorf("%s becomes %+v", suggests, list)
		}
	}
}
