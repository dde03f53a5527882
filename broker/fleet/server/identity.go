package server

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/jet"
)

const (
	keyFile = "key"
	keySize = 32
)

// identity is what follows from the key file of a server or a cluster.
type identity struct{ secret []byte }

// identityIn reads the key file of a folder, and makes it where there is none.
func identityIn(folder string) (identity, error) {
	path := filepath.Join(folder, keyFile)
	raw, err := os.ReadFile(path) //nolint:gosec // in the folder that the server was given
	if errors.Is(err, fs.ErrNotExist) {
		raw = make([]byte, keySize)
		_, _ = rand.Read(raw) // it never fails
		err = writeFile(path, raw)
	}
	if err != nil {
		return identity{}, fmt.Errorf("the server's key: %w", err)
	}
	if len(raw) != keySize {
		return identity{}, fmt.Errorf("the server's key: %s has %d bytes, not %d", path, len(raw), keySize)
	}
	return identity{raw}, nil
}

// lock has a folder for one server alone, until the file is closed or its process ends.
func lock(folder string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // in the folder that the server was given
	if err != nil {
		return nil, fmt.Errorf("lock the server's folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("another server runs with the folder %s", folder)
	}
	return f, nil
}

// writeFile puts a private file in its place, whole or not at all.
func writeFile(path string, body []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (id identity) derive(what string) []byte {
	raw, err := hkdf.Key(sha256.New, id.secret, nil, "aoctl fleet server 1 "+what, keySize)
	if err != nil {
		panic(err) // the length is a constant
	}
	return raw
}

// certificate is one that its own key signs: what counts is the key. It is good for as long as
// anybody asks.
func (id identity) certificate(what string) tls.Certificate {
	key := ed25519.NewKeyFromSeed(id.derive(what))
	form := x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), DNSNames: []string{"aoctl-fleet"},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, &form, &form, key.Public(), key)
	if err != nil {
		panic(err) // all of it is constant but the key
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err) // it was just made
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// pin is what members know the servers by.
func (id identity) pin() []byte {
	return jet.PinOf(id.certificate("members").Leaf.RawSubjectPublicKeyInfo)
}

// clients is how members reach the server.
func (id identity) clients() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{id.certificate("members")}}
}

// routes is how servers of a cluster reach each other: both ends have the key that follows from the
// same file, and show it.
func (id identity) routes() *tls.Config {
	own := id.certificate("routes")
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAnyClientCert,
		InsecureSkipVerify: true, //nolint:gosec // the key is compared below
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || subtle.ConstantTimeCompare(s.PeerCertificates[0].RawSubjectPublicKeyInfo, own.Leaf.RawSubjectPublicKeyInfo) != 1 {
				return errors.New("this is no server of the cluster: it has another key file")
			}
			return nil
		},
	}
}

// password is what servers of a cluster tell each other, beside their keys.
func (id identity) password() string { return hex.EncodeToString(id.derive("password")) }
