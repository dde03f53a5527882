package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/far"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// What became of an order on a machine of the fleet.
const (
	confirmed = "confirmed"
	later     = "later" // out of reach: it does it when it is back
	failed    = "failed"
)

// onMachine is what became of an order on another machine of the fleet.
type onMachine struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"` // confirmed, later or failed
	Error  string `json:"error,omitempty"`
}

// fleetOrder is something that all machines of a fleet are to do. It has the words for that, too.
type fleetOrder struct {
	give func(context.Context, *far.Broker) error
	done string // "stopped"
	will string // "stops when it is back"
}

var (
	stopOrder = fleetOrder{func(ctx context.Context, b *far.Broker) error {
		_, _, err := b.StopAll(ctx, broker.Actor{})
		return err
	}, "stopped", "stops when it is back"}
	freezeOrder = fleetOrder{func(ctx context.Context, b *far.Broker) error {
		return b.Freeze(ctx, "", true, broker.Actor{})
	}, "frozen", "freezes when it is back"}
)

// inFleet reports whether the person is in a fleet that has a server. It is true where that cannot be
// told: then others reports it.
func inFleet() bool {
	me, err := member.Load()
	if err != nil {
		return !member.InNone(err)
	}
	return len(me.Servers) > 0
}

// others gives an order to the machines of the person's fleet. here says that this machine has done it
// already. note is for who may not give it: then there is nothing but the note. Errors: exit.Error.
func others(ctx context.Context, o fleetOrder, here bool) (list []onMachine, note string, err error) {
	me, err := member.Load()
	if err != nil {
		return nil, "", untold(err)
	}
	if why := peers.BornOfAgentHere(); why != "" {
		return nil, "an agent's process orders nothing of the fleet's other machines", nil
	}
	line, err := me.Reach(ctx)
	if err != nil {
		return nil, "", untold(err)
	}
	defer line.Close()
	r := me.Roster()
	if m, ok := r.Of(me.Key.Public().Sign); ok && !m.Role.Includes(members.Guard) {
		return nil, fmt.Sprintf("a %s of fleet %s orders nothing of its other machines", m.Role, r.Name), nil
	}
	if here {
		key, err := member.MachineKey()
		if err != nil {
			return nil, "", untold(err)
		}
		r.Members = slices.DeleteFunc(r.Members, func(m members.Member) bool { return m.ID() == key.Public().ID() })
	}
	ctx, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	b := far.New(far.Options{Key: me.Key, Roster: r, Line: line, Log: slog.New(slog.DiscardHandler)})
	running.Go(func() { b.Run(ctx) })
	b.Watch(ctx) // it returns when all that are in reach have said so
	err = o.give(ctx, b)
	if _, told := errors.AsType[*far.LaterError](err); err != nil && !told {
		return nil, "", untold(err)
	}
	return onEach(&r, err), "", nil
}

// onEach is what became of an order on each machine of r. err is nil where all confirmed.
func onEach(r *members.Roster, err error) (list []onMachine) {
	sum, _ := errors.AsType[*far.LaterError](err)
	for i := range r.Members {
		if r.Members[i].Role != members.Machine {
			continue
		}
		m := onMachine{ID: r.Members[i].ID(), Name: r.Members[i].Name, Status: confirmed}
		if sum != nil {
			switch why := sum.Of(m.ID); {
			case why == nil:
			case isLater(why):
				m.Status = later
			default:
				m.Status, m.Error = failed, strings.TrimPrefix(broker.Plain(why), m.Name+": ")
			}
		}
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(x, y onMachine) int { return strings.Compare(x.Name, y.Name) })
	return list
}

func isLater(err error) bool {
	_, is := errors.AsType[*far.LaterError](err)
	return is
}

// everywhere gives an order to the fleet's other machines after this one was told, prints what became
// of it, and is how the command ends. hereErr is how this machine took it: that no broker runs here is
// no error where others were told.
func everywhere(cmd *cobra.Command, o fleetOrder, hereErr error, print func([]onMachine) error) error {
	list, note, err := others(cmd.Context(), o, hereErr == nil)
	switch {
	case note != "" && hereErr == nil:
		exit.PrintProblem(cmd.ErrOrStderr(), "only this machine is "+o.done+": "+note, "")
	case note != "":
		return both(hereErr, errors.New(note))
	}
	if len(list) > 0 && isNoConsole(hereErr) {
		hereErr = nil
	}
	if hereErr == nil || len(list) > 0 {
		if err := print(list); err != nil {
			return err
		}
	}
	if err == nil {
		err = unconfirmed(list)
	}
	return both(hereErr, err)
}

func isNoConsole(err error) bool {
	e, ok := errors.AsType[exit.Error](err)
	return ok && e.Code == exit.NoConsole
}

// both is an error that stands first, with what else went wrong below it.
func both(here, there error) error {
	switch {
	case here == nil:
		return there
	case there == nil:
		return here
	}
	e, ok := errors.AsType[exit.Error](here)
	if !ok {
		e = exit.Error{Code: exit.Failed, Text: here.Error(), Cause: here}
	}
	e.List = append(e.List, there.Error())
	return e
}

// untold says that the fleet's other machines were told nothing, and why.
func untold(err error) error {
	e, ok := errors.AsType[exit.Error](err)
	if !ok {
		e = exit.Error{Code: exit.Failed, Text: broker.Plain(err), Cause: err}
	}
	e.Text = "the fleet's other machines were not told: " + e.Text
	return e
}

// printOthers prints a line for each machine.
func printOthers(out io.Writer, list []onMachine, o fleetOrder) error {
	for _, m := range list {
		text := "machine " + m.Name + ": "
		switch m.Status {
		case confirmed:
			text += o.done
		case later:
			text += "out of reach, " + o.will
		default:
			text += "not " + o.done + ": " + m.Error
		}
		if err := show.Line(out, safe.Line(text)); err != nil {
			return err
		}
	}
	return nil
}

// unconfirmed is an error where not all machines confirmed.
func unconfirmed(list []onMachine) error {
	n := 0
	for _, m := range list {
		if m.Status != confirmed {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return exit.Error{
		Code: exit.Survivors, Text: figures.Plural(n, "machine") + " of the fleet did not confirm: agents there may go on",
		Hint: "aoctl --fleet shows them; --here keeps to this machine",
	}
}
