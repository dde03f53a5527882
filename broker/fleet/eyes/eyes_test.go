package eyes

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func key(t *testing.T, seed byte) keys.Public {
	t.Helper()
	k, err := keys.New(ed25519.NewKeyFromSeed([]byte{seed, 31: 0}))
	if err != nil {
		t.Fatal(err)
	}
	return k.Public()
}

// paired is a console's key as a broker has it on record.
func paired(t *testing.T, id string, p keys.Public) broker.TokenData {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(p.Sign))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	return broker.TokenData{ID: id, Kind: broker.ConsoleKey, Hash: hex.EncodeToString(sum[:])}
}

type machine struct {
	tokens []broker.TokenData
	screen []byte
	fleet  string
	now    time.Time
}

func (m *machine) eyes() *Eyes {
	return New(Options{
		Tokens: func() []broker.TokenData { return m.tokens }, Screen: func() []byte { return m.screen }, Now: func() time.Time { return m.now },
		Fleet: func() (broker.TokenData, bool) { return broker.TokenData{ID: m.fleet}, m.fleet != "" },
	})
}

func by(id string) broker.Actor { return broker.Actor{Kind: broker.ByOperator, ID: id} }

func TestOperator(t *testing.T) {
	ana, ben, gus, box := key(t, 1), key(t, 2), key(t, 3), key(t, 4)
	r := &members.Roster{Fleet: "team-abc123", FourEyes: []string{"api"}, Until: noon.Add(time.Hour), Members: []members.Member{
		{Public: ana, Name: "ana", Role: members.Owner},
		{Public: ben, Name: "ben", Role: members.Operator},
		{Public: gus, Name: "gus", Role: members.Guard},
		{Public: box, Name: "box", Role: members.Machine},
	}}
	m := &machine{fleet: r.Fleet, now: noon, screen: ana.Sign}
	fleetBen := broker.FleetID(ben.ID(), "ben")
	mint := func(id string, by broker.Actor) broker.TokenData { return broker.TokenData{ID: id, By: by} }
	m.tokens = []broker.TokenData{
		paired(t, "k-ben", ben), paired(t, "k-gus", gus), paired(t, "k-other", key(t, 9)),
		{ID: "k-bad", Hash: "no hex"},
		mint("t-ben", by(fleetBen)), mint("t-ben2", by("token:t-ben")), mint("t-console", by(broker.ConsoleID("k-ben", "desk"))), mint("t-screen", by("")),
		mint("t-loop", by("token:t-loop")), mint("t-process", broker.Actor{Kind: broker.ByProcess}),
	}
	e := m.eyes()
	e.Set(r, ana.Sign)
	for id, want := range map[string]string{
		"":       "ana", // the broker's own screen
		fleetBen: "ben", broker.ConsoleID("k-ben", "desk"): "ben", "token:t-ben": "ben", "token:t-ben2": "ben", "token:t-console": "ben", "token:t-screen": "ana",
		broker.FleetID(ana.ID(), "somebody else"): "ana",
		// A guard, a machine, a stranger, a console of nobody, a token of nobody.
		broker.FleetID(gus.ID(), "gus"): "", broker.FleetID(box.ID(), "box"): "", broker.FleetID("x", "ana"): "", broker.ConsoleID("k-gus", ""): "",
		broker.ConsoleID("k-other", "ana"): "", broker.ConsoleID("gone", ""): "", broker.ConsoleID("k-bad", ""): "",
		"token:once": "", "token:t-loop": "", "token:t-process": "", "token:": "", broker.ResumeKeyID: "", "fleet:/": "",
	} {
		got, name, err := e.Operator(by(id))
		if name != want || (err == nil) != (want != "") || (got == "") != (want == "") {
			t.Errorf("%q is %q %q, %v, want %q", id, got, name, err, want)
		}
	}
	if _, _, err := e.Operator(broker.Actor{Kind: broker.ByProcess, ID: fleetBen}); err == nil {
		t.Error("a process that says it is ben counts")
	}
	m.screen = nil
	if _, _, err := e.Operator(by("")); !errors.Is(err, errUnknown) {
		t.Errorf("a screen of nobody: %v", err)
	}
	m.now = noon.Add(2 * time.Hour)
	if _, _, err := e.Operator(by(fleetBen)); !errors.Is(err, errOver) {
		t.Errorf("after the list is over: %v", err)
	}
}

// Attack: who may not allow alone has the machine leave the fleet, or join their own.
func TestLeavingIsNoWayOut(t *testing.T) {
	ana, ben := key(t, 1), key(t, 2)
	list := func(fleet string, number uint64, projects ...string) *members.Roster {
		return &members.Roster{Fleet: fleet, Number: number, FourEyes: projects, Until: noon.Add(time.Hour), Members: []members.Member{
			{Public: ana, Name: "ana", Role: members.Owner}, {Public: ben, Name: "ben", Role: members.Operator},
		}}
	}
	m := &machine{now: noon, fleet: "team-abc123", screen: ana.Sign}
	e := m.eyes()
	if e.NeedsTwo("/src/api") || e.Set(list("team-abc123", 1), ana.Sign) {
		t.Error("nothing is listed")
	}
	if !e.Set(list("team-abc123", 2, "api"), ana.Sign) || !e.NeedsTwo("/src/api") || e.NeedsTwo("/src/web") {
		t.Error("api is listed")
	}
	m.fleet = ""
	if _, _, err := e.Operator(by("")); !errors.Is(err, errNoFleet) || !e.NeedsTwo("/src/api") {
		t.Errorf("after it left: %v", err)
	}
	m.fleet = "mine-abc123"
	if e.Set(list("mine-abc123", 3), ana.Sign) || !e.NeedsTwo("/src/api") {
		t.Error("another fleet's list holds")
	}
	if _, _, err := e.Operator(by("")); !errors.Is(err, errNoFleet) {
		t.Errorf("in another fleet: %v", err)
	}
	m.fleet = "team-abc123"
	if e.Set(list("team-abc123", 1), ana.Sign) || !e.NeedsTwo("/src/api") {
		t.Error("a list from before holds again")
	}
	if e.Set(list("team-abc123", 9), ben.Sign) || !e.NeedsTwo("/src/api") {
		t.Error("a list holds that no owner signed")
	}
	if !e.Set(list("team-abc123", 3), ana.Sign) || e.NeedsTwo("/src/api") {
		t.Error("its owners took it from the list")
	}
	blind := m.eyes()
	blind.Blind()
	if _, _, err := blind.Operator(by("")); !errors.Is(err, errBlind) || !blind.NeedsTwo("/anywhere") || blind.Set(list("team-abc123", 4), ana.Sign) {
		t.Errorf("a list that cannot be read: %v", err)
	}
}
