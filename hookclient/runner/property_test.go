package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/broker/wire"
)

// TestPeerProperties drives a peer with whatever an agent, a console and a person may do, in
// any order, and checks what must hold all along.
func TestPeerProperties(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{t: t, r: newRig(outer, "do it", rapid.Bool().Draw(t, "keep")), asks: map[string]ask{}, allowed: map[string]bool{}}
		m.look()
		t.Repeat(map[string]func(*rapid.T){
			"":       func(*rapid.T) { m.look() },
			"greet":  m.greet,
			"call":   m.call,
			"decide": m.decide,
			"cancel": m.cancel,
			"ran":    m.ran,
			"result": func(*rapid.T) { m.r.says(resultOK) },
			"junk": func(t *rapid.T) {
				m.r.says(rapid.SampledFrom([]string{"", "{", "[]", "null", `{"type":5}`, `{"type":"user","message":{"content":[{}]}}`, `{"type":"control_response"}`, `{"type":"control_request"}`, `{"type":"control_request","request_id":"z","request":{"subtype":"hook_callback"}}`}).Draw(t, "junk"))
			},
			"order": m.order,
			"time": func(t *rapid.T) {
				m.r.timeUp(rapid.SampledFrom([]string{fmt.Sprintf("step-%d", m.r.out.timers), "aoctl-1", "aoctl-2"}).Draw(t, "timer"))
			},
			"person":  func(t *rapid.T) { m.r.command(rapid.SampledFrom([]Command{Interrupt, End}).Draw(t, "command")) },
			"settled": func(*rapid.T) { m.r.settled(nil, true) },
			"exit":    func(*rapid.T) { m.r.exited(exit{}) },
		})
	})
}

// machine is what a peer must keep to.
type machine struct {
	t    *rapid.T
	r    *rig
	n    int
	asks map[string]ask // by request: under way

	stood   bool // initialize was answered as it should
	greeted bool
	ended   bool // finish was seen
	shut    bool
	allowed map[string]bool // requests that the console allowed
}

func (m *machine) greet(t *rapid.T) {
	ok := rapid.Bool().Draw(t, "ok")
	if !m.greeted && m.r.phase == greeting {
		m.stood = ok
	}
	m.greeted = true
	defer m.r.says(settingsTaken)
	m.r.says(fmt.Sprintf(`{"type":"control_response","response":{"subtype":"success","request_id":"aoctl-1","response":{"hooks_applied":%v}}}`, ok))
}

func (m *machine) call(*rapid.T) {
	m.n++
	m.r.says(gate(fmt.Sprint("q", m.n), fmt.Sprint("t", m.n), "ls"))
}

func (m *machine) pick(t *rapid.T) (ask, bool) {
	for id, a := range m.asks {
		if len(m.asks) == 1 || rapid.Bool().Draw(t, "this "+id) {
			return a, true
		}
	}
	return ask{}, false
}

func (m *machine) decide(t *rapid.T) {
	a, ok := m.pick(t)
	if !ok {
		return
	}
	delete(m.asks, a.id)
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		m.allowed[a.id] = true
		m.r.answer(a, allowJSON, nil)
	case 1:
		m.r.answer(a, denyJSON, nil)
	default:
		m.r.answer(a, "", errors.New("away"))
	}
}

func (m *machine) cancel(t *rapid.T) {
	if a, ok := m.pick(t); ok {
		m.r.says(fmt.Sprintf(`{"type":"control_cancel_request","request_id":%q}`, a.id))
	}
}

func (m *machine) ran(t *rapid.T) {
	if m.n == 0 {
		return
	}
	n := rapid.IntRange(1, m.n).Draw(t, "which")
	was := m.r.phase
	m.r.says(ran(fmt.Sprint("t", n), false))
	if was < stopping && m.r.phase != greeting && !m.allowed[fmt.Sprint("q", n)] && !m.r.ending() {
		m.t.Fatalf("t%d ran without having been allowed, and the session goes on", n)
	}
}

