package run

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/hookclient/runner"
)

const (
	lingerHere     = 3 * time.Second // for a console that is away when the agent has ended
	lingerDetached = time.Hour
)

// options are those of the runner that s describes, as the foreground has them.
func (s spec) options() runner.Options {
	return runner.Options{
		Start: s.Start, Keep: s.Keep, Socket: s.Socket, Timeout: s.Timeout, Env: splitEnv(s.Env),
		Linger: lingerHere, NewID: uuid.NewString,
	}
}

// runHere runs s in the foreground. It exits with 1 when the last turn failed, and has said
// so then. It takes no context: signals are commands here, and the first one need not end
// it.
func runHere(s spec, console *client.Client, asJSON bool, stdout, stderr io.Writer) error {
	log, closeLog, err := openLog(s.Start.Log)
	if err != nil {
		return err
	}
	defer closeLog()
	commands, stop := foregroundCommands()
	defer stop()
	o := s.options()
	o.Log, o.Commands = log, commands
	p := &printer{out: stdout, notes: stderr, json: asJSON, keep: s.Keep}
	o.Show = p.show
	w := watch{console: console, session: s.Start.SessionID, p: p}
	o.Ready = func() { p.begin(w.name(), s.Start.SessionID) }
	ctx, ended := context.WithCancel(context.Background())
	defer ended()
	if width, _ := show.Terminal(stderr); width > 0 && !asJSON {
		go w.follow(ctx)
	}
	result, err := runner.Run(context.Background(), o)
	p.end(result)
	switch {
	case err != nil:
		return explain(err, s.Socket)
	case result.Failed:
		return exit.QuietError(exit.Failed)
	}
	return nil
}

// foregroundCommands turns signals into what the person wants: the first ctrl+c ends the
// turn, the second one and every other signal the session. The runner tells a first
// interrupt from a second one. The returned func stops it and may be called again.
func foregroundCommands() (<-chan runner.Command, func()) {
	signals, commands, done := make(chan os.Signal, 4), make(chan runner.Command), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE) // a closed stdout is an error of writing, and ends the session in order
	go func() {
		for {
			c := runner.End
			select {
			case s := <-signals:
				if s == os.Interrupt {
					c = runner.Interrupt
				}
			case <-done:
				return
			}
			select {
			// The runner may be busy; a signal waits for it, and four more wait in the
			// channel.
			case commands <- c:
			case <-done:
				return
			}
		}
	}()
	var once sync.Once
	return commands, func() { once.Do(func() { signal.Stop(signals); close(done) }) }
}
