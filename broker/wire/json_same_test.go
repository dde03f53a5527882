package wire

import (
	"encoding/json"
	"math/big"
	"slices"
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

func TestIdentical(t *testing.T) {
	for _, tt := range []struct {
		x, y string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, " {\"b\" : [true, null],\"a\":1}\n", true},
		{`{"a":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{`[0.10, -0, 1E+2, 1e400]`, `[0.10,-0,1E+2,1e400]`, true},
		{`[1.0]`, `[1]`, false},
		{`[100]`, `[1e2]`, false},
		{`[1e2]`, `[1E2]`, false},
		{`[0]`, `[-0]`, false},
		{`{"n":9007199254740993}`, `{"n":9007199254740992}`, false},
		{`[1]`, `["1"]`, false},
		{`[]`, `{}`, false},
		{`[null]`, `[]`, false},
		{`{"a":null}`, `{}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":1,"a":1}`, `{"a":1,"a":1}`, false}, // two readers may read it in two ways
		{`{"a":1,"A":2}`, `{"a":1,"A":2}`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, false},
		{`"\ud800"`, `"\ud800"`, false},
		{"\"\xff\"", "\"\xff\"", false},
		{"\"\xff\"", `"\ufffd"`, false},
		{``, ``, false},
		{`{}x`, `{}x`, false},
	} {
		if got := Identical(json.RawMessage(tt.x), json.RawMessage(tt.y)); got != tt.want {
			t.Errorf("Identical(%s, %s) = %v", tt.x, tt.y, got)
		}
		if got := Identical(json.RawMessage(tt.y), json.RawMessage(tt.x)); got != tt.want {
			t.Errorf("Identical(%s, %s) = %v", tt.y, tt.x, got)
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

// FuzzIdentical: what is read strictly is identical to itself and to what is written anew of
// it, and to nothing that is not the same, or that has another number.
func FuzzIdentical(f *testing.F) {
	for _, s := range []string{typical, `{"n":9007199254740993}`, `[1.50,-0,1e400]`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", ``} {
		f.Add(s, s)
	}
	f.Add(`[1.50]`, `[15e-1]`)
	f.Add(`{"a":1,"b":2}`, `{"b":2,"a":1}`)
	f.Fuzz(func(t *testing.T, x, y string) {
		strict := Check([]byte(x), MaxDepth) == nil
		if Identical(json.RawMessage(x), json.RawMessage(x)) != strict {
			t.Errorf("%q is read strictly: %v, identical to itself: %v", x, strict, !strict)
		}
		if v, ok := strictly(json.RawMessage(x)); ok {
			again, err := json.Marshal(v)
			if err != nil || !Identical(again, json.RawMessage(x)) {
				t.Errorf("%q is not identical to %s, %v", x, again, err)
			}
		}
		both := Identical(json.RawMessage(x), json.RawMessage(y))
		if both != Identical(json.RawMessage(y), json.RawMessage(x)) {
			t.Errorf("the order counts for %q and %q", x, y)
		}
		if both && (!Same(json.RawMessage(x), json.RawMessage(y)) || !slices.Equal(numbersIn(x), numbersIn(y))) {
			t.Errorf("%q and %q are not identical", x, y)
		}
	})
}

// numbersIn are the numbers of a text as they are written, sorted.
func numbersIn(text string) []string {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var all []string
	for {
		token, err := dec.Token()
		if err != nil {
			slices.Sort(all)
			return all
		}
		if n, ok := token.(json.Number); ok {
			all = append(all, n.String())
		}
	}
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
