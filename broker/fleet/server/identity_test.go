package server

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker/fleet/jet"
)

// meet has two ends shake hands, and write and read one byte: with TLS 1.3 a client learns only then
// that it was refused.
func meet(server, client *tls.Config) error {
	a, b := net.Pipe()
	one, two := tls.Server(a, server), tls.Client(b, client)
	ends := make(chan error, 1)
	go func() {
		_, err := one.Write([]byte{1})
		if err != nil {
			_ = a.Close()
		}
		ends <- err
	}()
	_, err := two.Read(make([]byte, 1))
	_ = b.Close()
	return errors.Join(err, <-ends)
}

// Servers of a cluster know each other by their key file, and nobody else comes in.
func TestRoutesTakeTheSameKeyAlone(t *testing.T) {
	us, other := identity{bytes.Repeat([]byte{1}, keySize)}, identity{bytes.Repeat([]byte{2}, keySize)}
	if err := meet(us.routes(), us.routes()); err != nil {
		t.Errorf("the same key: %v", err)
	}
	nameless := us.routes()
	nameless.Certificates = nil
	for name, ends := range map[string][2]*tls.Config{
		"another server's key":        {us.routes(), other.routes()},
		"no key":                      {us.routes(), nameless},
		"the one that members know":   {us.routes(), {MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, Certificates: us.clients().Certificates}},
		"a server with another key":   {other.routes(), us.routes()},
		"what members connect to":     {us.clients(), us.routes()},
		"a member's pin for routes":   {us.routes(), jet.TLS(us.pin())},
		"another pin":                 {us.clients(), jet.TLS(other.pin())},
		"no authority vouches for it": {us.clients(), jet.TLS(nil)},
	} {
		if meet(ends[0], ends[1]) == nil {
			t.Errorf("%s comes through", name)
		}
	}
	if err := meet(us.clients(), jet.TLS(us.pin())); err != nil {
		t.Errorf("a member: %v", err)
	}
	if us.password() == other.password() || bytes.Equal(us.pin(), other.pin()) {
		t.Error("they do not follow from the key")
	}
}

func TestKeyFile(t *testing.T) {
	folder := t.TempDir()
	one, err := identityIn(folder)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := identityIn(folder); err != nil || !bytes.Equal(one.secret, again.secret) {
		t.Errorf("it is another one the second time: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, keyFile), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := identityIn(folder); err == nil {
		t.Error("a short one is taken")
	}
}
