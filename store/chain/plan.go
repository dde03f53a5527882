package chain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker"
)

// Part says for which row of a change an event vouches.
type Part int

// The parts.
const (
	None        Part = iota
	InsertMade       // Change.Insert was made, pending or decided
	InsertEnded      // Change.Insert was made and is decided at once
	Settled          // Change.Settle[Vouch.Index] ended
	GrantMade        // Change.Grant was made
	GrantUsed        // Change.UseGrant was used
	RuleSaved        // a fact: Change.Rules[Vouch.Index] was written
	RuleRemoved      // a fact: Change.Remove[Vouch.Index] was removed
	FactOnly         // a fact that no row repeats
)

// Vouch is what one event of a change vouches for.
type Vouch struct {
	Part    Part
	Index   int                 // into Change.Settle, Rules or Remove
	Subject string              // "" for None, and for facts, which are numbered when they are written
	Decided *broker.DecidedData // the event's data, for Settled and InsertEnded
}

// readsData reports whether the event's data was decoded on the way to v.
func (v Vouch) readsData() bool {
	return v.Part != None && v.Part != GrantMade
}

// Check looks whether c is whole: every row it makes or ends has exactly one event
// that says the same, at the same millisecond, and no event speaks of a row that is
// not in c. It returns one Vouch for each of c.Events.
//
//	a pending Insert    needs one request_created with its tool_name and digest
//	a decided Insert    needs one request_decided; a request_created may go with it
//	each of Settle      needs one request_decided with DecidedData of the same outcome
//	Grant, UseGrant     need one grant_created, one grant_used
//	each of Rules       needs one rule_saved of the same rule
//	each of Remove      needs one rule_removed
//	Used                needs any event, for the time
//
// Errors wrap broker.ErrInvalid: such a change is the caller's mistake.
func Check(c *broker.Change) ([]Vouch, error) {
	ck := checker{c: c, settle: make(map[string]int, len(c.Settle)), seen: map[mark]bool{}, rules: map[string]mark{}}
	if err := ck.rows(); err != nil {
		return nil, fmt.Errorf("%w change: %w", broker.ErrInvalid, err)
	}
	out := make([]Vouch, len(c.Events))
	for i, e := range c.Events {
		v, err := ck.event(e)
		if err != nil {
			return nil, fmt.Errorf("%w change: %s event: %w", broker.ErrInvalid, e.Type, err)
		}
		out[i] = v
	}
	if err := ck.complete(); err != nil {
		return nil, fmt.Errorf("%w change: %w", broker.ErrInvalid, err)
	}
	return out, nil
}

// checker looks at one change. It is made for one change and thrown away.
type checker struct {
	c      *broker.Change
	settle map[string]int  // id → index into c.Settle
	rules  map[string]mark // id → its place in c.Rules or c.Remove
	seen   map[mark]bool
}

// mark names a row of the change by its part, and by its place where there may be several.
type mark struct {
	part  Part
	index int
}

// rows checks what the change writes into tables, before its events are looked at.
func (ck *checker) rows() error {
	if r := ck.c.Insert; r != nil {
		if err := checkRequest(r); err != nil {
			return err
		}
	}
	for i, s := range ck.c.Settle {
		if !s.Outcome.State.Valid() || !s.Outcome.State.Terminal() {
			return fmt.Errorf("request %s cannot end as %q", s.ID, s.Outcome.State)
		}
		if _, twice := ck.settle[s.ID]; twice {
			return fmt.Errorf("request %s ends twice", s.ID)
		}
		ck.settle[s.ID] = i
	}
	for i := range ck.c.Sessions {
		if err := checkSession(&ck.c.Sessions[i]); err != nil {
			return err
		}
	}
	if k := ck.c.Checkpoint; k != nil && (k.RequestID == "" || k.SessionID == "") {
		return fmt.Errorf("a checkpoint without a request or a session")
	}
	return ck.checkRules()
}

