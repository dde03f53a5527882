package claude

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulestest"
	"github.com/aoctl/aoctl/broker/rules/rulestest/prepared"
	"github.com/google/go-cmp/cmp"
)

func TestOfferSuggested(t *testing.T) {
	w := rulestest.New(t)
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
		c := rules.Prepare(asked(t, w, tt.line))
		offers := rules.Offer(c)
		var got []string
		for _, r := range rules.OfferSuggested(c, Suggested([]string{tt.suggests}, w.Project, w.Place.Home), offers) {
			got = append(got, shown(r))
			if a := decided(t, []rules.Rule{r}, c); a.Verdict != rules.Allow || r.Version != 1 {
				t.Errorf("%s: %s does not allow it: %s", tt.line, shown(r), a.Reason)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, suggesting %s: %s", tt.line, tt.suggests, diff)
		}
	}
}

// Files are offered inside the project only.
func TestOfferSuggestedFiles(t *testing.T) {
	w := rulestest.New(t)
	c := rules.Prepare(rules.Question{Tool: "Edit", Input: []byte(`{"file_path":"` + w.Project + `/src/a.go","old_string":"a","new_string":"b"}`), Agent: "claude", Place: w.Place})
	offers := rules.Offer(c)
	for suggests, want := range map[string]bool{
		"Edit(/src/**)":                       true,
		"Edit(src/*.go)":                      true,
		"Edit(//" + w.Project[1:] + "/src/*)": true,
		"Edit(//**)":                          false,
		"Edit(~/**)":                          false,
		"Edit(../**)":                         false,
		"Edit":                                false,
		"Edit(/docs/**)":                      false, // does not cover the call
	} {
		list := rules.OfferSuggested(c, Suggested([]string{suggests}, w.Project, w.Place.Home), offers)
		if got := len(list) > 0; got != want {
			t.Errorf("%s becomes %+v, want one: %v", suggests, list, want)
		}
	}
}

// A rule that an agent suggests never allows a dangerous call, however wide it is.
func TestSuggestedNeverAllowsDanger(t *testing.T) {
	w := rulestest.New(t)
	for suggests, lines := range map[string][]string{
		"Bash(git:*)": {"git status", "git push --force origin main", "git clean -fdx"},
		"Bash(npm:*)": {"npm run test", "npm publish"},
		"Bash(rm:*)":  {"rm -rf /", "rm -rf ~"},
	} {
		list := Suggested([]string{suggests}, w.Project, w.Place.Home)
		if len(list) == 0 {
			t.Fatalf("%s: nothing was taken over", suggests)
		}
		for _, line := range lines {
			c := rules.Prepare(asked(t, w, line))
			dangerous := c.Risk().Class == risk.Dangerous
			if a := decided(t, list, c); dangerous && a.Verdict == rules.Allow {
				t.Errorf("%s allows %s", suggests, line)
			}
			if dangerous && len(rules.OfferSuggested(c, list, rules.Offer(c))) > 0 {
				t.Errorf("%s is offered for %s", suggests, line)
			}
		}
		if slices.ContainsFunc(list, func(r rules.Rule) bool { return r.Dangerous || r.Decision != rules.Allow }) {
			t.Errorf("%s becomes %+v", suggests, list)
		}
	}
}

// Of many suggestions a few are offered, each once, and none that is offered anyway.
func TestFewSuggestions(t *testing.T) {
	w := rulestest.New(t)
	c := rules.Prepare(asked(t, w, "npm run test -- -a -b -c -d -e -f -g -h -i -j"))
	var texts []string
	words := strings.Fields("npm run test -- -a -b -c -d -e -f -g -h -i -j")
	for n := 4; n < len(words); n++ {
		text := "Bash(" + strings.Join(words[:n], " ") + ":*)"
		texts = append(texts, text, text)
	}
	offers := rules.Offer(c)
	list := rules.OfferSuggested(c, Suggested(append([]string{"Bash(npm run test:*)"}, texts...), w.Project, w.Place.Home), offers)
	if len(list) != 8 {
		t.Errorf("%d are offered", len(list))
	}
	for i, r := range list {
		if r.Version != 1 || slices.ContainsFunc(list[:i], r.Like) || slices.ContainsFunc(offers, r.Like) {
			t.Errorf("%+v", r)
		}
	}
	if list := rules.OfferSuggested(c, Suggested(texts, w.Project, w.Place.Home), nil); list != nil {
		t.Errorf("%d where nothing is offered", len(list))
	}
}

// asked is a command line as an agent asks about it in a world.
func asked(t *testing.T, w rulestest.World, line string) rules.Question {
	t.Helper()
	return rules.Question{
		Tool: "Bash", Input: rulestest.Input(t, map[string]any{"command": line}), Agent: "claude", SessionID: "s1", Place: w.Place,
		Exists: rulestest.Exists, Special: rulestest.Special,
	}
}

// decided asks both Judge and Verdict, which have to agree.
func decided(t *testing.T, list []rules.Rule, c *rules.Call) rules.Assessment {
	t.Helper()
	s := prepared.Set(t, list)
	a := s.Judge(c, prepared.Now)
	if v, id := s.Verdict(c, prepared.Now); v != a.Verdict || id != a.Rule || a.Reason == "" {
		t.Errorf("Judge says %s by %q, Verdict %s by %q, because %q", a.Verdict, a.Rule, v, id, a.Reason)
	}
	return a
}

// shown is what a rule says of parameters.
func shown(r rules.Rule) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(r.Where)) {
		parts = append(parts, key+"="+r.Where[key])
	}
	if r.Dangerous {
		parts = append(parts, "DANGEROUS")
	}
	return strings.Join(parts, " ; ")
}
