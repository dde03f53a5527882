// Command aoctl-fleet is the server of a fleet: `aoctl fleet up` starts it, and it may run on a
// machine of its own. See package server for what it does.
//
// It prints one line of JSON when members can connect ({"url":…,"pin":…}, the pin in hex), logs to
// standard error in JSON, and ends in order on SIGTERM and SIGINT: 0 after that, 1 when it could not
// start, 2 for a wrong flag.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the server until the context ends, and returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	if errors.Is(err, pflag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintf(errs, "aoctl-fleet: %v\n", err)
		return 2
	}
	o.Log = slog.New(slog.NewJSONHandler(errs, nil))
	s, err := server.Start(ctx, o)
	if err != nil {
		_, _ = fmt.Fprintf(errs, "aoctl-fleet: %v\n", err)
		return 1
	}
	defer s.Close()
	if err := json.NewEncoder(out).Encode(ready{s.URL(), hex.EncodeToString(s.Pin())}); err != nil {
		_, _ = fmt.Fprintf(errs, "aoctl-fleet: say where it listens: %v\n", err)
		return 1
	}
	<-ctx.Done()
	return 0
}

// ready is the line that says where members connect.
type ready struct {
	URL string `json:"url"`
	Pin string `json:"pin"`
}

// maxDays bounds --keep-days.
const maxDays = 36500

// parse reads the flags.
func parse(args []string, errs io.Writer) (o server.Options, err error) {
	f := pflag.NewFlagSet("aoctl-fleet", pflag.ContinueOnError)
	f.SetOutput(errs)
	f.SortFlags = false
	f.StringVar(&o.Folder, "folder", "", "where keys, roster and streams lie (required)")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "where members connect, `HOST:PORT`")
	roster := f.String("roster", "", "`FILE` with a signed roster of the fleet, for a folder that has none")
	f.StringVar(&o.Cluster.Name, "cluster-name", "", "the cluster that this server is one of")
	f.StringVar(&o.Cluster.Listen, "cluster-listen", "", "where the other servers connect, `HOST:PORT`")
	f.StringSliceVar(&o.Cluster.Routes, "route", nil, "another server's --cluster-listen; may be repeated")
	f.IntVar(&o.Replicas, "replicas", 1, "how many servers have each message: 1, 3 or 5")
	f.Int64Var(&o.MaxEvents, "max-events", 8<<30, "bytes of events that are kept")
	days := f.Int("keep-days", 90, "how many days events are kept")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("%q is no flag", f.Arg(0))
	case o.Folder == "":
		return o, errors.New("say with --folder where the server keeps what it has")
	case o.Replicas != 1 && o.Replicas != 3 && o.Replicas != 5:
		return o, errors.New("--replicas is 1, 3 or 5")
	case o.Replicas > 1 && o.Cluster.Name == "", (o.Cluster.Name == "") != (o.Cluster.Listen == ""), (o.Cluster.Name == "") != (len(o.Cluster.Routes) == 0):
		return o, errors.New("a cluster takes --cluster-name and --cluster-listen, and the others as --route")
	case o.MaxEvents <= 0:
		return o, errors.New("--max-events is at least 1")
	case *days <= 0 || *days > maxDays:
		return o, fmt.Errorf("--keep-days is from 1 to %d", maxDays)
	}
	o.Keep = time.Duration(*days) * 24 * time.Hour
	if *roster != "" {
		raw, err := os.ReadFile(*roster)
		if err == nil {
			err = keys.Decode(raw, &o.Fleet)
		}
		if err != nil {
			return o, fmt.Errorf("--roster: %w", err)
		}
	}
	return o, nil
}