// checkSession refuses a session that could not be loaded again. Everything else about it is no
// matter of the log.
func checkSession(s *broker.Session) error {
	switch s.State {
	case broker.SessionActive, broker.SessionIdle, broker.SessionStopping, broker.SessionStopped,
		broker.SessionFinished, broker.SessionGone:
	default:
		return fmt.Errorf("session %s is in state %q", s.ID, s.State)
	}
	if s.ID == "" {
		return fmt.Errorf("a session without an id")
	}
	return nil
}

// checkRequest refuses a request whose state and outcome do not go together, or whose digest is
// another call's.
func checkRequest(r *broker.Request) error {
	switch {
	case r.ID == "":
		return fmt.Errorf("a request without an id")
	case !r.State.Valid():
		return fmt.Errorf("request %s is in state %q", r.ID, r.State)
	case r.State.Terminal() != (r.Outcome != nil):
		return fmt.Errorf("request %s is %s, which does not go with its outcome", r.ID, r.State)
	case r.Outcome != nil && r.Outcome.State != r.State:
		return fmt.Errorf("request %s is %s, its outcome %s", r.ID, r.State, r.Outcome.State)
	}
	return CheckDigest(r)
}

// CheckDigest reports a request whose digest is not that of its own call.
func CheckDigest(r *broker.Request) error {
	if r.Digest != broker.Digest(r.ToolName, r.ToolInput, r.CWD) {
		return fmt.Errorf("the digest of request %s is not that of its call", r.ID)
	}
	return nil
}

// event says what e vouches for, and refuses a second event for the same row.
func (ck *checker) event(e *broker.Event) (Vouch, error) {
	if len(e.Data) > 0 && e.Data[0] != '{' {
		return Vouch{}, fmt.Errorf("data is not a JSON object")
	}
	v, err := ck.vouch(e)
	if err == nil && !v.readsData() && len(e.Data) > 0 && !json.Valid(e.Data) {
		err = fmt.Errorf("data is not a JSON object")
	}
	if err != nil || v.Part == None || v.Part == FactOnly {
		return v, err
	}
	m := mark{v.Part, v.Index}
	if ck.seen[m] {
		return v, fmt.Errorf("%s has two of them", cmp.Or(v.Subject, "the rule"))
	}
	ck.seen[m] = true
	return v, nil
}

// vouch sorts an event by its type. A type that is none of these vouches for no row.
func (ck *checker) vouch(e *broker.Event) (Vouch, error) {
	c := ck.c
	switch e.Type {
	case "":
		return Vouch{}, fmt.Errorf("it has no type")
	case broker.EventRequestCreated:
		return ck.created(e)
	case broker.EventRequestDecided:
		return ck.decided(e)
	case broker.EventGrantCreated:
		if c.Grant == nil {
			return Vouch{}, fmt.Errorf("the change makes no grant")
		}
		return Vouch{Part: GrantMade, Subject: GrantSubject(c.Grant.ID)}, nil
	case broker.EventGrantUsed:
		return ck.grantUsed(e)
	}
	if IsFact(e.Type) {
		return ck.fact(e)
	}
	return Vouch{}, nil
}

// created checks that the event is about the request that the change inserts.
func (ck *checker) created(e *broker.Event) (Vouch, error) {
	r := ck.c.Insert
	if r == nil || r.ID != e.RequestID {
		return Vouch{}, fmt.Errorf("the change does not insert request %s", e.RequestID)
	}
	if err := AgreesCreated(r, e.SessionID, e.Data); err != nil {
		return Vouch{}, err
	}
	return Vouch{Part: InsertMade, Subject: RequestSubject(r.ID)}, nil
}

