package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// defect is a protection that is taken out: text that occurs exactly once in a file. A file without a
// folder is one of the engine's.
type defect struct{ name, file, from, to string }

var defects = []defect{
	{"whoever decides last wins", "decide.go", "\tcase c.Req.State.Terminal():\n\t\treturn in.late(s, now, c)\n", ""},
	{"a stop does not speak about later calls", "ask.go", "case se.Row.State.UnderStop():\n\t\treturn &broker.Outcome{State: broker.Denied", "case false:\n\t\treturn &broker.Outcome{State: broker.Denied"},
	{"a stop is acknowledged that is not recorded", "session.go", "\tse.savedAt, se.savedAs, se.owes, se.doubtful = now", "\tif se.Row.State.UnderStop() {\n\t\tc.Sessions = nil\n\t}\n\tse.savedAt, se.savedAs, se.owes, se.doubtful = now"},
	{"another call under a known id gets the known answer", "ask.go", "case c != nil && !broker.SameCall(*c.Req, *q):", "case false:"},
	{"a grant is not used up", "ask.go", "\t\ts.grants.Drop(grantKey(c.Req.SessionID, c.Req.SubagentID, c.Req.Digest))\n\t\ts.change.UseGrant = &broker.GrantUse{ID: used.grant, By: c.Req.ID}\n", ""},
	{"a call waits on after its deadline", "deadline.go", "case c.overdue(now):\n\t\ts.timeOver(now, c)\n", ""},
	{"what could not be recorded is allowed all the same", "unrecorded.go", "if in.Decision.Verdict != broker.Deny {", "if false {"},
	{"a failed round is not taken back", "loop.go", "\t\tl.state.Undo()\n\t\tvar fault", "\t\tl.state.Keep()\n\t\tvar fault"},
	{"a decision is acknowledged that is not recorded", "loop.go", "err = l.record(ctx, list)", "_ = l.record(ctx, list)"},
	{"a freeze does not hold what a person allows", "decide.go", "\tif allows {\n\t\tif err := in.frozen", "\tif false {\n\t\tif err := in.frozen"},
	{"a frozen answer is told", "freeze.go", "if !broker.LetsRun(*r) || s.held(r.SessionID) == \"\" {", "if true {"},
	{"a removed rule goes on allowing", "ask.go", "case in.Judged.Rules != s.now.rules.Version:", "case false:"},
	{"a refusal that the disk could not take is forgotten", "unrecorded.go", "\t\ts.debts.Put(in.Question.ID, never)\n", ""},
	{"a freeze does not hold what is left to an agent's prompt", "decide.go", "\tallows := d.Verdict != broker.Deny\n", "\tallows := d.Verdict == broker.Allow\n"},
	{"time that is over leaves a call to its agent's prompt", "deadline.go", "case s.limits.OnTimeout == broker.Ask && ", "case "},
	{"time that is over leaves a frozen call to its agent's prompt", "deadline.go", "case s.held(c.Req.SessionID) != \"\":", "case false:"},
	{"screens are not told that a call is held", "freeze.go", "\t\t\t\ts.emit(ShowCall{req})\n", ""},
	{"screens are not told that a call is put off", "state.go", "func (o *out) show(c *Call) { o.emit(ShowCall{c.Req}, ShowSession{c.Req.SessionID}) }", "func (o *out) show(c *Call) { o.emit(ShowSession{c.Req.SessionID}) }"},
	{"a decision is on record as another operator's", "decide.go", "\treturn Reply{Call: *s.end(now, c, d.Outcome()).Req, Done: true}", "\to := d.Outcome()\n\to.By.ID = \"\"\n\treturn Reply{Call: *s.end(now, c, o).Req, Done: true}"},
	{"an id is used again before its refusal is written", "ask.go", "case s.debts.Has(q.ID):", "case false:"},
	{"a stop is forgotten whose session began in a lost round", "unrecorded.go", "\t\tse.Row, se.doubtful = row, true\n", "\t\t_ = se\n"},
	{"a call that is put off is lost when its agent asks again", "defer.go", "\ts.queue(c)\n", "\tc.move(waiting)\n\ts.now.waiting++\n"},
}

const (
	enginePath = "broker/engine"
	seeds      = 6000 // worlds in which a defect must show; some ten seconds
	fleetSeeds = 150  // the same for fleets
)

