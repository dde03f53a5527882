package e2e

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// cmdRogue is the fleet's server in an attacker's hands, who has its folder: its key, its roster and
// all that is stored. Everybody may do everything there.
//
//	rogue start FOLDER HOST:PORT   it takes the place of the fleet's own
//	rogue stop
//	rogue logins N                 so many lines were proposed to it
//	rogue blind TEXT               nothing of all that it has and hears has the text
//	rogue heard PLACE              something came for a place of that name
//	rogue drop                     forget the newest roster
//	rogue replay PLACE             say again what was said at places of that name, backwards
func cmdRogue(ts *testscript.TestScript, neg bool, args []string) {
	h := hand(ts)
	switch {
	case neg || len(args) == 0:
		ts.Fatalf("usage: rogue start|stop|… …")
	case args[0] == "start" && len(args) == 3:
		ts.Check(h.serve(ts.MkAbs(args[1]), args[2]))
		ts.Defer(h.shut)
	case args[0] == "stop":
		h.shut()
	case args[0] == "logins" && len(args) == 2:
		if got := fmt.Sprint(h.logins.Load()); got != args[1] {
			ts.Fatalf("%s logins", got)
		}
	case args[0] == "blind" && len(args) == 2:
		ts.Check(h.blind(args[1]))
	case args[0] == "heard" && len(args) == 2:
		if !eventually(func() bool { return len(h.heard(args[1])) > 0 }) {
			ts.Fatalf("nothing came at %s", args[1])
		}
	case args[0] == "drop" && len(args) == 1:
		ts.Check(h.drop())
	case args[0] == "replay" && len(args) == 2:
		list := h.heard(args[1])
		slices.Reverse(list)
		for _, m := range list {
			ts.Check(h.hub.Publish(m.Subject, m.Data))
		}
		ts.Check(h.hub.Flush())
		if len(list) == 0 {
			ts.Fatalf("nothing came at %s", args[1])
		}
	default:
		ts.Fatalf("unknown: rogue %s", strings.Join(args, " "))
	}
}

// Check lets everybody in.
func (h *fleetHand) Check(c nats.ClientAuthentication) bool {
	if c.GetOpts().Nkey != "" {
		h.logins.Add(1)
	}
	c.RegisterUser(&nats.User{Username: "anybody"})
	return true
}

// serve is a server with the fleet's own key, as package server derives it, where the folder has one.
func (h *fleetHand) serve(folder, at string) error {
	secret, err := os.ReadFile(filepath.Join(folder, "key"))
	if errors.Is(err, fs.ErrNotExist) {
		secret, err = []byte(rand.Text()), nil
	}
	if err != nil {
		return err
	}
	seed, err := hkdf.Key(sha256.New, secret, nil, "aoctl fleet server 1 members", ed25519.SeedSize)
	if err != nil {
		return err
	}
	key := ed25519.NewKeyFromSeed(seed)
	form := x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"aoctl-fleet"}}
	der, err := x509.CreateCertificate(rand.Reader, &form, &form, key.Public(), key)
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return err
	}
	o := &nats.Options{
		Host: host, NoSigs: true, NoLog: true, MaxPayload: jet.MaxPayload, JetStream: true, StoreDir: filepath.Join(folder, "store"), JetStreamMaxStore: 1 << 40, JetStreamMaxMemory: 1 << 28,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, TLSTimeout: 5,
		CustomClientAuthentication: h, AlwaysEnableNonce: true,
	}
	if o.Port, err = strconv.Atoi(port); err != nil {
		return err
	}
	if h.server, err = nats.NewServer(o); err != nil {
		return err
	}
	h.server.Start()
	if !h.server.ReadyForConnections(waitTime) {
		return errors.New("the server does not begin to listen")
	}
	if h.hub, err = client.Connect("", client.InProcessServer(h.server)); err != nil {
		return err
	}
	h.seen = nil
	if err := h.stored(); err != nil {
		return err
	}
	_, err = h.hub.Subscribe("aoctl.>", func(m *client.Msg) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.seen = append(h.seen, m)
	})
	return err
}

// stored reads all that lies in the streams.
func (h *fleetHand) stored() error {
	js, err := jetstream.New(h.hub)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	for name := range js.StreamNames(ctx).Name() {
		s, err := js.Stream(ctx, name)
		if err != nil {
			return err
		}
		for seq := max(1, s.CachedInfo().State.FirstSeq); seq <= s.CachedInfo().State.LastSeq; seq++ {
			m, err := s.GetMsg(ctx, seq)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			h.seen = append(h.seen, &client.Msg{Subject: m.Subject, Data: m.Data})
		}
	}
	return nil
}

func (h *fleetHand) shut() {
	if h.server != nil {
		h.hub.Close()
		h.server.Shutdown()
		h.server.WaitForShutdown()
		h.server, h.hub = nil, nil
	}
}

// heard is what came at places that have a text in their name.
func (h *fleetHand) heard(place string) (list []*client.Msg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.seen {
		if strings.Contains(m.Subject, "."+place) {
			list = append(list, m)
		}
	}
	return list
}

func (h *fleetHand) blind(text string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.seen {
		if bytes.Contains(m.Data, []byte(text)) || strings.Contains(m.Subject, text) {
			return fmt.Errorf("the server reads %q at %s", text, m.Subject)
		}
	}
	if len(h.seen) == 0 {
		return errors.New("the server has nothing")
	}
	return nil
}

// drop forgets the newest roster.
func (h *fleetHand) drop() error {
	js, err := jetstream.New(h.hub)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	s, err := js.Stream(ctx, told.StreamMembers)
	if err != nil {
		return err
	}
	newest, err := s.GetLastMsgForSubject(ctx, "aoctl.*.roster.*")
	if err != nil {
		return err
	}
	return s.DeleteMsg(ctx, newest.Sequence)
}
