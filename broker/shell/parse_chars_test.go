package shell

import (
	"strings"
	"testing"
)

// The last and first character of each range that has no picture of its own, and its
// neighbours that have one.
func TestPlainRune(t *testing.T) {
	for _, r := range []rune{
		0x80, 0xa0, 0x180b, 0x180f, 0xfe00, 0xfe0f, 0xe0100, 0xe01ef, 0xff01, 0xff5e, 0x1d400, 0x1d7ff, 0xfe50, 0xfe6b, 0x115f, 0x1160, 0x3164, 0xffa0,
		0x2800, 0x1d159, 0x34f, 0x17b4, 0x17b5, 0xfffc, 0xfffd, 0x37e, 0x1fef, 0x212a, 0x1c0, 0x2223,
	} {
		if plainRune(r) {
			t.Errorf("U+%04X is taken for plain", r)
		}
	}
	for _, r := range []rune{0xa1, 0x180a, 0x1810, 0xfdff, 0xfe10, 0xff5f, 0x1d360, 0x1d800, 0xfe4f, 0xfe70, 'é', '日', 0x1f600} {
		if !plainRune(r) {
			t.Errorf("U+%04X is not taken for plain", r)
		}
	}
}

func TestOddities(t *testing.T) {
	for line, want := range map[string]string{
		"a\tb\nc é":          "",
		"a\u0080":            "it contains U+0080, which cannot be seen for what it is",
		"a\x7f":              "it contains the control character U+007F",
		"a\x1f":              "it contains the control character U+001F",
		"a\xff":              "it contains the byte 0xff, which is no UTF-8",
		"a\ufffd":            "it contains U+FFFD, which cannot be seen for what it is",
		"\x01\x02\x03\x04":   "it contains the control character U+0001; it contains the control character U+0002; it contains the control character U+0003",
		"\u200b\xff\x01\x02": "it contains U+200B, which cannot be seen for what it is; it contains the byte 0xff, which is no UTF-8; it contains the control character U+0001",
	} {
		if got := strings.Join(oddities(line), "; "); got != want {
			t.Errorf("%q: %s\n\twant %s", line, got, want)
		}
	}
}

func TestFalseDash(t *testing.T) {
	for _, s := range []string{"‐a", "―a", "–n", "−n", "−−x", "–−x", "−–x", "––x", "–é"} {
		if !falseDash(s) {
			t.Errorf("%q is not taken for a false option", s)
		}
	}
	for _, s := range []string{"-a", "‖a", "–", "–1", "– a", "", "a–b", "--x", "\u200fa"} {
		if falseDash(s) {
			t.Errorf("%q is taken for a false option", s)
		}
	}
}

func TestLookAlike(t *testing.T) {
	for _, s := range []string{"pаypal", "а1b", "b1а", "éа", "аé", "aα", "aԱ", "aᎠ", "aꓐ", "aⲀ"} {
		if !lookAlike(s) {
			t.Errorf("%q is not taken for a mix of alphabets", s)
		}
	}
	for _, s := range []string{"paypal", "папа", "1а", "é", "a1_", "a日", "日1", "", "α-1"} {
		if lookAlike(s) {
			t.Errorf("%q is taken for a mix of alphabets", s)
		}
	}
}