// decided checks that the event tells of an end in the change, the same one and of the same time:
// the log must never say another verdict than the row.
func (ck *checker) decided(e *broker.Event) (Vouch, error) {
	v := Vouch{Subject: RequestSubject(e.RequestID)}
	var o *broker.Outcome
	if i, ok := ck.settle[e.RequestID]; ok {
		v.Part, v.Index, o = Settled, i, &ck.c.Settle[i].Outcome
	} else if r := ck.c.Insert; r != nil && r.ID == e.RequestID && r.Outcome != nil {
		v.Part, o = InsertEnded, r.Outcome
	} else {
		return v, fmt.Errorf("the change does not end request %s", e.RequestID)
	}
	v.Decided = new(broker.DecidedData)
	if err := json.Unmarshal(e.Data, v.Decided); err != nil {
		return v, fmt.Errorf("data: %w", err)
	}
	if MS(e.At) != MS(o.At) {
		return v, fmt.Errorf("request %s ends at another time than its event", e.RequestID)
	}
	if err := agreesOutcome(o, v.Decided); err != nil {
		return v, err
	}
	if v.Part == InsertEnded {
		return v, agreesCall(ck.c.Insert, v.Decided.ToolName, v.Decided.Digest)
	}
	return v, nil
}

// complete reports a row without its event: nothing would vouch for it, and at the next start it
// would not be honoured.
func (ck *checker) complete() error {
	c := ck.c
	if c.Insert != nil {
		part := InsertMade
		if c.Insert.Outcome != nil {
			part = InsertEnded
		}
		if !ck.seen[mark{part: part}] {
			return fmt.Errorf("request %s (%s) has no event of its own", c.Insert.ID, c.Insert.State)
		}
	}
	for i, s := range c.Settle {
		if !ck.seen[mark{Settled, i}] {
			return fmt.Errorf("request %s ends without a %s event", s.ID, broker.EventRequestDecided)
		}
	}
	if c.Grant != nil && !ck.seen[mark{part: GrantMade}] {
		return fmt.Errorf("grant %s has no %s event", c.Grant.ID, broker.EventGrantCreated)
	}
	if c.UseGrant != nil && !ck.seen[mark{part: GrantUsed}] {
		return fmt.Errorf("grant %s is used without a %s event", c.UseGrant.ID, broker.EventGrantUsed)
	}
	return ck.rulesComplete()
}

// AgreesCreated reports how r differs from the session and data of its
// request_created event; nil when they say the same.
func AgreesCreated(r *broker.Request, session string, data []byte) error {
	var d struct {
		ToolName string `json:"tool_name"`
		Digest   string `json:"digest"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if session != r.SessionID {
		return fmt.Errorf("the log has another session for request %s", r.ID)
	}
	return agreesCall(r, d.ToolName, d.Digest)
}

// AgreesDecided reports how the decided request r differs from the session and data
// of its request_decided event; nil when they say the same.
func AgreesDecided(r *broker.Request, session string, data []byte) error {
	var d broker.DecidedData
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if session != r.SessionID {
		return fmt.Errorf("the log has another session for request %s", r.ID)
	}
	if err := agreesCall(r, d.ToolName, d.Digest); err != nil {
		return err
	}
	return agreesOutcome(r.Outcome, &d)
}

// agreesCall compares the call by its tool and digest, which covers the input.
func agreesCall(r *broker.Request, tool, digest string) error {
	if tool != utf8Of(r.ToolName) || digest != r.Digest {
		return fmt.Errorf("the log has another call for request %s", r.ID)
	}
	return nil
}

// agreesOutcome compares everything that an outcome says but its time, which the callers compare.
func agreesOutcome(o *broker.Outcome, d *broker.DecidedData) error {
	by := o.By
	by.ID, by.Exe, by.TTY = utf8Of(by.ID), utf8Of(by.Exe), utf8Of(by.TTY)
	switch {
	case d.Status != o.State:
		return fmt.Errorf("the log says %s, the request %s", d.Status, o.State)
	case d.By != by:
		return fmt.Errorf("the log says %s decided, the request %s", d.By.Kind, o.By.Kind)
	case d.Reason != utf8Of(o.Reason):
		return fmt.Errorf("the log has another reason")
	case !sameText(d.UpdatedInput, o.UpdatedInput):
		return fmt.Errorf("the log has another updated input")
	}
	return nil
}

// utf8Of is s as encoding/json writes it: every byte that is not UTF-8 becomes U+FFFD.
func utf8Of(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// sameText compares as the log writes it: encoding/json drops blanks between tokens
// and escapes <, > and &, which changes no value.
func sameText(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
