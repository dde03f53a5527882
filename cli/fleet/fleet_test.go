package fleet

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/usage"
)

func TestServerAt(t *testing.T) {
	for text, want := range map[string]string{
		"office":             "tls://office:4222",
		"office:5000":        "tls://office:5000",
		"tls://office:5000":  "tls://office:5000",
		"nats://office":      "tls://office:4222",
		"tls://office/":      "tls://office:4222",
		"10.0.0.7":           "tls://10.0.0.7:4222",
		"::1":                "tls://[::1]:4222",
		"[::1]":              "tls://[::1]:4222",
		"[::1]:5000":         "tls://[::1]:5000",
		"":                   "",
		":4222":              "",
		"office:":            "",
		"office,other":       "",
		"a b":                "",
		"a/b":                "",
		"https://office":     "",
		"tls://me@office":    "",
		"tls://office/fleet": "",
		"office:4222x":       "",
		"office:99999":       "",
		":::":                "",
	} {
		at, err := member.ServerAt(text)
		if at != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v; want %q", text, at, err, want)
		}
		if _, wrong := errors.AsType[usage.Error](err); err != nil && !wrong {
			t.Errorf("%q: %v is no error of the command line", text, err)
		}
	}
}

// An id stands in subjects: a roster takes it whatever the fleet is called.
func TestFleetID(t *testing.T) {
	for name, begins := range map[string]string{"acme": "acme-", "Team A/B": "teamab-", "Ünïcode": "ncode-", "…": "-", strings.Repeat("long", 9): "longlonglong-"} {
		id := fleetID(name)
		if !regexp.MustCompile(`^`+begins+`[a-z0-9]{12}$`).MatchString(id) || id == fleetID(name) {
			t.Errorf("%q has the id %q", name, id)
		}
		r := fleettest.NewRoster(t)
		if r.Fleet = id; r.Check() != nil {
			t.Errorf("%q: %v", id, r.Check())
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range []func(string) (string, error){personName, member.MachineName} {
		if got, err := name("ada"); got != "ada" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := name(""); got == "" || err != nil {
			t.Errorf("without --as: %q, %v", got, err)
		}
		for _, bad := range []string{"a\nb", "a\x1b[2J", strings.Repeat("x", 1000)} {
			if _, err := name(bad); err == nil {
				t.Errorf("%q is taken", bad)
			}
		}
	}
}

func TestFind(t *testing.T) {
	ada, ben, twin := fleettest.Member(t, 1, members.Owner), fleettest.Member(t, 2, members.Machine), fleettest.Member(t, 3, members.Guard)
	ada.Name, ben.Name, twin.Name = "ada", "ben", "ben"
	r := members.Roster{Members: []members.Member{ada, ben, twin}}
	id := twin.ID()
	for who, want := range map[string]string{"ada": ada.ID(), id: id, id[:6]: id, id[len(id)-4:]: id} {
		if m, err := find(&r, who); err != nil || m.ID() != want {
			t.Errorf("%q: %+v, %v", who, m, err)
		}
	}
	for who, code := range map[string]int{"ben": exit.Usage, "eve": exit.NotFound, id[:3]: exit.NotFound, "": exit.NotFound} {
		_, err := find(&r, who)
		e, ok := errors.AsType[exit.Error](err)
		if !ok || e.Code != code {
			t.Errorf("%q: %v", who, err)
		}
		if who == "ben" && (len(e.List) != 2 || !strings.Contains(e.List[1], id)) {
			t.Errorf("both are not named: %q", e.List)
		}
	}
}

// A person reads what is wrong with the server, and a file gets all that it says.
func TestPlainLog(t *testing.T) {
	const said = `{"time":"x","level":"INFO","msg":"nats","text":"Server is ready"}
{"time":"x","level":"WARN","msg":"nats","text":"slow \u001b[2J disk"}
{"time":"x","level":"ERROR","msg":"a stream is full","err":"no room"}
aoctl-fleet: listen: in use
`
	for all, want := range map[bool]string{true: said, false: "nats: slow \\x1b[2J disk\na stream is full: no room\naoctl-fleet: listen: in use\n"} {
		var out bytes.Buffer
		l := &plainLog{to: &out, all: all}
		for _, b := range []byte(said) {
			if n, err := l.Write([]byte{b}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want {
			t.Errorf("all %t: %q", all, out.String())
		}
	}
}
