package member

import (
	"path/filepath"

	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/hookclient/paths"
)

// The files of the state folder that keys lie in: that of the broker, which is the machine's, and that
// of consoles which attach from here, which is the person's.
const (
	BrokerKey  = "broker.key"
	ConsoleKey = "console.key"
)

// Identity is the key in a file of the state folder, a new one the first time. Errors: exit.Error.
func Identity(name string) (consoles.Identity, error) {
	dir, err := paths.StateDir()
	if err != nil {
		return consoles.Identity{}, err
	}
	file := filepath.Join(dir, name)
	id, err := consoles.LoadIdentity(file)
	if err != nil {
		return id, exit.Error{Code: exit.Failed, Text: "cannot use the key in " + file + ": " + exit.RootCause(err).Error(), Hint: "it must be a file of yours alone, mode 0600; moved away, a new one is made, and consoles are paired anew", Cause: err}
	}
	return id, nil
}

// keyIn is that key for what a fleet's members sign and open.
func keyIn(name string) (keys.Key, error) {
	id, err := Identity(name)
	if err != nil {
		return keys.Key{}, err
	}
	return keys.New(id.Key())
}
