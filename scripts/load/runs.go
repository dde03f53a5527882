//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/scripts/internal/ask"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

const (
	runsTime     = 5 * time.Minute // for one step of all sessions
	runsAtOnce   = 8               // are started together
	mostOfRunner = 40.0            // MB
	readTime     = time.Second     // of a person before a question
	pressAgain   = 5 * time.Second // is how long a key may take to have its effect
)

// manyRuns has aoctl hold many sessions of stand-ins for an agent, asks each a question of its
// own, and ends all of them with one key.
func (l *load) manyRuns(ctx context.Context) ([]row, error) {
	c, err := l.openConsole(ctx, "runs", 0)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r := &held{load: l, console: c}
	defer r.kill()
	before, err := host.Memory(ctx, c.PID())
	if err != nil {
		return nil, err
	}
	files := descriptors(c.PID())
	began := time.Now()
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	ready := time.Since(began)
	after, err := host.Memory(ctx, c.PID())
	if err != nil {
		return nil, err
	}
	files = descriptors(c.PID()) - files
	each, runnerFiles, err := r.weigh(ctx)
	if err != nil {
		return nil, err
	}
	right, err := r.converse(ctx)
	if err != nil {
		return nil, err
	}
	took, alive, err := r.stop(ctx)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%d managed sessions", l.runs)
	return []row{
		check(each <= mostOfRunner, name+", runners", "at most 40 MB each", "%.1f MB each, %d descriptors at most; ready after %.1f s", each, runnerFiles, ready.Seconds()),
		check(files <= 5*l.runs, name+", console", "at most 5 descriptors each", "%d descriptors and %.0f KB for each", (files+l.runs-1)/l.runs, (after-before)/1024/float64(l.runs)),
		check(right == l.runs, name+", a question each", "every answer at its own", "%d of %d", right, l.runs),
		check(alive == 0, name+", one key", "all ended", "%d processes left after %.1f s", alive, took.Seconds()),
	}, nil
}

// held are the sessions.
type held struct {
	*load
	console *console
}

func (r *held) name(i int) string { return fmt.Sprintf("held-%03d", i) }

func (r *held) said(i int) string { return filepath.Join(r.dir, r.name(i)+".said") }

// start starts all of them and waits until their first turn is over.
func (r *held) start(ctx context.Context) error {
	slots := make(chan struct{}, runsAtOnce)
	errs := make(chan error, r.runs)
	var starting sync.WaitGroup
	for i := range r.runs {
		slots <- struct{}{}
		starting.Go(func() {
			defer func() { <-slots }()
			cmd := exec.CommandContext(ctx, r.aoctl, "run", "--detach", "--name", r.name(i), "--", r.standin, "say hello") //nolint:gosec // G204: programs that the caller built
			cmd.Env, cmd.Dir = environ(r.console.home, "STANDIN_LOG="+r.said(i)), r.dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("start %s: %w: %s", r.name(i), err, out)
			}
			errs <- err
		})
	}
	starting.Wait()
	close(errs)
	if err := host.Join(errs); err != nil {
		return err
	}
	_, err := r.await(ctx, func(s broker.Session) bool { return s.Run.Turn == broker.TurnIdle })
	return err
}

