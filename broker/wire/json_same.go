package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Same reports whether two JSON texts hold the same value, for every reader of either:
// blanks, escapes and the order of keys do not count, and numbers are compared by their
// digits, never as float64, so 1.50 and 15e-1 are the same and 9007199254740993 and
// 9007199254740992 are not.
//
// What Check refuses could be read differently by two readers, so it is the same as its
// very bytes only. No text at all is no value, and the same as nothing.
//
// It is for comparing what an agent ran with what it was allowed: the agent reads the JSON and
// writes it anew, which changes all of this and no value.
func Same(x, y json.RawMessage) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	if bytes.Equal(x, y) {
		return true
	}
	a, okA := canonical(x)
	b, okB := canonical(y)
	return okA && okB && bytes.Equal(a, b)
}

// Identical is for who decides what may run: the same to every reader, and numbers as they
// are written, so 1.0 and 1 are different, and 1e2 and 100. What Check refuses is identical to
// nothing, not even to itself. It is strict because a rule or a second question may look at the
// text of a number.
func Identical(x, y json.RawMessage) bool {
	a, okA := strictly(x)
	b, okB := strictly(y)
	return okA && okB && reflect.DeepEqual(a, b)
}

// canonical writes a JSON text in the one way that all that are the same share.
func canonical(raw json.RawMessage) ([]byte, bool) {
	v, ok := strictly(raw)
	if !ok {
		return nil, false
	}
	out, err := json.Marshal(plainNumbers(v))
	return out, err == nil
}

// strictly reads what all readers read alike, and keeps its numbers as they are written.
func strictly(raw json.RawMessage) (v any, ok bool) {
	if Check(raw, MaxDepth) != nil {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return v, dec.Decode(&v) == nil
}

// plainNumbers writes every number in v in one way.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return plainNumber(string(v))
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plainNumbers(v[key])
		}
	}
	return v
}

// plainNumber writes a number as a whole one without zeros at its end, and an exponent.
// What it is worth is never computed. One whose exponent fits into no machine word stays
// as it is written.
func plainNumber(s string) json.Number {
	rest, negative := strings.CutPrefix(s, "-")
	mantissa, e, has := strings.Cut(strings.ToLower(rest), "e")
	exponent := 0
	if has {
		var err error
		if exponent, err = strconv.Atoi(e); err != nil || exponent > maxExponent || exponent < -maxExponent {
			return json.Number(s)
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0"
	}
	if negative {
		significant = "-" + significant
	}
	return json.Number(significant + "e" + strconv.Itoa(exponent+len(digits)-len(strings.TrimRight(digits, "0"))-len(fraction)))
}

// maxExponent bounds the exponents that are computed with. Sums of exponent and digits then fit
// into an int on every machine.
const maxExponent = 1 << 30 // well beyond any text's length
