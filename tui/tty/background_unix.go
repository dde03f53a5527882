//go:build unix

package tty

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// backgroundWait is how long the terminal may take to tell its background colour. An
// answer that comes later reaches the program as a burst of keys, which never decides.
const backgroundWait = 200 * time.Millisecond

// answers are what a terminal says to the two questions of DarkBackground.
var answers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\]11;[^\a\x1b]*(\a|\x1b\\\\)|\x1b\\[\\?[0-9;]*c")
})

// DarkBackground tells whether the terminal is dark: by COLORFGBG, else by asking it.
// Without an answer it is. typed is true when what was read for an answer was typed:
// those keys are lost.
//
// It blocks for up to backgroundWait and must come before anything else reads the
// terminal.
func DarkBackground(in io.Reader, out term.File) (dark, typed bool) {
	if dark, ok := darkByEnv(os.Getenv("COLORFGBG")); ok {
		return dark, false
	}
	tty, ok := in.(term.File)
	if !ok || !term.IsTerminal(tty.Fd()) || os.Getenv("TERM") == "linux" {
		return true, false
	}
	state, err := term.MakeRaw(tty.Fd())
	if err != nil {
		return true, false
	}
	defer term.Restore(tty.Fd(), state) //nolint:errcheck // nothing can be done about it
	// Every terminal answers the second question, so that one without an answer to the
	// first does not cost the whole wait.
	if _, err := out.Write([]byte("\x1b]11;?\x1b\\\x1b[c")); err != nil {
		return true, false
	}
	answer := readAnswer(int(tty.Fd()))
	dark, ok = darkByAnswer(answer)
	return dark || !ok, typedIn(answer)
}

// typedIn reports whether there is more in an answer than a terminal's words.
func typedIn(answer string) bool { return answers().ReplaceAllString(answer, "") != "" }

// readAnswer reads what the terminal says, up to the end of its second answer, or as
// much as came in time.
func readAnswer(fd int) string {
	var answer []byte
	for end := time.Now().Add(backgroundWait); len(answer) < 256; {
		wait := unix.NsecToTimeval(int64(max(0, time.Until(end))))
		var set unix.FdSet
		set.Set(fd)
		n, err := unix.Select(fd+1, &set, nil, nil, &wait)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			break
		}
		var b [64]byte
		n, err = unix.Read(fd, b[:])
		if err != nil || n <= 0 {
			break
		}
		answer = append(answer, b[:n]...)
		if at := strings.LastIndex(string(answer), "\x1b[?"); at >= 0 && strings.Contains(string(answer[at:]), "c") {
			break
		}
	}
	return string(answer)
}

// darkByEnv reads COLORFGBG, such as "15;0" or "0;default;15": the last number is the
// background.
func darkByEnv(v string) (dark, ok bool) {
	parts := strings.Split(v, ";")
	n, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil || len(parts) < 2 {
		return false, false
	}
	return n < 7 || n == 8, true
}

// darkByAnswer reads "ESC ] 11 ; rgb:1e1e/2020/2828", whose parts have one to four
// hexadecimal digits. The parts are weighed as eyes do (ITU-R BT.601).
func darkByAnswer(answer string) (dark, ok bool) {
	_, rest, found := strings.Cut(answer, "]11;rgb:")
	if !found {
		return false, false
	}
	var light float64
	for i, weight := range [3]float64{0.299, 0.587, 0.114} {
		parts := strings.SplitN(rest, "/", 3)
		if len(parts) != 3 {
			return false, false
		}
		digits := parts[i]
		if end := strings.IndexFunc(digits, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }); end >= 0 {
			digits = digits[:end]
		}
		n, err := strconv.ParseUint(digits, 16, 16)
		if err != nil {
			return false, false
		}
		light += weight * float64(n) / float64(uint64(1)<<(4*len(digits))-1)
	}
	return light < 0.5, true
}