// await returns the sessions once all are as met says.
func (r *held) await(ctx context.Context, met func(broker.Session) bool) ([]broker.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, runsTime)
	defer cancel()
	for {
		all, err := getList[broker.Session](ctx, r.console, "/sessions")
		if err != nil {
			return nil, err
		}
		var list []broker.Session
		for _, s := range all {
			if s.Run != nil && met(s) {
				list = append(list, s)
			}
		}
		if len(list) == r.runs {
			return list, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d sessions came so far: %w", len(list), r.runs, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// weigh returns the runners' memory, on average, and the most descriptors of one.
func (r *held) weigh(ctx context.Context) (mean float64, files int, err error) {
	list, err := r.await(ctx, func(broker.Session) bool { return true })
	if err != nil {
		return 0, 0, err
	}
	for _, s := range list {
		m, err := host.Memory(ctx, s.Run.Runner.PID)
		if err != nil {
			return 0, 0, err
		}
		mean += m / mb / float64(len(list))
		files = max(files, descriptors(s.Run.Runner.PID))
	}
	return mean, files, nil
}

// converse puts a question to every session and refuses each call for a reason of its own,
// in a random order. It returns how many found their own.
func (r *held) converse(ctx context.Context) (right int, err error) {
	list, err := r.await(ctx, func(broker.Session) bool { return true })
	if err != nil {
		return 0, err
	}
	for _, s := range list {
		if err := r.post(ctx, "/sessions/"+s.ID+"/message", map[string]any{"text": "mark " + s.Name}); err != nil {
			return 0, err
		}
	}
	left := r.runs
	for left > 0 {
		waiting, err := getList[broker.Request](ctx, r.console, "/approval-requests?status=pending")
		if err != nil {
			return 0, err
		}
		rand.Shuffle(len(waiting), func(a, b int) { waiting[a], waiting[b] = waiting[b], waiting[a] }) //nolint:gosec // G404: an order of events
		for _, q := range waiting {
			_, mark, _ := strings.Cut(string(q.ToolInput), "held-")
			if err := r.post(ctx, "/approval-requests/"+q.ID+"/decide", map[string]any{"decision": "deny", "reason": "answer held-" + mark[:3]}); err != nil {
				return 0, err
			}
			left--
		}
	}
	if _, err := r.await(ctx, func(s broker.Session) bool { return s.Run.Turn == broker.TurnIdle }); err != nil {
		return 0, err
	}
	for i := range r.runs {
		text, err := os.ReadFile(r.said(i))
		if err != nil {
			return 0, fmt.Errorf("read what an agent saw: %w", err)
		}
		if strings.Count(string(text), "right "+r.name(i)) == 1 && !strings.Contains(string(text), "WRONG") {
			right++
		}
	}
	return right, nil
}

func (r *held) post(ctx context.Context, path string, body any) error {
	rep, err := r.console.api.Do(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	if rep.Status != http.StatusOK {
		return fmt.Errorf("POST %s: %w", path, &ask.Error{Status: rep.Status, Body: string(rep.Body)})
	}
	return nil
}

// stop ends them all with one key and its question, and counts what is left of them.
func (r *held) stop(ctx context.Context) (took time.Duration, alive int, err error) {
	list, err := r.await(ctx, func(broker.Session) bool { return true })
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	for stopping := false; !stopping; {
		began = time.Now()
		if err := r.press(ctx); err != nil {
			return 0, 0, err
		}
		again, cancel := context.WithTimeout(ctx, pressAgain)
		_, err := r.await(again, func(s broker.Session) bool {
			return s.State == broker.SessionStopping || s.State == broker.SessionStopped
		})
		cancel()
		if ctx.Err() != nil {
			return 0, 0, err
		}
		stopping = err == nil
	}
	if _, err := r.await(ctx, func(s broker.Session) bool { return s.Run.Turn == broker.TurnEnded }); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	for _, s := range list {
		if lives(s.Process) {
			alive++
		}
	}
	return took, alive, nil
}

// press presses S and y as a person does: y only once there is the question, and not right
// behind the other key, which would count as pasted. A console whose card has just changed
// does not hear the S.
func (r *held) press(ctx context.Context) error {
	for {
		if err := r.console.Press("S"); err != nil {
			return err
		}
		again, cancel := context.WithTimeout(ctx, pressAgain)
		err := r.console.WaitFor(again, "and deny")
		cancel()
		if ctx.Err() != nil {
			return err
		}
		if err == nil {
			break
		}
	}
	time.Sleep(readTime)
	return r.console.Press("y")
}

// kill ends what is left over when a step failed.
func (r *held) kill() {
	list, err := getList[broker.Session](context.Background(), r.console, "/sessions")
	if err != nil {
		return
	}
	for _, s := range list {
		if s.Run == nil || s.Run.Turn == broker.TurnEnded {
			continue
		}
		for _, pid := range []int{s.Run.Runner.PID, s.Process.PID} {
			if pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// lives reports whether a process still runs, and is neither a zombie nor another one by now.
func lives(p broker.Process) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	_, rest, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(rest, "Z") && peers.FindProcess(p.PID).Start == p.Start
}

// descriptors counts the files that a process has open; 0 when it is gone.
func descriptors(pid int) int {
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(list)
}
