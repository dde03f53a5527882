package consoles

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

// A key is made once and stays; a file that others could have touched is not taken.
func TestKeyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	made, err := LoadIdentity(file)
	must(t, err)
	again, err := LoadIdentity(file)
	if err != nil || again.Fingerprint() != made.Fingerprint() {
		t.Fatalf("read again: %v, %v", again, err)
	}
	info, err := os.Stat(file)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	link := file + ".link"
	must(t, os.Symlink(file, link))
	must(t, os.WriteFile(file+".text", []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600))
	must(t, os.WriteFile(file+".empty", nil, 0o600))
	must(t, os.Mkdir(file+".folder", 0o700))
	for _, bad := range []string{link, file + ".text", file + ".empty", file + ".folder"} {
		if _, err := LoadIdentity(bad); err == nil {
			t.Errorf("%s was taken", filepath.Base(bad))
		}
	}
	must(t, os.Chmod(file, 0o640))
	if _, err := LoadIdentity(file); err == nil {
		t.Error("a key that others can read was taken")
	}
}

// Whatever a console sends, the broker goes on.
func FuzzOrders(f *testing.F) {
	var buf bytes.Buffer
	enc := encoding().NewEncoder(&buf)
	for _, m := range []any{head{Method: "Door.Hello", Seq: 1}, struct{}{}, head{Method: "Calls.Decide", Seq: 2}, Decided{ID: "x", Decision: broker.Decision{Verdict: broker.Allow}}} {
		if err := enc.Encode(m); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(buf.Bytes())
	f.Add([]byte{0x9f, 0x9f, 0x9f})
	f.Add([]byte{0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, sent []byte) {
		r := &room{}
		r.Server = NewServer(Options{Broker: r, Keys: r, Log: slog.New(slog.DiscardHandler)})
		v := &visit{server: r.Server, who: &someone{}, ctx: t.Context(), came: func() string { return "" }}
		v.serve(pipeOf{bytes.NewReader(sent)})
		if len(r.by) > 0 {
			t.Errorf("a console that is not paired decided")
		}
	})
}

// pipeOf is a connection that sends a text and takes everything.
type pipeOf struct{ *bytes.Reader }

func (pipeOf) Write(p []byte) (int, error) { return len(p), nil }
func (pipeOf) Close() error                { return nil }