func (m *machine) order(t *rapid.T) {
	m.n++
	kind := rapid.SampledFrom([]string{wire.OrderMessage, wire.OrderInterrupt, wire.OrderMode, wire.OrderEnd}).Draw(t, "kind")
	m.r.orders([]wire.RunOrder{{ID: fmt.Sprint("o", m.n), Kind: kind, Text: "x"}})
}

// look takes in the effects and checks each.
func (m *machine) look() {
	for _, e := range m.r.new() {
		if m.ended {
			m.t.Fatalf("%T after the end", e)
		}
		switch e := e.(type) {
		case send:
			m.sent(e)
		case ask:
			if !m.stood {
				m.t.Fatal("asked before the gate stood")
			}
			m.asks[e.id] = e
		case drop:
			delete(m.asks, e.id)
		case shut:
			if m.shut {
				m.t.Fatal("closed stdin twice")
			}
			m.shut = true
		case finish:
			m.ended = true
		}
	}
	if m.r.phase == over && !m.ended {
		m.t.Fatal("it is over and did not say so")
	}
	if len(m.r.questions.open) != len(m.asks) {
		m.t.Fatalf("%d calls wait, %d are asked about", len(m.r.questions.open), len(m.asks))
	}
}

func (m *machine) sent(e send) {
	text := string(e.line)
	if !json.Valid(e.line) || strings.Count(text, "\n") != 1 {
		m.t.Fatalf("no line of JSON: %q", text)
	}
	refusal := strings.Contains(text, `"subtype":"error"`) || strings.Contains(text, `"permissionDecision":"deny"`)
	if !m.stood && !strings.Contains(text, `"subtype":"initialize"`) && !refusal {
		m.t.Fatalf("said before the gate stood: %s", text)
	}
	var r struct {
		Response struct {
			ID string `json:"request_id"`
		} `json:"response"`
	}
	_ = json.Unmarshal(e.line, &r)
	if strings.Contains(text, `"permissionDecision":"allow"`) && !m.allowed[r.Response.ID] {
		m.t.Fatalf("allowed by nobody: %s", text)
	}
}

// FuzzPeer feeds a peer whatever lines, whole and broken, and checks that nothing is allowed
// that was not, and that every line it writes is one of JSON.
func FuzzPeer(f *testing.F) {
	f.Add(gate("q", "t", "ls") + "\n" + permit("p", "t", "ls") + "\n" + ran("t", false) + "\n" + resultOK)
	f.Add(`{"type":"control_cancel_request","request_id":"q"}` + "\n" + `{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]}}`)
	f.Add(`{"type":"command_lifecycle","command_uuid":"x","state":"started"}` + "\n" + `{"type":"system","subtype":"init","permissionMode":"plan"}`)
	f.Fuzz(func(t *testing.T, text string) {
		r := stands(t, "do it", true)
		err := readLines(strings.NewReader(text), func(l line) bool {
			r.line(l)
			for _, e := range r.new() {
				switch e := e.(type) {
				case ask:
					r.answer(e, denyJSON, nil)
				case send:
					if !json.Valid(e.line) || strings.Count(string(e.line), "\n") != 1 {
						t.Fatalf("no line of JSON: %q", e.line)
					}
					var m struct {
						Response struct {
							Response struct {
								Behavior string `json:"behavior"`
								Hook     struct {
									Decision string `json:"permissionDecision"`
								} `json:"hookSpecificOutput"`
							} `json:"response"`
						} `json:"response"`
					}
					if json.Unmarshal(e.line, &m) == nil && (m.Response.Response.Behavior == "allow" || m.Response.Response.Hook.Decision == "allow") {
						t.Fatalf("allowed by nobody: %s", e.line)
					}
				}
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		r.exited(exit{})
		if r.phase != over {
			t.Fatal("it goes on without a process")
		}
	})
}
