package rules

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// FuzzPattern holds that no pattern hangs or panics, that what certainly matches may
// match as well, and that an exact pattern fits one text only.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{"npm run *", "re:a+", "a|b", "git ** --force **", "'a b' \"c\"", "line:x && y", "https://docs.rs/**", "*.github.com", "src/**/*.go", "~/x", `\*`, "{a,b}/[c-d]"} {
		f.Add(p, "npm run test")
		f.Add(p, "/p/src/a.go")
		f.Add(p, "https://docs.rs/x")
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if checkPattern(pattern) != nil || len(s) > 10_000 {
			return
		}
		fuzzText(t, pattern, s)
		fuzzCommand(t, pattern, s)
		if strict, err := parseURL(pattern, false); err == nil {
			a := readURL(s)
			strict.matchStrict(&a)
			if loose, err := parseURL(pattern, true); err != nil || strict.matchStrict(&a) && !loose.matchLenient(&a) {
				t.Fatalf("URL %q on %q: strict only (%v)", pattern, s, err)
			}
		}
	})
}

func fuzzText(t *testing.T, pattern, s string) {
	t.Helper()
	strict, err := parseText(pattern, false)
	if err != nil {
		return
	}
	loose, err := parseText(pattern, true)
	if err != nil || strict.match(s) && !loose.match(s) {
		t.Fatalf("text %q on %q: strict only (%v)", pattern, s, err)
	}
	if strict.exact && len(strict.alts) == 1 && strict.match(s) != (strict.alts[0][0] == s) {
		t.Fatalf("exact %q on %q", pattern, s)
	}
}

func fuzzCommand(t *testing.T, pattern, s string) {
	t.Helper()
	words := speak(strings.Fields(s))
	strict, err := parseCommand(pattern, false)
	if err != nil {
		return
	}
	loose, err := parseCommand(pattern, true)
	if err != nil || strict.matchStrict(&words) && !loose.matchLenient(&words) {
		t.Fatalf("command %q on %q: strict only (%v)", pattern, s, err)
	}
	for i := range loose.alts {
		loose.alts[i].anywhere(readText(s))
	}
	if strict.exact && !strict.isLine && strict.matchStrict(&words) {
		other := speak(append(words.argv, "x"))
		if strict.matchStrict(&other) && len(strict.alts) == 1 {
			t.Fatalf("exact command %q fits %q and more", pattern, s)
		}
	}
}

// FuzzGlob holds that a path pattern below a folder fits nothing outside of it.
func FuzzGlob(f *testing.F) {
	for _, p := range []string{"**", "src/**", "*", "{a,..}/x", "re:.*", "[^a]", "a|b", `\[x\]`, "~/**"} {
		f.Add(p, "/p/shop/src/a.go")
		f.Add(p, "/p/shop-evil/src/a.go")
		f.Add(p, "/p/shop/../x")
	}
	f.Fuzz(func(t *testing.T, pattern, file string) {
		if checkPattern(pattern) != nil || len(file) > 5000 {
			return
		}
		strict, err := parsePath(pattern, false)
		if err != nil {
			return
		}
		loose, err := parsePath(pattern, true)
		if err != nil {
			t.Fatalf("%q is a pattern on one side only: %v", pattern, err)
		}
		file = path.Clean("/" + file)
		got := strict.match(file, "/p/shop", "/home/ana")
		// Letters beyond ASCII may change their length in lower case.
		if got && isASCII(pattern+file) && !strings.ContainsAny(pattern, `[\`) && !loose.match(strings.ToLower(file), "/p/shop", "/home/ana") {
			t.Fatalf("%q on %q: strict only", pattern, file)
		}
		if got && strict.re == nil && !strings.Contains("|"+pattern, "|/") && !below("/p/shop", file) && !below("/home/ana", file) {
			t.Fatalf("%q fits %q, which is outside", pattern, file)
		}
		loose.mayMeet(splitPath(strings.ToLower(file)), "/p/shop", "/home/ana")
	})
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 0x7f }) < 0 }

// FuzzRule holds that Check and Compile take the same rules, and that no rule panics.
func FuzzRule(f *testing.F) {
	for _, r := range []Rule{rule(Allow, "Bash", "command", "npm run *"), rule(Deny, "*", "file_path", "**/.env"), rule(Ask, "Web*", "url", "domain:x.y")} {
		data, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, `{"command":"npm run test"}`)
	}
	f.Fuzz(func(t *testing.T, data []byte, input string) {
		var r Rule
		if json.Unmarshal(data, &r) != nil {
			return
		}
		s, err := Compile([]Rule{r})
		if (err == nil) != (r.Check() == nil) {
			t.Fatalf("Compile: %v, Check: %v", err, r.Check())
		}
		if err != nil {
			return
		}
		for _, tool := range []string{"Bash", "Read", "WebFetch", r.Tool} {
			c := Prepare(Question{Tool: tool, Input: json.RawMessage(input), Place: risk.Place{CWD: "/p", Project: "/p", Home: "/h"}})
			agree(t, s, c)
		}
	})
}

func agree(t *testing.T, s *Set, c *Call) {
	t.Helper()
	a := s.Judge(c, time.Unix(1, 0))
	if v, id := s.Verdict(c, time.Unix(1, 0)); v != a.Verdict || id != a.Rule {
		t.Fatalf("Judge says %s by %q, Verdict %s by %q", a.Verdict, a.Rule, v, id)
	}
	if a.Verdict == Allow && (c.unsure != "" || c.risk.Guarded) {
		t.Fatalf("allowed though %q, guarded %t", c.unsure, c.risk.Guarded)
	}
}

// FuzzJudge holds for any line and input that nothing panics, that explanation and
// verdict agree, and that offers keep their word.
func FuzzJudge(f *testing.F) {
	for _, line := range []string{"npm run test", "a && b | c > d", "$(x) `y`", "sudo env A=1 rm -rf ~/x", "cat <<E\nx\nE", "cd .. && cat *", "a 'b", "\x00", "find . -exec rm {} +"} {
		f.Add("Bash", line, "")
		f.Add("Read", "", line)
	}
	everything, err := Compile([]Rule{
		rule(Allow, "*"), rule(Allow, "Bash", "command", "*"), rule(Allow, "Bash", "command", "re:.*"), rule(Allow, "Bash", "write", "**"), rule(Allow, "*", "file_path", "**"),
		rule(Deny, "Bash", "command", "rm *"), rule(Deny, "Read|Write", "file_path", "**/.env"), rule(Ask, "Bash", "command", "re:git push"),
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, tool, line, file string) {
		input, err := json.Marshal(map[string]any{"command": line, "file_path": file})
		if err != nil {
			return
		}
		c := Prepare(Question{Tool: tool, Input: input, Trusted: true, Place: risk.Place{CWD: "/p", Project: "/p", Home: "/h"}})
		agree(t, everything, c)
		for _, r := range Offer(c) {
			s, err := Compile([]Rule{r})
			if err != nil {
				t.Fatalf("offer %+v: %v", r, err)
			}
			if v, _ := s.Verdict(c, time.Time{}); v != Allow {
				t.Fatalf("offer %+v does not allow the call", r)
			}
		}
	})
}
