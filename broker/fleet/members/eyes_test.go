package members

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckProject(t *testing.T) {
	for _, p := range []string{"*", "api", "my api", "/", "/srv/api", ".config"} {
		if err := CheckProject(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{"", ".", "..", "a/b", "./api", "/srv/../etc", "/srv/", "a\nb", strings.Repeat("x", mostPath+1)} {
		if err := CheckProject(p); !errors.Is(err, ErrProject) {
			t.Errorf("%q: %v", p, err)
		}
	}
	r := roster(t, 1)
	r.FourEyes = []string{"api", "a/b"}
	if err := r.Check(); !errors.Is(err, ErrRoster) {
		t.Errorf("a roster with a wrong project: %v", err)
	}
	if r.FourEyes = make([]string, maxProjects+1); r.Check() == nil {
		t.Error("a roster with too many projects")
	}
}

// A project is found by its name wherever it lies, and by its path there alone.
func TestNeedsTwo(t *testing.T) {
	for _, c := range []struct {
		list, folders string
		two           bool
	}{
		{"", "/srv/api", false},
		{"*", "/srv/api", true},
		{"*", "", true},
		{"api", "/srv/api", true},
		{"api", "/home/ana/api/cmd", true},
		{"api", "/srv/api2", false},
		{"api", "/srv/web /srv/api", true}, // a link, and where it leads
		{"/srv/api", "/srv/api", true},
		{"/srv/api", "/srv/api/", true},
		{"/srv/api", "/srv/api/cmd", true},
		{"/srv/api", "/srv/api-old", false},
		{"/srv/api", "/home/srv/api", false},
		{"/", "/srv", true},
		{"web api", "/srv/api", true},
	} {
		r := Roster{FourEyes: strings.Fields(c.list)}
		if got := r.NeedsTwo(strings.Fields(c.folders)...); got != c.two {
			t.Errorf("%q of %q: %t", c.folders, c.list, got)
		}
	}
}
