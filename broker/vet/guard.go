package vet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// Options tunes a Guard. Zero fields take the defaults named, but for Command, which has none.
type Options struct {
	Command func() *exec.Cmd // makes the guard's command: a program that calls Serve on its standard input and output
	Size    int              // processes; 2, so that one text that runs away leaves one for the others
	Limit   time.Duration    // for one text; Patience
	Wait    time.Duration    // for a process to be free; twice the limit
	Log     *slog.Logger     // discarded when nil
}

// Result is what became of a text. The zero Result is that of a text that came through and has
// no command line.
type Result struct {
	Why     string // not empty: why it may not be parsed, as the end of a sentence about it
	Legible bool   // it has a command line that the screen may parse as well
}

// Guard vets texts. Its methods may be called from many goroutines, also after Close: then no
// text comes through. idle holds the processes that have nothing to do, alive all that run.
type Guard struct {
	opts   Options
	idle   chan *process
	quit   chan struct{}
	turns  turns
	seen   cache
	mu     sync.Mutex
	closed bool
	alive  map[*process]struct{}
	wg     sync.WaitGroup
}

// What is said of a text that did not come through.
const (
	whyBroke = "it could not be read safely: reading it broke the parser"
	whySlow  = "it could not be read safely: reading it took too long"
	// Busy says nothing of the text: it may be tried again at any time.
	Busy = "it could not be read safely: the process that reads for the console is busy or gone"
)

// failedFor is how long a text that did not come through is not tried again: its reading
// costs the guard, and its sender decides how often.
const failedFor = time.Minute

// Start starts a guard's processes in the background. It returns at once; a text that comes
// before they are there waits for one. A process that cannot be started is tried again, at
// growing intervals.
func Start(o Options) *Guard {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&o.Limit, Patience)
	set(&o.Wait, 2*o.Limit)
	if o.Size <= 0 {
		o.Size = 2
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	g := &Guard{opts: o, idle: make(chan *process, o.Size), quit: make(chan struct{}), alive: map[*process]struct{}{}}
	for range o.Size {
		g.wg.Go(func() { g.revive(0) })
	}
	return g
}

// Close ends the processes and waits for them. It always returns nil, and may be called again.
func (g *Guard) Close() error {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		close(g.quit)
	}
	for p := range g.alive {
		_ = p.cmd.Process.Kill()
	}
	g.mu.Unlock()
	g.wg.Wait()
	return nil
}

// Call vets a tool call. A session has one text vetted at a time, so that its texts do not hold
// up everybody else's.
func (g *Guard) Call(q rules.Question) Result { return g.vet(q.SessionID, callText(kindCall, q)) }

// Offer vets a tool call for which rules are going to be drafted. Drafting runs more of the
// readers, so it has a result of its own.
func (g *Guard) Offer(q rules.Question) Result { return g.vet(q.SessionID, callText(kindOffer, q)) }

// File vets a project's rules file.
func (g *Guard) File(path string, data []byte, project string) Result {
	return g.vet(path, fileText(path, data, project))
}

// frames keeps the buffers of frames.
var frames = sync.Pool{New: func() any { return new([]byte) }}

// vet has t read by a process that is idle, and returns what came of it. What is known of the
// same text is returned at once. whose names who sent it: each gets turns of its own, so that
// one who sends many texts keeps nobody else waiting. Busy, which is said when no turn or no
// process comes free in time, is not kept, since it says nothing about the text. A process that
// did not answer well is ended and another one started in its place.
func (g *Guard) vet(whose string, t text) Result {
	buf, _ := frames.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= keptBuffer {
			frames.Put(buf)
		}
	}()
	*buf = appendFrame((*buf)[:0], t)
	id := sha256.Sum256(*buf)
	// Before the turn: what is known costs no process.
	if r, ok := g.seen.get(id, time.Now()); ok {
		return r
	}
	late := time.NewTimer(g.opts.Wait)
	defer late.Stop()
	if !g.turns.take(whose, late.C, g.quit) {
		return Result{Why: Busy} // says nothing of the text
	}
	defer g.turns.leave(whose)
	p := g.free(late.C)
	if p == nil {
		return Result{Why: Busy}
	}
	answer, err := p.ask(*buf, g.opts.Limit)
	k := kept{}
	switch {
	case err == nil && answer == answerLegible:
		k.Legible = true
	case err == nil && answer == answerRead:
	case errors.Is(err, os.ErrDeadlineExceeded):
		k.Why = whySlow
	default:
		k.Why = whyBroke
	}
	// What fails is tried again after a while, as the fault may have been the machine's.
	if k.Why != "" {
		k.until = time.Now().Add(failedFor)
		g.opts.Log.Warn("a text was not read safely", "bytes", len(*buf), "why", k.Why, "err", err)
	}
	g.seen.put(id, k)
	if err != nil {
		g.replace(p)
	} else {
		p.failed = 0
		g.idle <- p
	}
	return k.Result
}

