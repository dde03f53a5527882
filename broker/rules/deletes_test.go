package rules

import (
	"strings"
	"testing"
)

// A piece says that its file is deleted where its command does nothing else; what is moved or written is
// not.
func TestPiecesThatDelete(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		"rm -rf build dist":         "build dist",
		"sudo rm build":             "build",
		"rmdir build; touch dist":   "build",
		"git clean -fd build":       "build",
		"make && unlink build >log": "build",
		"mv build dist":             "",
		"echo rm > build":           "",
		"rm -f < log":               "",
	} {
		var got []string
		for _, j := range judge(t, set(t), w.trusted(t, line)).Elements {
			if j.Deletes {
				got = append(got, strings.TrimPrefix(j.Path, w.project+"/"))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: deletes %q, want %q", line, got, want)
		}
	}
}
