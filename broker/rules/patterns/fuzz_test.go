package patterns

import (
	"path"
	"strings"
	"testing"
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
		if Check(pattern) != nil || len(s) > 10_000 {
			return
		}
		fuzzText(t, pattern, s)
		fuzzCommand(t, pattern, s)
		if strict, err := ParseURL(pattern, false); err == nil {
			a := ReadURL(s)
			strict.MatchStrict(&a)
			if loose, err := ParseURL(pattern, true); err != nil || strict.MatchStrict(&a) && !loose.MatchLenient(&a) {
				t.Fatalf("URL %q on %q: strict only (%v)", pattern, s, err)
			}
		}
	})
}

func fuzzText(t *testing.T, pattern, s string) {
	t.Helper()
	strict, err := ParseText(pattern, false)
	if err != nil {
		return
	}
	loose, err := ParseText(pattern, true)
	if err != nil || strict.Match(s) && !loose.Match(s) {
		t.Fatalf("text %q on %q: strict only (%v)", pattern, s, err)
	}
	if strict.Exact && len(strict.Alts) == 1 && strict.Match(s) != (strict.Alts[0][0] == s) {
		t.Fatalf("exact %q on %q", pattern, s)
	}
}

func fuzzCommand(t *testing.T, pattern, s string) {
	t.Helper()
	words := Speak(strings.Fields(s))
	strict, err := ParseCommand(pattern, false)
	if err != nil {
		return
	}
	loose, err := ParseCommand(pattern, true)
	if err != nil || strict.MatchStrict(&words) && !loose.MatchLenient(&words) {
		t.Fatalf("command %q on %q: strict only (%v)", pattern, s, err)
	}
	for i := range loose.alts {
		loose.alts[i].anywhere(ReadText(s))
	}
	if strict.Exact && !strict.IsLine && strict.MatchStrict(&words) {
		other := Speak(append(words.Argv, "x"))
		if strict.MatchStrict(&other) && len(strict.alts) == 1 {
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
		if Check(pattern) != nil || len(file) > 5000 {
			return
		}
		strict, err := ParsePath(pattern, false)
		if err != nil {
			return
		}
		loose, err := ParsePath(pattern, true)
		if err != nil {
			t.Fatalf("%q is a pattern on one side only: %v", pattern, err)
		}
		file = path.Clean("/" + file)
		got := strict.Match(file, "/p/shop", "/home/ana")
		// Letters beyond ASCII may change their length in lower case.
		if got && isASCII(pattern+file) && !strings.ContainsAny(pattern, `[\`) && !loose.Match(strings.ToLower(file), "/p/shop", "/home/ana") {
			t.Fatalf("%q on %q: strict only", pattern, file)
		}
		if got && strict.re == nil && !strings.Contains("|"+pattern, "|/") && !Below("/p/shop", file) && !Below("/home/ana", file) {
			t.Fatalf("%q fits %q, which is outside", pattern, file)
		}
		loose.MayMeet(SplitPath(strings.ToLower(file)), "/p/shop", "/home/ana")
	})
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 0x7f }) < 0 }
