package runner

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	text := "one\n\n" + long + "\n" + long + "y\ntwo\nhalf"
	var got []line
	if err := readLines(strings.NewReader(text), func(l line) bool { got = append(got, l); return true }); err != nil {
		t.Fatal(err)
	}
	want := []line{{[]byte("one"), whole}, {nil, whole}, {[]byte(long), whole}, {[]byte(long[:headLine]), tooLong}, {[]byte("two"), whole}, {[]byte("half"), halved}}
	if len(got) != len(want) {
		t.Fatalf("%d lines", len(got))
	}
	for i, w := range want {
		if !bytes.Equal(got[i].text, w.text) || got[i].flaw != w.flaw {
			t.Errorf("line %d: %d bytes, %v", i, len(got[i].text), got[i].flaw)
		}
	}
	broken := io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if err := readLines(broken, func(line) bool { return true }); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a broken pipe: %v", err)
	}
}

func FuzzReadLines(f *testing.F) {
	f.Add("a\nb", 1)
	f.Fuzz(func(t *testing.T, text string, chunk int) {
		var back strings.Builder
		r := iotest.OneByteReader(strings.NewReader(text))
		if chunk%2 == 0 {
			r = strings.NewReader(text)
		}
		err := readLines(r, func(l line) bool {
			back.Write(l.text)
			if l.flaw == whole {
				back.WriteByte('\n')
			}
			return true
		})
		if err != nil || back.String() != text {
			t.Errorf("%q became %q, %v", text, back.String(), err)
		}
	})
}
