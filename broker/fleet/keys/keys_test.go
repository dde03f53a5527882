package keys

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

func key(tb testing.TB, seed byte) Key {
	tb.Helper()
	k, err := New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

type said struct {
	Text string `json:"text"`
	More int    `json:"more,omitempty"`
}

func TestSignedOpensAsWhatItIs(t *testing.T) {
	s, err := key(t, 1).Sign(KindOrder, said{Text: "stop", More: 2})
	if err != nil {
		t.Fatal(err)
	}
	var got said
	if err := s.Open(KindOrder, &got); err != nil || got != (said{"stop", 2}) {
		t.Fatalf("opened %+v, %v", got, err)
	}
	if err := s.Open(KindRoster, &got); !errors.Is(err, ErrForged) {
		t.Errorf("an order was read as a roster: %v", err)
	}
	other := s
	other.By = key(t, 2).Public().Sign
	if err := other.Open(KindOrder, &got); !errors.Is(err, ErrForged) {
		t.Errorf("somebody else signed it as well: %v", err)
	}
	for _, part := range [][]byte{s.Body, s.Sig, s.By} {
		for i := range part {
			part[i] ^= 1
			if err := s.Verify(KindOrder); !errors.Is(err, ErrForged) {
				t.Fatalf("a changed byte %d passes: %v", i, err)
			}
			part[i] ^= 1
		}
	}
	for _, short := range []Signed{{}, {Body: s.Body, By: s.By[:31], Sig: s.Sig}, {Body: s.Body, By: s.By, Sig: s.Sig[:63]}} {
		if err := short.Verify(KindOrder); !errors.Is(err, ErrForged) {
			t.Errorf("%v passes: %v", short, err)
		}
	}
}

func TestDecodeIsStrict(t *testing.T) {
	raw, err := Encode(map[string]any{"text": "a", "extra": 1})
	if err != nil {
		t.Fatal(err)
	}
	var v said
	if Decode(raw, &v) == nil {
		t.Error("a field that is not known was read over")
	}
	twice := []byte{0xa2, 0x64, 't', 'e', 'x', 't', 0x61, 'a', 0x64, 't', 'e', 'x', 't', 0x61, 'b'}
	if Decode(twice, &v) == nil {
		t.Error("a field that comes twice was read")
	}
	whole, _ := Encode(said{Text: "a"})
	if Decode(append(whole, 0), &v) == nil {
		t.Error("what stands behind the end was read over")
	}
}

// The secret that opens follows from the one that signs, so one file holds both.
func TestSealedForOne(t *testing.T) {
	a, b := key(t, 1), key(t, 2)
	if again := key(t, 1); again.Public().ID() != a.Public().ID() || a.Public().ID() == b.Public().ID() {
		t.Fatal("ids do not follow from keys")
	}
	sealed, err := a.Public().Seal("here", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Unseal("here", sealed); err != nil || string(got) != "secret" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := a.Unseal("there", sealed); err == nil {
		t.Error("it opens in another place")
	}
	if _, err := b.Unseal("here", sealed); err == nil {
		t.Error("another member opens it")
	}
}

func TestNoKeys(t *testing.T) {
	good := key(t, 1).Public()
	for name, p := range map[string]Public{"none": {}, "short": {good.Sign[:31], good.Box}, "no box": {good.Sign, nil}, "short box": {good.Sign, good.Box[:31]}} {
		if err := p.Check(); !errors.Is(err, ErrKey) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := p.Seal("x", nil); name != "short" && !errors.Is(err, ErrKey) {
			t.Errorf("%s: sealed for it: %v", name, err)
		}
	}
	if good.Check() != nil {
		t.Error("a good one is none")
	}
	if _, err := New(nil); !errors.Is(err, ErrKey) {
		t.Errorf("made of nothing: %v", err)
	}
}

func FuzzDecodeSigned(f *testing.F) {
	s, _ := key(f, 1).Sign(KindOrder, said{Text: "x"})
	raw, _ := Encode(s)
	f.Add(raw)
	f.Add([]byte{0xa0})
	f.Add([]byte{0xbf, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s Signed
		if Decode(raw, &s) != nil {
			return
		}
		// What decodes is what encodes: nothing else has the same meaning to us.
		again, err := Encode(s)
		var twice Signed
		if err != nil || Decode(again, &twice) != nil || !bytes.Equal(twice.Body, s.Body) {
			t.Fatalf("%x reads as %+v, which does not come back: %v", raw, s, err)
		}
		var v said
		if s.Open(KindOrder, &v) == nil && !bytes.Equal(s.By, key(t, 1).Public().Sign) {
			t.Skip("signed by somebody who exists")
		}
	})
}

// rulesOf is n lists of sixty thousand items of one byte.
func rulesOf(n byte) []byte {
	list := append([]byte{0x99, 60_000 >> 8, 60_000 & 0xff}, bytes.Repeat([]byte{0xa0}, 60_000)...)
	return append([]byte{0x98, n}, bytes.Repeat(list, int(n))...)
}

// A few megabytes from a member must not become gigabytes here.
func TestWhatGrowsIsNotDecoded(t *testing.T) {
	type rule struct{ Text [40]string }
	var all [][]rule
	for name, decode := range map[string]func([]byte, any) error{"strict": Decode, "known": DecodeKnown} {
		if err := decode(rulesOf(100), &all); !errors.Is(err, ErrHeavy) || all != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Decode(rulesOf(1), &all); err != nil || len(all[0]) != 60_000 {
		t.Errorf("what is long and not too long: %v", err)
	}
}

func FuzzWeight(f *testing.F) {
	f.Add([]byte{0x82, 0x98, 0x02, 0xa0, 0xa0, 0xf6})
	f.Add([]byte{0x82, 0x18, 0x20, 0xa1, 0x61, 0x78, 0x81, 0x60})
	f.Fuzz(func(t *testing.T, raw []byte) {
		weight := Weight(raw)
		var v any
		if decodingKnown().Unmarshal(raw, &v) != nil {
			return
		}
		if want := len(raw) + itemWeight*items(v); weight != want {
			t.Fatalf("%x weighs %d, not %d", raw, weight, want)
		}
	})
}

// items counts the items of all lists in v.
func items(v any) (n int) {
	switch v := v.(type) {
	case []any:
		n = len(v)
		for _, item := range v {
			n += items(item)
		}
	case map[any]any:
		for k, item := range v {
			n += items(k) + items(item)
		}
	case cbor.Tag:
		n = items(v.Content)
	}
	return n
}
