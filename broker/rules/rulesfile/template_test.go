package rulesfile

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulestest/prepared"
)

// TestTemplates runs testdata/templates.txt: below the name of a template, lines that
// begin with "+" run by themselves, lines that begin with "-" do not.
func TestTemplates(t *testing.T) {
	data, err := os.ReadFile("testdata/templates.txt")
	if err != nil {
		t.Fatal(err)
	}
	var set *rules.Set
	name, seen := "", map[string]int{}
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		line := sc.Text()
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			name = strings.Trim(line, "[]")
			list, err := Template(name)
			if err != nil {
				t.Fatal(err)
			}
			set = prepared.Set(t, list)
		default:
			seen[name+line[:1]]++
			v, id := set.Verdict(prepared.Call(line[2:]), prepared.Now)
			if (v == rules.Allow) != (line[0] == '+') {
				t.Errorf("%s: %s: the verdict is %s (%s): %s", name, line, v, id, set.Judge(prepared.Call(line[2:]), prepared.Now).Reason)
			}
		}
	}
	for _, name := range Templates() {
		if seen[name+"+"] < 10 || seen[name+"-"] < 10 {
			t.Errorf("%s has %d lines to allow and %d not to", name, seen[name+"+"], seen[name+"-"])
		}
	}
}

func TestTemplateIsSaidInFull(t *testing.T) {
	for _, name := range Templates() {
		list, err := Template(name)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d rules, %v", name, len(list), err)
		}
		text, err := TemplateText(name)
		if err != nil || !bytes.Contains(text, []byte("Left out with intent")) {
			t.Errorf("%s does not say what it leaves out (%v)", name, err)
		}
		for _, r := range list {
			if r.ID != "" || !r.Enabled || r.Dangerous || r.Scope != (rules.Scope{}) {
				t.Errorf("%s has %+v", name, r)
			}
		}
		if f := rules.Lint(list, prepared.Now); len(f) != 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if _, err := Template("../toml"); err == nil || !strings.Contains(err.Error(), "read-only, node, go, python, git-local") {
		t.Errorf("an unknown template: %v", err)
	}
}
