// Package server is a NATS server with JetStream for one fleet, inside the process that starts it.
//
// It lets in who is in the fleet's newest roster, and nobody else: a member logs in by signing the
// server's nonce (gate), and may then use the subjects of its role and no other (mayOf). A machine
// that joined with an invite is let in as long as the invite is open, and whoever has an invite's key
// may do what joining takes. Rosters come in over the fleet's own stream: the server takes those that
// an owner signed, keeps the newest in its folder, and disconnects at once who is no longer in it.
//
// The server makes the streams, with bounds on everything, and nobody else may change them. It opens
// nothing of what it carries: contents are signed and sealed by the members, and they judge by that.
// So a server that is taken over can keep things back, and no more.
//
// Several servers are one cluster where they have the same key file (the folder's "key"): it is made
// when there is none, and is copied to the others. From it follow the key that members pin and
// the one with which servers know each other.
//
// It is linked into the program aoctl-fleet and into tests, never into aoctl.
package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
)

// Options say how a server runs.
type Options struct {
	Folder    string      // its own, 0700
	Listen    string      // "host:port"; port 0 takes a free one
	Fleet     keys.Signed // a roster of the fleet, where the folder has none yet
	Cluster   Cluster
	Replicas  int           // of each stream: 1, 3 or 5; 0 is 1
	MaxEvents int64         // bytes of events that are kept; 0 is 8 GiB. None is thrown out for a new one.
	Keep      time.Duration // how long events are kept; 0 is 90 days
	Log       *slog.Logger
}

// Cluster is how servers find each other. Its zero value is a server alone.
type Cluster struct {
	Name   string
	Listen string   // "host:port"
	Routes []string // "host:port" of others
}

// Bounds of a server.
const (
	maxConnections = 20_000
	maxSubs        = 256 // of one connection
	maxPending     = 64 << 20
	defaultEvents  = 8 << 30
	maxStore       = 1 << 50 // none: each stream has its own, and one over all keeps a server from starting with less room than before

	startMost = 15 * time.Second // until it listens, after it has read what is stored
)

// Server is one that runs.
type Server struct {
	nats *nats.Server
	pin  []byte
	gate *gate
	tend *tender
	stop context.CancelFunc
	done sync.WaitGroup
	lock *os.File
}

// Start starts a server, and returns when it takes members in. In a cluster that takes more than half
// of the servers; the context bounds how long they are waited for.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("open the server's folder: %w", err)
	}
	held, err := lock(o.Folder)
	if err != nil {
		return nil, err
	}
	s, err := build(&o)
	if err != nil {
		_ = held.Close()
		return nil, err
	}
	s.lock = held
	if err := s.begin(ctx, &o); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// build makes a server that does not listen yet.
func build(o *Options) (*Server, error) {
	id, err := identityIn(o.Folder)
	if err != nil {
		return nil, err
	}
	gate, err := newGate(filepath.Join(o.Folder, "roster"), o.Fleet, o.Log)
	if err != nil {
		return nil, err
	}
	opts, err := o.nats(id)
	if err != nil {
		return nil, err
	}
	opts.CustomClientAuthentication, opts.AlwaysEnableNonce = gate, true
	inner, err := nats.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("make the server: %w", err)
	}
	inner.SetLoggerV2(logger{o.Log}, false, false, false)
	gate.server = inner
	return &Server{nats: inner, pin: id.pin(), gate: gate}, nil
}

func (s *Server) begin(ctx context.Context, o *Options) (err error) {
	s.nats.Start()
	if !s.nats.ReadyForConnections(startMost) {
		return fmt.Errorf("the server does not begin to listen at %s: see its log", o.Listen)
	}
	if s.tend, err = newTender(ctx, s.nats, s.gate, o); err != nil {
		return err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.done.Go(func() { s.tend.follow(life) })
	s.done.Go(func() { s.tend.keepClean(life) })
	return nil
}

// nats are the options of the NATS server.
func (o *Options) nats(id identity) (*nats.Options, error) {
	host, port, err := hostPort(o.Listen)
	if err != nil {
		return nil, err
	}
	name := o.Cluster.Listen
	if name == "" {
		name = o.Listen
	}
	n := &nats.Options{
		ServerName: serverName(name, o.Folder), Host: host, Port: port, NoSigs: true, DontListen: false,
		MaxConn: maxConnections, MaxSubs: maxSubs, MaxPayload: jet.MaxPayload, MaxPending: maxPending,
		TLSConfig: id.clients(), TLSTimeout: 5, AuthTimeout: 5, PingInterval: 15 * time.Second, MaxPingsOut: 2,
		JetStream: true, StoreDir: filepath.Join(o.Folder, o.store()), JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: maxStore,
		// One server alone has to have written what it acknowledges. Of several, most have it in memory.
		SyncAlways:             o.Replicas == 1,
		DisableJetStreamBanner: true,
	}
	if o.Cluster.Name == "" {
		return n, nil
	}
	n.Cluster.Name, n.Cluster.TLSConfig, n.Cluster.TLSTimeout, n.Cluster.NoAdvertise = o.Cluster.Name, id.routes(), 5, true
	n.Cluster.Username, n.Cluster.Password = "server", id.password()
	if n.Cluster.Host, n.Cluster.Port, err = hostPort(o.Cluster.Listen); err != nil {
		return nil, err
	}
	for _, r := range o.Cluster.Routes {
		if _, _, err := hostPort(r); err != nil {
			return nil, err
		}
		n.Routes = append(n.Routes, &url.URL{Scheme: "nats-route", Host: r, User: url.UserPassword(n.Cluster.Username, n.Cluster.Password)})
	}
	return n, nil
}

// store is where the streams lie. Those of a server alone are of another kind than a cluster's, and NATS
// does not make the one into the other: a server that becomes one of several begins with the cluster's.
func (o *Options) store() string {
	if o.Cluster.Name != "" {
		return "cluster"
	}
	return "store"
}

// hostPort takes an address apart. NATS has -1 for a port that is free.
func hostPort(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%q is no address of the form host:port", address)
	}
	if port == 0 {
		port = -1
	}
	return host, port, nil
}

// serverName tells servers of a cluster apart. It stays the same for a folder.
func serverName(address, folder string) string {
	sum := sha256.Sum256([]byte(address + "\x00" + folder))
	return "aoctl-fleet-" + hex.EncodeToString(sum[:6])
}

// URL is where members connect.
func (s *Server) URL() string {
	return "tls://" + s.nats.Addr().String()
}

// Pin is what members know the server by; see jet.Options.
func (s *Server) Pin() []byte { return s.pin }

// Close ends the server. What it acknowledged is stored.
func (s *Server) Close() {
	if s.stop != nil {
		s.stop()
	}
	if s.tend != nil {
		s.tend.close()
	}
	s.done.Wait()
	s.gate.close()
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
	_ = s.lock.Close()
}
