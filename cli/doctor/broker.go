package doctor

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/store"
)

// openBroker opens the real broker on a store of its own beside the socket. person,
// where there is one, is at its keys until end closes it all.
//
// It is the console's broker but for its screen: with anything else the drill would
// show that the doctor's own stand-in holds calls. Nothing is logged. end waits until
// the person has left and all is closed; after an error everything is closed already.
// The store lies in the same folder as the socket, so both go with it.
func openBroker(ctx context.Context, socket string, o service.Options, person func(context.Context, *service.Broker)) (end func(), err error) {
	var closers []func()
	end = func() {
		for i := len(closers) - 1; i >= 0; i-- {
			closers[i]()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	l, err := api.Listen(socket)
	if err != nil {
		return nil, err
	}
	closers = append(closers, func() { _ = l.Close() }) // the folder goes anyway
	o.Log = slog.New(slog.DiscardHandler)
	st, err := store.Open(ctx, filepath.Join(filepath.Dir(socket), "drill.db"), store.WithLog(o.Log))
	if err != nil {
		return nil, err
	}
	closers = append(closers, func() { _ = st.Close() })
	b, err := service.New(ctx, st, o)
	if err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx)) // until end, so that all is closed in order
	var under sync.WaitGroup
	under.Go(func() { _ = b.Serve(serving, l) }) // an end before ours shows as a verdict
	if person != nil {
		under.Go(func() { person(serving, b) })
	}
	closers = append(closers, func() {
		stop()
		under.Wait()
		_ = b.Close()
	})
	return end, nil
}
