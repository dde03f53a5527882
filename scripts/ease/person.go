package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/store"
)

// person sits at a console and allows at once whatever waits.
type person struct {
	socket string
	store  *store.Store
	broker *service.Broker
	end    func()
	done   sync.WaitGroup

	mu    sync.Mutex
	asked map[string]question // by the call's id
}

// question is a call that waited.
type question struct {
	does   []risk.Does
	reason string
}

// operator is who decides here.
var operator = broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}

// sit starts a broker with these rules, over a store and a socket in the folder home.
func sit(ctx context.Context, home string, list []rules.Rule) (*person, error) {
	p := &person{socket: filepath.Join(home, "broker.sock"), asked: map[string]question{}}
	st, err := store.Open(ctx, filepath.Join(home, "aoctl.db"))
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	b, err := service.New(ctx, st, service.Options{Socket: p.socket, Rate: -1})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the broker: %w", err), st.Close())
	}
	p.store, p.broker = st, b
	ctx, cancel := context.WithCancel(ctx)
	p.end = cancel
	for _, r := range list {
		if _, err := b.SaveRule(ctx, r, operator); err != nil {
			p.leave()
			return nil, fmt.Errorf("save the grant: %w", err)
		}
	}
	l, err := api.Listen(p.socket)
	if err != nil {
		p.leave()
		return nil, fmt.Errorf("listen: %w", err)
	}
	snapshot, updates := b.Watch(ctx)
	p.done.Go(func() { p.watch(ctx, snapshot, updates) })
	p.done.Go(func() {
		if err := b.Serve(ctx, l); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "ease: serve:", err)
		}
		_ = l.Close()
	})
	return p, nil
}

// leave ends the broker.
func (p *person) leave() {
	p.end()
	p.done.Wait()
	if err := errors.Join(p.broker.Close(), p.store.Close()); err != nil {
		fmt.Fprintln(os.Stderr, "ease: end the broker:", err)
	}
}

func (p *person) watch(ctx context.Context, snapshot broker.Snapshot, updates <-chan broker.Update) {
	for ctx.Err() == nil {
		for _, r := range snapshot.Requests {
			p.see(ctx, r)
		}
		for u := range updates {
			if u.Request != nil {
				p.see(ctx, *u.Request)
			}
		}
		snapshot, updates = p.broker.Watch(ctx) // fell behind
	}
}

// see allows a call that waits, and keeps why it does.
func (p *person) see(ctx context.Context, r broker.Request) {
	if r.State != broker.Pending {
		return
	}
	p.mu.Lock()
	q := question{}
	if a := r.Assessment; a != nil {
		q = question{a.Does, a.Reason}
	}
	p.asked[r.ID] = q
	p.mu.Unlock()
	_, err := p.broker.Decide(ctx, r.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: r.Digest})
	if err != nil && !errors.Is(err, broker.ErrAlreadyDecided) && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "ease: allow:", err)
	}
}

// saw is what came of each call that reached aoctl, in the order in which they came. dir
// is the project.
func (p *person) saw(ctx context.Context, dir string) ([]outcome, error) {
	list, err := p.store.Requests(ctx, broker.RequestFilter{})
	if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	slices.SortFunc(list, func(a, b broker.Request) int { return a.CreatedAt.Compare(b.CreatedAt) })
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []outcome
	for _, r := range list {
		q, asked := p.asked[r.ID]
		c := call{tool: r.ToolName}
		_ = json.Unmarshal(r.ToolInput, &c.input) // a call without members is named by its tool
		all = append(all, outcome{line: within(dir, c.line()), asked: asked, does: q.does, reason: q.reason})
	}
	return all, nil
}
