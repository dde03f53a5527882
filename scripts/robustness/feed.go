package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// reader follows the feed, and comes back when its connection or the broker ended.
type reader struct {
	first int64          // the id that it began behind
	last  int64          // of its last event, or of what it was told to be past
	told  map[int64]bool // the events; nil before it came for the first time
}

// follow reads the feed until ctx ends. Now and then it hangs up, in the middle of whatever comes.
func (w *world) follow(ctx context.Context, f *reader) {
	dice := w.dice("reader", 0)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socketIn(w.home))
	}}}
	for pause(ctx, 20*time.Millisecond) {
		if err := w.readFeed(ctx, client, f, dice); err != nil {
			w.violated(err)
		}
	}
}

// readFeed reads until the connection ends. A broker that is away is no error.
func (w *world) readFeed(ctx context.Context, client *http.Client, f *reader, dice *rand.Rand) error {
	ctx, hangUp := context.WithTimeout(ctx, time.Duration(20+dice.IntN(3000))*time.Millisecond)
	defer hangUp()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://aoctl/events/stream", nil)
	if err != nil {
		return err
	}
	if f.told != nil {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(f.last, 10))
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil // it was killed, or stands still
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusServiceUnavailable: // it ends
		return nil
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("the feed answers %s to Last-Event-ID %d", resp.Status, f.last)
	}
	return f.take(bufio.NewScanner(resp.Body))
}

// take takes in what a connection says. An event counts when its blank line has come.
func (f *reader) take(lines *bufio.Scanner) error {
	lines.Buffer(nil, 16<<20)
	id, data := int64(-1), false
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "id":
			id, _ = strconv.ParseInt(value, 10, 64)
		case name == "data":
			data = true
		case lines.Text() == "" && id >= 0:
			if err := f.took(id, data); err != nil {
				return err
			}
			id, data = -1, false
		}
	}
	return nil
}

func (f *reader) took(id int64, event bool) error {
	switch {
	case f.told == nil:
		f.first, f.told = id, map[int64]bool{}
	case id < f.last || event && id == f.last && f.told[id]:
		return fmt.Errorf("the feed told event %d after %d", id, f.last)
	}
	f.last = id
	if event {
		f.told[id] = true
	}
	return nil
}

// missed compares what was told with the log's own events.
func (f *reader) missed(e broker.Event) error {
	if f.told == nil || e.Seq <= f.first || e.Seq > f.last || f.told[e.Seq] == (e.SessionID != "") {
		return nil
	}
	return fmt.Errorf("event %d (%s) was told: %t", e.Seq, e.Type, f.told[e.Seq])
}