// free waits for a process that has nothing to do; nil when none came in time. One that ended
// while it had nothing to do is replaced: no text is why. The system ends these processes first
// when memory runs out.
func (g *Guard) free(late <-chan time.Time) *process {
	for {
		select {
		case <-g.quit:
			return nil
		default:
		}
		select {
		case p := <-g.idle:
			select {
			case <-p.ended:
				g.replace(p)
			default:
				return p
			}
		case <-g.quit:
			return nil
		case <-late:
			return nil
		}
	}
}

// replace ends p, which is of no more use, and starts another in its place, in the background.
func (g *Guard) replace(p *process) {
	_ = p.cmd.Process.Kill()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.wg.Go(func() { g.revive(p.failed + 1) })
	}
}

// revive starts a process, after a pause when ones before it failed, until one runs.
func (g *Guard) revive(failed int) {
	for {
		if failed > 1 { // one failure is a text's fault; the next process starts at once
			select {
			case <-time.After(min(25*time.Millisecond<<min(failed, 8), 5*time.Second)):
			case <-g.quit:
				return
			}
		}
		p, err := g.start()
		if err == nil {
			p.failed = failed
			g.idle <- p
			return
		}
		select {
		case <-g.quit:
			return
		default:
		}
		g.opts.Log.Error("no parse guard", "err", err)
		failed++
	}
}

// process is one running guard.
type process struct {
	cmd     *exec.Cmd
	in, out *os.File      // our ends
	ended   chan struct{} // closed once it has ended
	failed  int           // how many in a row ended before their time
}

// startTime bounds how long a guard takes to say hello.
const startTime = 10 * time.Second

// start starts one process and waits for its hello. Our copies of its ends of the pipes are
// closed at once: otherwise a process that died would never end a read of ours.
func (g *Guard) start() (*process, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	p := &process{cmd: g.opts.Command(), in: in, out: out, ended: make(chan struct{})}
	p.cmd.Stdin, p.cmd.Stdout = theirIn, theirOut
	g.mu.Lock()
	if g.closed {
		err = errors.New("closed")
	} else if err = p.cmd.Start(); err == nil {
		g.alive[p] = struct{}{}
		g.wg.Go(func() { g.wait(p) })
	}
	g.mu.Unlock()
	_, _ = theirIn.Close(), theirOut.Close()
	if err == nil {
		if err = p.greeted(); err != nil {
			_ = p.cmd.Process.Kill()
		}
		return p, err
	}
	return nil, errors.Join(err, in.Close(), out.Close())
}

// wait takes leave of p once it has ended.
func (g *Guard) wait(p *process) {
	_ = p.cmd.Wait() // how it ended changes nothing
	close(p.ended)
	g.mu.Lock()
	delete(g.alive, p)
	g.mu.Unlock()
	_, _ = p.in.Close(), p.out.Close()
}

// greeted waits for the first bytes of a new process. Another program that was put in place of
// ours does not say them, and whatever it answered would count as read. It happens when a new
// aoctl is installed while the console runs.
func (p *process) greeted() error {
	if err := p.out.SetReadDeadline(time.Now().Add(startTime)); err != nil {
		return err
	}
	said := make([]byte, len(hello))
	if _, err := io.ReadFull(p.out, said); err != nil {
		return fmt.Errorf("wait for its hello: %w", err)
	}
	if string(said) != hello {
		return errors.New("it is another program")
	}
	return nil
}

// ask has p read a frame. The limit is for both ways: a process that reads slowly is one that
// hangs. After any error nobody knows where in a frame the process is, so it is of no more use.
func (p *process) ask(frame []byte, limit time.Duration) (byte, error) {
	until := time.Now().Add(limit)
	if err := errors.Join(p.in.SetWriteDeadline(until), p.out.SetReadDeadline(until)); err != nil {
		return 0, err
	}
	if _, err := p.in.Write(frame); err != nil {
		return 0, err
	}
	var answer [1]byte
	if _, err := io.ReadFull(p.out, answer[:]); err != nil {
		return 0, err
	}
	return answer[0], nil
}
