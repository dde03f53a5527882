package wire

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
)

func TestSame(t *testing.T) {
	for _, tt := range []struct {
		x, y string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, " {\"b\" : [true, null],\"a\":1}\n", true},
		{`{"a":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{`{"n":9007199254740993}`, `{"n":9007199254740992}`, false},
		{`{"n":9007199254740993}`, `{"n": 9007199254740993}`, true},
		{`[0.1]`, `[0.1000000000000000055]`, false},
		{`[1.50]`, `[15e-1]`, true},
		{`[100]`, `[1E+2]`, true},
		{`[0]`, `[-0.00e7]`, true},
		{`[-1]`, `[1]`, false},
		{`[1e999999999]`, `[10e999999998]`, true},
		{`[1e999999999999999999999]`, `[1e999999999999999999999 ]`, true}, // as they are written
		{`[1e999999999999999999999]`, `[1e999999999999999999998]`, false},
		{`[1e400]`, `[2e400]`, false},
		{`[1]`, `["1"]`, false},
		{`[null]`, `[]`, false},
		{`{"a":null}`, `{}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":1,"a":2}`, `{"a":1,"a":2}`, true}, // the very bytes
		{`{"a":1,"a":2}`, `{"a":2}`, false},
		{`{"a":1,"A":2}`, `{"A":2,"a":1}`, false},
		{`"\ud800"`, `"\ud801"`, false},
		{`"\ud800"`, `"\ufffd"`, false},
		{``, ``, false},
		{``, `null`, false},
		{`{}x`, `{}`, false},
	} {
		if got := Same(json.RawMessage(tt.x), json.RawMessage(tt.y)); got != tt.want {
			t.Errorf("Same(%s, %s) = %v", tt.x, tt.y, got)
		}
		if got := Same(json.RawMessage(tt.y), json.RawMessage(tt.x)); got != tt.want {
			t.Errorf("Same(%s, %s) = %v", tt.y, tt.x, got)
		}
	}
}

// Numbers are the same exactly when they are worth the same, as fractions.
func TestSameNumbers(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		whole := rapid.StringMatching(`0|[1-9][0-9]{0,19}`).Draw(t, "whole")
		return rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign") + whole +
			rapid.StringMatching(`(\.[0-9]{1,5})?`).Draw(t, "fraction") + rapid.StringMatching(`([eE][+-]?[0-3])?`).Draw(t, "exponent")
	})
	worth := func(s string) *big.Rat {
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%s is no number", s)
		}
		return r
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := number.Draw(t, "x"), number.Draw(t, "y")
		switch rapid.IntRange(0, 3).Draw(t, "near") { // two drawn numbers are hardly ever near each other
		case 0:
			y = string(plainNumber(x))
		case 1:
			y = worth(x).FloatString(8)
		case 2:
			y = new(big.Rat).Add(worth(x), big.NewRat(1, 10_000_000)).FloatString(8)
		}
		if got, want := Same(json.RawMessage(x), json.RawMessage(y)), worth(x).Cmp(worth(y)) == 0; got != want {
			t.Errorf("Same(%s, %s) = %v", x, y, got)
		}
	})
}

// FuzzSame: whatever is written anew by a reader that keeps numbers is the same, and what
// is the same reads the same to one that does not keep them.
func FuzzSame(f *testing.F) {
	for _, s := range []string{typical, `{"n":9007199254740993}`, `[1.50,-0,1e400]`, `{"a":1,"a":2}`, `"\ud800"`, ``} {
		f.Add(s, s)
	}
	f.Add(`[1.50]`, `[15e-1]`)
	f.Fuzz(func(t *testing.T, x, y string) {
		if !Same(json.RawMessage(x), json.RawMessage(x)) && x != "" {
			t.Errorf("%q is not the same as itself", x)
		}
		if c, ok := canonical(json.RawMessage(x)); ok && !Same(c, json.RawMessage(x)) {
			t.Errorf("%q is not the same as %s", x, c)
		}
		if Same(json.RawMessage(x), json.RawMessage(y)) != Same(json.RawMessage(y), json.RawMessage(x)) {
			t.Errorf("the order counts for %q and %q", x, y)
		}
		if !Same(json.RawMessage(x), json.RawMessage(y)) || x == y {
			return
		}
		var a, b any
		if json.Unmarshal([]byte(x), &a) != nil || json.Unmarshal([]byte(y), &b) != nil {
			return // a number that no float64 can hold
		}
		p, errP := json.Marshal(a)
		q, errQ := json.Marshal(b)
		if errP != nil || errQ != nil || string(p) != string(q) && !strings.Contains(string(p)+string(q), "-0") {
			t.Errorf("%q and %q read as %s and %s", x, y, p, q)
		}
	})
}
