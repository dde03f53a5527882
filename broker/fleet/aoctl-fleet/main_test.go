package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
)

func TestRunsUntilItIsEnded(t *testing.T) {
	raw, err := keys.Encode(fleettest.Sign(t, fleettest.NewRoster(t)))
	if err != nil {
		t.Fatal(err)
	}
	roster := filepath.Join(t.TempDir(), "first")
	if err := os.WriteFile(roster, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "server")
	args := []string{"--folder", folder, "--listen", "127.0.0.1:0", "--roster", roster}
	for range 2 { // the second time from what it has in its folder
		ctx, end := context.WithCancel(t.Context())
		out, in := io.Pipe()
		code := make(chan int, 1)
		go func() { code <- run(ctx, args, in, io.Discard) }()
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var r ready
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		pin, err := hex.DecodeString(r.Pin)
		if err != nil {
			t.Fatal(err)
		}
		l := fleettest.Dial(t, jet.Options{Servers: []string{r.URL}, Pin: pin, Key: fleettest.Key(t, fleettest.Owner), Fleet: fleettest.ID})
		fleettest.Until(t, l, func(s jet.State) bool { return s.Up })
		end()
		if got := <-code; got != 0 {
			t.Fatalf("it ends with %d", got)
		}
		args = args[:4]
	}
	for _, name := range []string{"key", "roster"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestWrongFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", 2, "--folder"},
		{"--folder x rest", 2, "rest"},
		{"--folder x --replicas 2", 2, "--replicas"},
		{"--folder x --replicas 3", 2, "--cluster-name"},
		{"--folder x --cluster-name c", 2, "--cluster-listen"},
		{"--folder x --cluster-name c --cluster-listen localhost:1", 2, "--route"},
		{"--folder x --route localhost:1", 2, "--cluster-name"},
		{"--folder x --max-events 0", 2, "--max-events"},
		{"--folder x --keep-days 0", 2, "--keep-days"},
		{"--folder x --roster " + os.DevNull, 2, "--roster"},
		{"--folder x --nothing", 2, "nothing"},
		{"--help", 0, "--route"},
		{"--folder " + t.TempDir() + " --listen 127.0.0.1:0", 1, "no roster"},
	} {
		var errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(c.args), io.Discard, &errs); code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: code %d, %s", c.args, code, errs.String())
		}
	}
}
