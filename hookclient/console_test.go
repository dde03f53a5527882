package hookclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// testConsole is a real broker on a socket, with a person who answers what waits.
type testConsole struct {
	*service.Broker
	socket string
	store  *brokertest.Memory
	again  chan struct{} // one for each call that was asked again while it waited
	close  func()
}

// listener is a log in which a test hears what the broker has no other word for.
type listener chan struct{}

func (l listener) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("request asked again")) {
		l <- struct{}{}
	}
	return len(line), nil
}

var operator = broker.Actor{Kind: broker.ByOperator}

func openConsole() *testConsole {
	dir, err := os.MkdirTemp("", "ao")
	check(err)
	c := openConsoleAt(filepath.Join(dir, "b.sock"), brokertest.NewMemory())
	end := c.close
	c.close = func() { end(); _ = os.RemoveAll(dir) }
	return c
}

func openConsoleAt(socket string, st *brokertest.Memory) *testConsole {
	l, err := api.Listen(socket)
	check(err)
	again := make(chan struct{}, 100)
	log := slog.New(slog.NewTextHandler(listener(again), &slog.HandlerOptions{Level: slog.LevelDebug}))
	b, err := service.New(context.Background(), st, service.Options{Socket: socket, Log: log, Alive: func(broker.Process) bool { return true }})
	check(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, l) }()
	return &testConsole{Broker: b, socket: socket, store: st, again: again, close: func() {
		cancel()
		check(<-done)
		_ = l.Close()
		check(b.Close())
	}}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// deed is what the person does about one call.
type deed func(c *testConsole, r broker.Request)

func decide(d broker.Decision) deed {
	return func(c *testConsole, r broker.Request) {
		d.By, d.Dangerous = operator, true
		_, err := c.Decide(context.Background(), r.ID, d)
		check(err)
	}
}

func allowInstead(input string) deed {
	return decide(broker.Decision{Verdict: broker.Allow, UpdatedInput: json.RawMessage(input)})
}

func allow() deed { return decide(broker.Decision{Verdict: broker.Allow}) }

func deny(reason string) deed { return decide(broker.Decision{Verdict: broker.Deny, Reason: reason}) }

func stop(c *testConsole, r broker.Request) {
	_, err := c.Stop(context.Background(), r.SessionID, operator)
	check(err)
}

// person does one deed after the other, each about the next call that waits.
func (c *testConsole) person(deeds ...deed) {
	for _, do := range deeds {
		do(c, c.next())
	}
}

// next is the oldest call that waits, as soon as there is one.
func (c *testConsole) next() broker.Request {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, updates := c.Watch(ctx) // whose snapshot has calls, too, that have just ended
	for {
		if list := c.Pending(""); len(list) > 0 {
			return list[0]
		}
		if _, ok := <-updates; !ok {
			panic("nothing waits")
		}
	}
}

// tell prints what a person sees of a session: its state, and what became of its calls.
func (c *testConsole) tell(session string) {
	s, err := c.Session(context.Background(), session)
	check(err)
	fmt.Printf("console: %s of %s is %s\n", s.Name, s.Agent, s.Word())
	events, err := c.store.Events(context.Background(), broker.EventFilter{SessionID: session, After: -1})
	check(err)
	ran := map[string]string{}
	for _, e := range events {
		var d broker.RanData
		check(json.Unmarshal(e.Data, &d))
		switch {
		case e.Type != broker.EventPostTool:
		case e.RequestID == "":
			fmt.Printf("console: %s ran: %s\n", d.ToolName, d.Output)
		default:
			ran[e.RequestID] = ", ran: " + d.Output
		}
	}
	for _, e := range events {
		var d broker.DecidedData
		check(json.Unmarshal(e.Data, &d))
		if e.Type == broker.EventRequestDecided {
			fmt.Printf("console: %s %s%s\n", d.ToolName, d.Status, ran[e.RequestID])
		}
	}
}
