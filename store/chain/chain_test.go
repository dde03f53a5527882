package chain_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store/chain"
)

// The hash of a known event, computed outside of Go from what the package
// comment says: what is on disk must stay verifiable.
func TestLinkIsAsWrittenDown(t *testing.T) {
	link := chain.Link{
		Seq: 1, AtMS: 2, Type: "user", Session: "s", Request: "", Data: `{}`, Subject: "request/r", Seal: "12345678901234567890123456789012",
	}
	const want = "64c5eb34dbc75d83d96836369df4930a358b63f7db1a0d44d456a1e7f5f4a08e"
	if got := hex.EncodeToString(hashBytes(link.After(chain.Hash{}))); got != want {
		t.Errorf("hash is %s, want %s", got, want)
	}
}

func hashBytes(h chain.Hash) []byte { return h[:] }

// Any difference in any field gives another hash, also one that only moves a byte
// from one field to the next.
func TestLinkCoversEveryField(t *testing.T) {
	base := chain.Link{Seq: 7, AtMS: 8, Type: "ab", Session: "cd", Request: "ef", Data: "gh", Subject: "ij", Seal: "kl"}
	seen := map[chain.Hash]string{base.After(chain.Hash{}): "base", base.After(chain.Hash{1}): "another predecessor"}
	add := func(name string, l chain.Link) {
		h := l.After(chain.Hash{})
		if other, taken := seen[h]; taken {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
	eachField(&base, func(name string) { add(name, base) })
	moved := base
	moved.Type, moved.Session = "a", "bcd"
	add("a byte moved", moved)
}

func TestSealsCoverEveryField(t *testing.T) {
	r := brokertest.PendingRequest("r", "s")
	seals := sealsOf(t, &r, func() chain.Hash { return chain.SealRequest(&r) })
	// State and outcome are the other seal's matter, and no annotation is part of the record; the
	// asker has two fields.
	if want := reflect.TypeFor[broker.Request]().NumField() - 3 + 1; seals != want {
		t.Errorf("%d of a request's fields change its seal, want %d", seals, want)
	}
	o := brokertest.Outcome(broker.Allowed)
	if seals, want := sealsOf(t, &o, func() chain.Hash { return chain.SealOutcome(chain.Hash{}, &o) }), 9; seals != want {
		t.Errorf("%d of an outcome's fields change its seal, want %d", seals, want)
	}
	g := brokertest.NewGrant("g", r)
	if seals, want := sealsOf(t, &g, func() chain.Hash { return chain.SealGrant(&g) }), 12; seals != want { // all but used_by
		t.Errorf("%d of a grant's fields change its seal, want %d", seals, want)
	}
	made := chain.SealGrant(&g)
	if chain.SealUse(made, "a") == chain.SealUse(made, "b") || chain.SealUse(made, "a") == chain.SealUse(chain.Hash{}, "a") {
		t.Error("a use's seal leaves something out")
	}
	if chain.SealOutcome(chain.Hash{}, &o) == chain.SealOutcome(made, &o) {
		t.Error("an outcome's seal does not cover whose it is")
	}
}

// sealsOf counts the fields of v that make a difference to seal.
func sealsOf(t *testing.T, v any, seal func() chain.Hash) (n int) {
	t.Helper()
	base := seal()
	eachField(v, func(string) {
		if seal() != base {
			n++
		}
	})
	return n
}

// eachField changes each field of the struct v points to, calls do and puts it back.
func eachField(v any, do func(name string)) {
	rv := reflect.ValueOf(v).Elem()
	for i := range rv.NumField() {
		f, name := rv.Field(i), rv.Type().Field(i).Name
		old := reflect.New(f.Type()).Elem()
		old.Set(f)
		switch x := f.Addr().Interface().(type) {
		case *time.Time:
			*x = x.Add(time.Millisecond)
		case *json.RawMessage:
			*x = append(append(json.RawMessage{}, *x...), ' ')
		case **broker.Outcome:
			*x = &broker.Outcome{}
		case **rules.Assessment:
			*x = &rules.Assessment{}
		case **broker.Alarm:
			*x = &broker.Alarm{}
		case **broker.Checkpoint:
			*x = &broker.Checkpoint{}
		case *[]agents.Suggestion:
			*x = append(*x, agents.Suggestion{})
		case *broker.Actor:
			eachField(x, do)
			continue
		case *broker.Annotations:
			eachField(x, do)
			continue
		case *broker.Process:
			eachField(x, do)
			continue
		case *rules.Scope:
			eachField(x, do)
			continue
		case *map[string]string:
			*x = map[string]string{"x": "y"}
		default:
			changePlain(f)
		}
		do(name)
		f.Set(old)
	}
}

func changePlain(f reflect.Value) {
	switch {
	case f.Kind() == reflect.String:
		f.SetString(f.String() + "x")
	case f.Kind() == reflect.Bool:
		f.SetBool(!f.Bool())
	case f.CanInt():
		f.SetInt(f.Int() + 1)
	case f.CanUint():
		f.SetUint(f.Uint() + 1)
	default:
		panic(fmt.Sprintf("a field of type %v", f.Type()))
	}
}

func TestTimes(t *testing.T) {
	if chain.MS(time.Time{}) != 0 || !chain.Time(0).IsZero() {
		t.Error("the zero time does not come back")
	}
	at := time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.FixedZone("x", 3600))
	if got, want := chain.Time(chain.MS(at)), time.Date(2026, 3, 14, 14, 9, 26, 535_000_000, time.UTC); got != want {
		t.Errorf("%v came back as %v, want %v", at, got, want)
	}
}

// What is not UTF-8 is written to the log with U+FFFD in its place; the row keeps the
// bytes, and the two still agree.
func TestAgreesInSpiteOfOddBytes(t *testing.T) {
	r, o := brokertest.PendingRequest("r", "s"), brokertest.Outcome(broker.Denied)
	r.ToolName = "to\xffol"
	r.Digest = broker.Digest(r.ToolName, r.ToolInput, r.CWD)
	o.Reason, o.By.Exe = "b\xc3\x28d \xff\xfe", "/bin/\x80sh"
	if _, err := chain.Check(brokertest.Ended(r, o)); err != nil {
		t.Error(err)
	}
	if _, err := chain.Check(brokertest.DecidedAtOnce(r, o)); err != nil {
		t.Error(err)
	}
	c := brokertest.Ended(r, o)
	c.Settle[0].Outcome.Reason += "!"
	if _, err := chain.Check(c); !errors.Is(err, broker.ErrInvalid) {
		t.Errorf("another reason: %v, want ErrInvalid", err)
	}
}
