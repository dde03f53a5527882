//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/keys"
)

const (
	replicas  = 3
	roomy     = 4 << 30          // bytes of events, where the stream is not to be full
	startMost = 90 * time.Second // until a server takes members in
)

// servers are the processes of the cluster.
type servers struct {
	program string
	list    [replicas]*server
}

// server is one of them; cmd is nil while it does not run.
type server struct {
	folder, listen, cluster string
	others                  []string
	cmd                     *exec.Cmd
	ended                   chan struct{}
	ready                   ready
}

// ready is the line that a server prints once members can connect.
type ready struct {
	URL string `json:"url"`
	Pin string `json:"pin"`
}

// startServers starts the cluster, and tells the world where it is.
func startServers(ctx context.Context, program, dir string, w *world) (*servers, error) {
	s := &servers{program: program}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	roster, err := keys.Encode(w.signed)
	if err != nil {
		return nil, fmt.Errorf("encode the roster: %w", err)
	}
	for i := range s.list {
		one := &server{folder: filepath.Join(dir, strconv.Itoa(i))}
		if err := os.MkdirAll(one.folder, 0o700); err != nil {
			return nil, fmt.Errorf("make a server's folder: %w", err)
		}
		for file, body := range map[string][]byte{"key": secret, "first": roster} {
			if err := os.WriteFile(filepath.Join(one.folder, file), body, 0o600); err != nil {
				return nil, fmt.Errorf("write a server's files: %w", err)
			}
		}
		if one.listen, err = freePort(ctx); err == nil {
			one.cluster, err = freePort(ctx)
		}
		if err != nil {
			return nil, err
		}
		s.list[i] = one
	}
	for i, one := range s.list {
		for j, other := range s.list {
			if i != j {
				one.others = append(one.others, other.cluster)
			}
		}
	}
	if err := s.startAll(ctx, roomy); err != nil {
		return nil, err
	}
	for _, one := range s.list {
		w.urls = append(w.urls, one.ready.URL)
		if w.pin, err = hex.DecodeString(one.ready.Pin); err != nil {
			return nil, fmt.Errorf("read the servers' pin: %w", err)
		}
	}
	return s, nil
}

// startAll starts all that do not run, with room for so many bytes of events.
func (s *servers) startAll(ctx context.Context, room int) error {
	var all sync.WaitGroup
	errs := make(chan error, replicas)
	for _, one := range s.list {
		all.Go(func() { errs <- one.start(ctx, s.program, room) })
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// start starts a server and waits until it takes members in.
func (o *server) start(ctx context.Context, program string, room int) error {
	args := []string{
		"--folder", o.folder, "--roster", filepath.Join(o.folder, "first"), "--listen", o.listen, "--cluster-name", "trial", "--cluster-listen", o.cluster,
		"--replicas", strconv.Itoa(replicas), "--max-events", strconv.Itoa(room),
	}
	for _, r := range o.others {
		args = append(args, "--route", r)
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, args...) //nolint:gosec // G204: the program under trial
	log, err := os.OpenFile(filepath.Join(o.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open a server's log: %w", err)
	}
	defer log.Close()
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a server: %w", err)
	}
	o.cmd, o.ended = cmd, make(chan struct{})
	said := make(chan error, 1)
	go func() {
		line, err := bufio.NewReader(out).ReadBytes('\n')
		if err == nil {
			err = json.NewDecoder(bytes.NewReader(line)).Decode(&o.ready)
		}
		said <- err
		_ = cmd.Wait()
		close(o.ended)
	}()
	select {
	case err = <-said:
	case <-time.After(startMost):
		err = fmt.Errorf("it is not ready after %s", startMost)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("a server does not start, see %s: %w", log.Name(), err)
	}
	return nil
}

// signal sends a signal to a server; one that ends by it is waited for.
func (o *server) signal(sig syscall.Signal) {
	if o.cmd == nil {
		return
	}
	_ = o.cmd.Process.Signal(sig) // it may have ended by itself, which shows later
	if sig == syscall.SIGKILL || sig == syscall.SIGTERM {
		<-o.ended
		o.cmd = nil
	}
}

// stopAll ends all servers in order.
func (s *servers) stopAll() {
	var all sync.WaitGroup
	for _, one := range s.list {
		all.Go(func() { one.signal(syscall.SIGTERM) })
	}
	all.Wait()
}

// stop ends all of them for good.
func (s *servers) stop() {
	for _, one := range s.list {
		if one != nil {
			one.signal(syscall.SIGKILL)
		}
	}
}

func freePort(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("look for a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}
