package service

import (
	"cmp"
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/metrics"
	"github.com/aoctl/aoctl/broker/spans"
)

// Telemetry is what programs that watch over machines are told of the broker. Its zero value is
// nothing.
type Telemetry struct {
	Version string
	Metrics bool          // GET /metrics
	Screens func() int    // consoles in other processes; nil when none can attach
	Spans   spans.Options // what to send; nothing without an address. The rooms in it are the broker's
}

// Measure counts and times calls as t says, from now on. It comes before Serve, and stop after
// Close: it sends what is over, within two seconds. It is called once.
func (b *Broker) Measure(t Telemetry) (stop func()) {
	var takes []func(broker.Event)
	var news []func(broker.Request, time.Duration)
	ends := []func(){func() {}}
	o := metrics.Options{Version: t.Version, Status: b.Status, Head: b.store.Head, Readers: b.feed.Readers, Screens: t.Screens}
	if !t.Spans.To.None() {
		t.Spans.Version, t.Spans.Request, t.Spans.SessionName, t.Spans.Log = t.Version, b.Request, b.nameOf, b.opts.Log
		s := spans.Start(t.Spans)
		takes, news, ends = append(takes, s.Take), append(news, s.New), append(ends, s.Close)
		o.Spans = s.Counts
	}
	catch := func(context.Context) bool { return false }
	o.Catch = func(ctx context.Context) bool { return catch(ctx) }
	if t.Metrics {
		m := metrics.New(o)
		takes, news = append(takes, m.Take), append(news, m.New)
		b.AdmitMetrics(m)
	}
	if len(takes) == 0 {
		return func() {}
	}
	b.OnNew(func(r broker.Request, took time.Duration) {
		for _, f := range news {
			f(r, took)
		}
	})
	tap, remove := b.feed.Tap(func(e broker.Event) {
		for _, f := range takes {
			f(e)
		}
	})
	catch = tap.Catch
	return func() {
		remove()
		for _, f := range ends {
			f()
		}
	}
}

// nameOf is what people call a session; "" when nobody knows it.
func (b *Broker) nameOf(ctx context.Context, id string) string {
	s, err := b.Session(ctx, id)
	if err != nil {
		return ""
	}
	return cmp.Or(s.Name, id)
}
