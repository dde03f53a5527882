package rules

import (
	"os"
	"testing"
)

// Attack: the code that a tool runs, or the file that it writes, lies in a folder of which only
// the project's place tells that it is another one, or behind a link in the project.
func TestWordsThatLeadElsewhere(t *testing.T) {
	w := newWorld(t)
	far := "/srv" // package shell knows of no such folder
	w.place.Real = func(p string) (string, error) {
		if len(p) > 4 && p[:5] == "/srv/" {
			return p, nil
		}
		return realPath(p)
	}
	for line, want := range map[string]Verdict{
		"go test " + far + "/evil":        Ask,
		"go test " + far + "/evil/...":    Ask,
		"go test -v ./link":               Ask,
		"go test link":                    Ask,
		"go test ./src":                   Allow,
		"go vet ./...":                    Allow,
		"pytest " + far + "/evil":         Ask,
		"pytest link/x":                   Ask,
		"pytest src":                      Allow,
		"npm --foo=" + far + "/x test":    Ask,
		"mytool --log=" + far + "/x":      Ask,
		"mytool @" + far + "/x":           Ask,
		"mytool @options":                 Ask,
		"mytool link":                     Ask,
		"mytool src":                      Allow,
		"perl " + far + "/x":              Ask,
		"perl link/x":                     Ask,
		"perl -n link/x":                  Ask,
		"awk '" + far + "/x/' src/a.go":   Allow,
		"jq '" + far + "/x' src/a.go":     Allow,
		"cat link/x":                      Allow, // shows it, and runs and writes nothing
		"grep " + far + "/x src/a.go":     Allow,
		"sed -n '" + far + "/p' src/a.go": Allow,
		"mytool --url=http://x/srv/x":     Allow,
	} {
		q := w.bash(t, line)
		q.Exists = func(p string) bool {
			_, err := os.Lstat(p)
			return err == nil || p == "/srv"
		}
		if a := judge(t, set(t, firstWords(line)...), Prepare(q)); a.Verdict != want {
			t.Errorf("%s: %s, %s; want %s", line, a.Verdict, a.Reason, want)
		}
	}
}