// fleetDefects are protections that machines and consoles of a fleet have.
var fleetDefects = []defect{
	{"an order is taken as often as it comes", "broker/fleet/orders/orders.go", "w.has(o.Number) {", "false {"},
	{"an order is taken that has expired", "broker/fleet/orders/orders.go", "case !now.Before(o.Expires):", "case false:"},
	{"an order is taken that is for an earlier run", "broker/fleet/orders/orders.go", "case !o.Waits() && o.Boot != d.boot:", "case false:"},
	{"an order is taken that is for another machine", "broker/fleet/orders/orders.go", " || o.Machine != d.machine:", ":"},
	{"a guard allows", "broker/fleet/orders/orders.go", "case !has.Includes(need.Role):", "case false:"},
	{"a roster that is over lets its operators allow", "broker/fleet/orders/orders.go", "case !need.Refuses && !d.roster.Fresh(now):", "case false:"},
	{"whoever was put out goes on giving orders", "broker/fleet/link/inbox.go", "\tin.desk.SetRoster(r)\n", ""},
	{"an order is carried out that is not on record", "broker/fleet/link/inbox.go", "if err := in.record(ctx, &t, waited); err != nil {", "if err := in.record(ctx, &t, waited); false {\n\t\t\t_ = err"},
	{"an order that waited is lost when the disk fails", "broker/fleet/link/inbox.go", "if err == nil || !waited || ctx.Err() != nil {", "if true {"},
	{"an order that was answered is carried out by a later run", "broker/fleet/link/run.go", "\t\t\t\tdelete(unsolved, a.Mark)\n", ""},
	{"events are appended behind whatever there is", "broker/fleet/link/outbox.go", "o.events.Append(ctx, o.after, list)", "o.events.Append(ctx, func() uint64 { l, _ := o.events.Newest(ctx); return l.Seq }(), list)"},
	{"where the stream ends is not looked up after an error", "broker/fleet/link/outbox.go", "\t\to.known = false\n", ""},
	{"what there is is told once", "broker/fleet/link/states.go", "\t\treturn fmt.Errorf(\"tell what there is: %w\", err)\n", "\t\t_ = fmt.Errorf\n"},
	{"what there is is not told again over another line", "broker/fleet/link/run.go", "\tif r.states.begun {\n\t\tr.states.again()\n\t}\n\tif len", "\tif len"},
	{"a key that was lost is not told again", "broker/fleet/link/run.go", "if len(r.letters) > 0 {", "if false {"},
}

// tryDefects takes each defect in and looks whether a world shows it: as many at a time as there are processors, and
// each is told in its turn.
func tryDefects(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "aoctl-sim")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, stop := context.WithCancel(ctx)
	var trying sync.WaitGroup
	defer trying.Wait()
	defer stop()
	all := slices.Concat(defects, fleetDefects)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	tried := make([]chan outcome, len(all))
	for i, d := range all {
		tried[i] = make(chan outcome, 1)
		trying.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			how, err := d.try(ctx, filepath.Join(dir, strconv.Itoa(i)))
			tried[i] <- outcome{how, err}
		})
	}
	blind := 0
	for i, d := range all {
		o := <-tried[i]
		if o.err != nil {
			return fmt.Errorf("%s: %w", d.name, o.err)
		}
		how := o.how
		if how == "" {
			blind++
			how = "NOT FOUND"
		}
		fmt.Printf("%-60s %s\n", d.name, how)
	}
	if blind > 0 {
		fmt.Printf("%d defects were not found\n", blind)
		return errBroken
	}
	return nil
}

// outcome is what try returns.
type outcome struct {
	how string
	err error
}

// try returns how d was found, "" when it was not. It makes the folder dir.
func (d defect) try(ctx context.Context, dir string) (string, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	overlay, err := d.overlay(dir)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "sim")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", program, "./scripts/sim") //nolint:gosec // G204: our own sources
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // an engine may hang with it
	defer cancel()
	worlds, fleets, story := seeds, 0, true
	if d.fleet() {
		worlds, fleets, story = 0, fleetSeeds, false // that takes long
	}
	out, err := exec.CommandContext(ctx, program, "-worlds", fmt.Sprint(worlds), "-fleets", fmt.Sprint(fleets), fmt.Sprintf("-story=%t", story)).Output() //nolint:gosec // G204: just built
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		return "", err
	}
	line, _, _ := strings.Cut(string(out), "\n")
	how := fmt.Sprintf("found in %4.1f s", time.Since(began).Seconds())
	if story {
		how += fmt.Sprintf(", told in %d lines", bytes.Count(out, []byte("\n")))
	}
	return how + ": " + strings.TrimPrefix(line, "BROKEN "), nil
}

// fleet reports whether fleets show d.
func (d defect) fleet() bool { return strings.Contains(d.file, "/") }

// overlay writes the changed file and the list that go build takes.
func (d defect) overlay(dir string) (string, error) {
	path := d.file
	if !d.fleet() {
		path = filepath.Join(enginePath, d.file)
	}
	from, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(from) //nolint:gosec // G304: our own sources
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), d.from); n != 1 {
		return "", fmt.Errorf("%s has %q %d times, it must be there once: bring the defect up to date", d.file, d.from, n)
	}
	to := filepath.Join(dir, filepath.Base(d.file))
	if err := os.WriteFile(to, []byte(strings.Replace(string(text), d.from, d.to, 1)), 0o600); err != nil { //nolint:gosec // G703: in our own folder
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{from: to}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
