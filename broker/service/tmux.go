package service

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

// tmuxServer is the socket's path in a value of TMUX: "/tmp/tmux-1000/default,1234,0",
// where the server's pid and a number of the session follow. "" for anything else.
func tmuxServer(value string) string {
	for range 2 {
		i := strings.LastIndexByte(value, ',')
		if i < 0 || !allDigits(value[i+1:]) {
			return ""
		}
		value = value[:i]
	}
	return value
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Within reports whether p runs, and is the process top or comes from it. Errors: the
// ancestry of p cannot be read.
func Within(p broker.Process, top int) (bool, error) {
	chain, err := peers.SteadyLineage(p.PID)
	if err != nil {
		return false, err
	}
	if p.Start != 0 && chain[0].Start != p.Start {
		return false, nil
	}
	for _, k := range chain {
		if k.PID == top {
			return true, nil
		}
	}
	return false, nil
}
