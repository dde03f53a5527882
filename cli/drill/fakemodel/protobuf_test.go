package fakemodel

import "testing"

func TestField(t *testing.T) {
	msg := append(number(3, 1<<40), message(2, number(1, 7), message(9, []byte("deep")))...)
	msg = append(msg, 15<<3|5, 1, 2, 3, 4) // four bytes of a fixed size
	msg = append(msg, message(14)...)
	if got := string(field(msg, 2, 9)); got != "deep" {
		t.Errorf("field 9 of field 2 is %q", got)
	}
	if !has(msg, 14) || has(msg, 4) || has(field(msg, 2), 14) {
		t.Error("has does not tell which fields there are")
	}
	for n := range len(msg) - 2 { // field 14 is cut off, at the least
		if has(msg[:n], 14) {
			t.Errorf("found field 14 in %d bytes", n)
		}
	}
}

func FuzzField(f *testing.F) {
	f.Add(message(2, number(1, 7)), uint8(2))
	f.Add([]byte{0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, uint8(2))
	f.Fuzz(func(t *testing.T, msg []byte, no uint8) {
		if got := field(msg, uint64(no), 1); len(got) > len(msg) {
			t.Fatalf("%d bytes of %d", len(got), len(msg))
		}
		if with := append(message(uint64(no), []byte("x")), msg...); string(field(with, uint64(no))) != "x" {
			t.Fatalf("field %d is lost before %q", no, msg)
		}
	})
}
