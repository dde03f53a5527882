package consoles

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Identity is the key of one end of a connection. The certificate around it is for TLS alone:
// nobody signs it, and only its key is looked at.
type Identity struct{ cert tls.Certificate }

// Fingerprint names a key: hex SHA-256 of its DER form.
func (i Identity) Fingerprint() string { return fingerprint(i.cert.Leaf) }

// Key is the key itself, for what its holder signs beside this.
func (i Identity) Key() ed25519.PrivateKey {
	key, _ := i.cert.PrivateKey.(ed25519.PrivateKey) // identityOf has put it there
	return key
}

func fingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return hex.EncodeToString(sum[:])
}

// NewIdentity makes a key.
func NewIdentity() (Identity, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Identity{}, err
	}
	return identityOf(key)
}

// identityOf puts a certificate around a key. It is made anew each time; only the key stays.
func identityOf(key ed25519.PrivateKey) (Identity, error) {
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "aoctl"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return Identity{}, fmt.Errorf("make a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return Identity{}, fmt.Errorf("read a certificate: %w", err)
	}
	return Identity{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}}, nil
}

// pemKind is what a file with a key calls it.
const pemKind = "PRIVATE KEY"

// LoadIdentity reads the key in a file, and makes both if there is none. The file is the user's
// alone (0600) and no link; another one is an error, and left as it is.
func LoadIdentity(file string) (Identity, error) {
	id, err := ReadIdentity(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, err
	}
	if id, err = NewIdentity(); err != nil {
		return id, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(id.cert.PrivateKey)
	if err != nil {
		return id, fmt.Errorf("write %s: %w", file, err)
	}
	// Linked into its place whole, so that of two that start at once one has its way and the other
	// reads that.
	tmp, err := os.CreateTemp(filepath.Dir(file), ".key-*")
	if err != nil {
		return id, err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	err = errors.Join(tmp.Chmod(0o600), pem.Encode(tmp, &pem.Block{Type: pemKind, Bytes: der}), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Link(tmp.Name(), file)
	}
	if errors.Is(err, fs.ErrExist) {
		return ReadIdentity(file)
	}
	return id, err
}

// ReadIdentity reads the key in a file.
func ReadIdentity(file string) (Identity, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) //nolint:gosec // in the state folder
	if err != nil {
		return Identity{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return Identity{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || int(st.Uid) != os.Geteuid() {
		return Identity{}, errors.New("it is not a file of yours alone (mode 0600)")
	}
	raw := make([]byte, 4<<10)
	n, _ := f.Read(raw)
	block, _ := pem.Decode(raw[:n])
	if block == nil || block.Type != pemKind {
		return Identity{}, errors.New("it has no key")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return Identity{}, errors.New("it has no key that can be read")
	}
	return identityOf(key)
}

// config is TLS as both ends speak it: 1.3 alone, each with a certificate. Who the other one is, is
// not TLS's to judge: nobody signs these keys.
func (i Identity) config() *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{i.cert}, MinVersion: tls.VersionTLS13, NextProtos: []string{Protocol},
		ClientAuth: tls.RequireAnyClientCert, InsecureSkipVerify: true, //nolint:gosec // keys are pinned: Server looks its tokens up, Client the broker that it was paired with
		SessionTicketsDisabled: true,
	}
}

// Protocol is what the two ends speak, in the Upgrade header and in TLS.
const Protocol = "aoctl-console/1"

// bound is what only the two ends of this very connection know.
func bound(state tls.ConnectionState) ([]byte, error) {
	return state.ExportKeyingMaterial("EXPORTER-aoctl-pairing", nil, 32)
}
