//go:build linux

package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

const fleetID = "trial-0123456789ab"

// world is who is in the fleet.
type world struct {
	project  string // where all calls are made
	machines []party
	people   []party
	roster   members.Roster
	signed   keys.Signed
	names    told.Names

	urls []string // of the servers
	pin  []byte
}

// party is one of them with its key and its state folder.
type party struct {
	members.Member

	home string
	key  keys.Key
}

func (m *party) socket() string   { return filepath.Join(m.home, "broker.sock") }
func (m *party) database() string { return filepath.Join(m.home, "aoctl.db") }

// newWorld makes the members, their folders and keys, and the roster that lists them.
func newWorld(dir string, n sizes) (*world, error) {
	w := &world{project: filepath.Join(dir, "project"), names: told.Names{Fleet: fleetID}}
	if err := os.Mkdir(w.project, 0o700); err != nil {
		return nil, fmt.Errorf("make the project: %w", err)
	}
	at := time.Now().Add(-time.Hour)
	w.roster = members.Roster{Fleet: fleetID, Name: "trial", Number: 1, At: at, Until: at.Add(14 * 24 * time.Hour)}
	for i := range n.machines {
		m, err := newMember(filepath.Join(dir, fmt.Sprintf("m%d", i)), "broker.key", fmt.Sprintf("box-%d", i), members.Machine)
		if err != nil {
			return nil, err
		}
		w.machines = append(w.machines, m)
		w.roster.Members = append(w.roster.Members, m.Member)
	}
	for i := range n.consoles {
		role := members.Operator
		if i == 0 {
			role = members.Owner
		}
		m, err := newMember(filepath.Join(dir, fmt.Sprintf("c%d", i)), "console.key", fmt.Sprintf("person-%d", i), role)
		if err != nil {
			return nil, err
		}
		w.people = append(w.people, m)
		w.roster.Members = append(w.roster.Members, m.Member)
	}
	var err error
	if w.signed, err = members.Begin(w.people[0].key, w.roster); err != nil {
		return nil, fmt.Errorf("sign the roster: %w", err)
	}
	return w, nil
}

func newMember(home, file, name string, role members.Role) (m party, err error) {
	if err := os.Mkdir(home, 0o700); err != nil {
		return m, fmt.Errorf("make a state folder: %w", err)
	}
	id, err := consoles.LoadIdentity(filepath.Join(home, file))
	if err != nil {
		return m, fmt.Errorf("make a key: %w", err)
	}
	key, err := keys.New(id.Key())
	if err != nil {
		return m, fmt.Errorf("make a key: %w", err)
	}
	return party{members.Member{Public: key.Public(), Name: name, Role: role}, home, key}, nil
}

// membership is what a machine knows of its fleet when it joins.
func (w *world) membership() (consoles.Membership, error) {
	raw, err := keys.Encode(w.signed)
	return consoles.Membership{Roster: raw, Servers: w.urls, Pin: w.pin}, err
}

// newID is a name that nobody else has.
func newID() string { return rand.Text() }
