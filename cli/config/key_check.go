package config

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyHint is what helps with any key that cannot be.
const keyHint = `write one character, or a name such as "enter", "space", "ctrl+r", "alt+x", "f5" or "pgdown"`

// namedKeys are the keys that are no characters. Ctrl and alt go before the keys that move.
// The names are Bubble Tea's, but for "space".
var (
	namedKeys  = strings.Fields("enter space esc tab shift+tab backspace delete insert")
	movingKeys = strings.Fields("up down left right home end pgup pgdown")
)

// isKey reports whether k is a key that a terminal can send, by its name. A key that no
// terminal sends would leave its action without one, and nobody would know why.
func isKey(k string) bool {
	if isCharacter(k) || slices.Contains(namedKeys, k) || slices.Contains(movingKeys, k) || isFunctionKey(k) {
		return true
	}
	if letter, ok := strings.CutPrefix(k, "ctrl+"); ok && isCtrlLetter(letter) {
		return true
	}
	if rest, ok := strings.CutPrefix(k, "alt+"); ok {
		return isCharacter(rest) || slices.Contains(movingKeys, rest) || rest == "enter" || rest == "backspace"
	}
	// Only the keys that move are sent with these; ctrl and a digit, say, is nothing to a
	// terminal.
	for _, with := range []string{"ctrl+", "shift+", "ctrl+shift+"} {
		if rest, ok := strings.CutPrefix(k, with); ok && slices.Contains(movingKeys, rest) {
			return true
		}
	}
	return false
}

// isCharacter reports whether k is one visible character. A mark that joins the character
// before it is not one, and a blank is written "space".
func isCharacter(k string) bool {
	r, size := utf8.DecodeRuneInString(k)
	return size == len(k) && r != utf8.RuneError && r != ' ' && unicode.IsPrint(r) && !unicode.Is(unicode.M, r)
}

// isCtrlLetter reports whether ctrl and this letter are a key of their own: for a terminal,
// ctrl+i is tab and ctrl+m is enter. Upper case does not differ under ctrl.
func isCtrlLetter(letter string) bool {
	return len(letter) == 1 && letter[0] >= 'a' && letter[0] <= 'z' && letter != "i" && letter != "m"
}

// isDigit reports whether k is a digit, which types the code of a dangerous call.
func isDigit(k string) bool { return len(k) == 1 && k[0] >= '0' && k[0] <= '9' }

// isFunctionKey reports whether k is f1 to f12, written just so: "f01" is none.
func isFunctionKey(k string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(k, "f"))
	return strings.HasPrefix(k, "f") && err == nil && n >= 1 && n <= 12 && k == "f"+strconv.Itoa(n)
}

// mayDecide reports whether k may allow or deny a call. It must be pressed on purpose: no
// key that ends a line or moves (a wheel sends those, too), none that comes with a paste,
// no alt (a terminal sends esc and the character), and no digit or number of any script. k
// is known to be a key.
func mayDecide(k string) bool {
	if letter, ok := strings.CutPrefix(k, "ctrl+"); ok {
		// ctrl+v is what many people press to paste.
		return isCtrlLetter(letter) && letter != "v"
	}
	if isFunctionKey(k) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(k)
	return isCharacter(k) && !unicode.IsNumber(r)
}
