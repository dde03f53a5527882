package sim

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
)

// playFleet makes moves until a promise is broken, and has everything heal and come to its end.
func playFleet(moves []Move, tell bool) (f *fleet) {
	f = newFleet(tell)
	defer f.close()
	defer func() {
		if v := recover(); v != nil {
			f.fail("it panicked: %v", v)
		}
	}()
	for _, m := range moves {
		if f.do(m); f.wrong != "" {
			return f
		}
	}
	f.heal()
	return f
}

// heal ends all that is wrong, and checks that everybody has everything then.
func (f *fleet) heal() {
	f.say("all heals")
	for _, m := range f.machines {
		m.w.disk.faults, m.faults = nil, nil
		m.wake()
		m.connect()
		for range 3 {
			m.w.mend()
		}
	}
	for _, p := range f.people {
		p.cut, p.faults = false, nil
	}
	f.sign(rosterFor)
	for _, m := range f.machines {
		m.roster(f.newest())
	}
	for _, p := range f.people {
		p.follow()
	}
	for range 100 { // a press may come to several orders
		if len(f.flying) > 0 {
			f.arrive(Move{Who: 7})
		}
		for _, m := range f.machines {
			f.fetch(m, true)
		}
	}
	f.alike()
	for _, m := range f.machines {
		if m.w.wrong == "" && f.wrong == "" {
			m.w.settle()
			_ = m.NoteOrder(broker.EventAlarmSeen, struct{}{})
		}
	}
	f.look()
	f.alike()
	for _, m := range f.machines {
		if f.wrong != "" {
			return
		}
		m.ended()
	}
	for _, p := range f.people {
		if len(p.under) > 0 {
			f.fail("%s waits for ever for what came of %s", p.name, p.under[0].what)
		}
	}
}

// ended checks that nothing of the machine is missing.
func (m *machine) ended() {
	if len(m.waiting) > 0 {
		m.f.fail("%d orders wait for %s for ever", len(m.waiting), m.name)
		return
	}
	for range 1000 {
		if any, err := m.carryOut(); err == nil && !any {
			m.carriedOut()
			return
		}
	}
	m.f.fail("%s never comes to the end of its log", m.name)
}

// alike checks that everybody draws what there is, after a while at most.
func (f *fleet) alike() {
	wrong := ""
	for range 60 {
		if f.look(); f.wrong != "" {
			return
		}
		f.pulse(1<<12 - 1)
		wrong = ""
		for _, p := range f.people {
			p.hear(1 << 16)
			for _, m := range f.machines {
				if why := p.behind(m); why != "" && p.sees() {
					wrong = p.name + " " + why
				}
			}
		}
		if wrong == "" {
			return
		}
	}
	f.fail("%s, long after all healed", wrong)
}

// PlayFleet plays the fleet of a seed, of so many moves, as Play does a world.
func PlayFleet(seed uint64, moves int) Result {
	f := playFleet(drawFleet(seed, moves), false)
	steps := 0
	for _, m := range f.machines {
		steps += m.w.steps
	}
	return Result{steps, f.wrong}
}

// StoryFleet tells how a promise is broken in the fleet of a seed, as Story does for a world.
func StoryFleet(seed uint64, moves int) string {
	list := drawFleet(seed, moves)
	wrong := playFleet(list, false).wrong
	if wrong == "" {
		return ""
	}
	list = shrink(list, wrong, func(l []Move) string { return playFleet(l, false).wrong })
	f := playFleet(list, true)
	return fmt.Sprintf("seed %d, %d moves of %d:\n%s", seed, len(list), moves, strings.Join(f.said, "\n"))
}
