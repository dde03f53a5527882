package console

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/state"
)

// knownBroker is what is known of the broker at an address: its key, from the pairing. It is kept in
// a file, a line for each address: the fingerprint, a blank, the address. The broker of this state
// folder needs no line, as its key lies beside.
type knownBroker struct{ at address }

// check says whether a key is that of the broker. Errors: consoles.ErrOtherBroker, and those of
// reading.
func (k knownBroker) check(fingerprint string) error {
	if isOwn(fingerprint) {
		return nil
	}
	lines, err := k.lines()
	if err != nil {
		return err
	}
	for _, line := range lines {
		if line == fingerprint+" "+k.at.String() {
			return nil
		}
	}
	return consoles.ErrOtherBroker
}

// isOwn reports whether a key is that of this state folder's broker.
func isOwn(fingerprint string) bool {
	file, err := keyFile(member.BrokerKey)
	if err != nil {
		return false
	}
	id, err := consoles.ReadIdentity(file)
	return err == nil && id.Fingerprint() == fingerprint
}

// add notes the key of the broker, in place of an older one.
func (k knownBroker) add(fingerprint string) error {
	if k.check(fingerprint) == nil {
		return nil
	}
	lines, err := k.lines()
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, line := range lines {
		if _, at, _ := strings.Cut(line, " "); at != k.at.String() && line != "" {
			fmt.Fprintln(&text, line)
		}
	}
	fmt.Fprintln(&text, fingerprint+" "+k.at.String())
	file, err := keyFile(knownBrokers)
	if err != nil {
		return err
	}
	return state.Replace(file, []byte(text.String()))
}

func (k knownBroker) lines() ([]string, error) {
	file, err := keyFile(knownBrokers)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file) //nolint:gosec // in the state folder
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot read %s: %v", file, exit.RootCause(err)), Hint: "make it readable, or remove it and pair anew", Cause: err}
	}
	return strings.Split(string(text), "\n"), nil
}

// other reports whether the address had a broker with another key that this console was paired with.
func (k knownBroker) other(fingerprint string) bool {
	lines, err := k.lines()
	return err == nil && slices.ContainsFunc(lines, func(line string) bool {
		had, at, _ := strings.Cut(line, " ")
		return at == k.at.String() && had != fingerprint
	})
}
