//go:build !linux

package peers

import "fmt"

// peerPidfds reports whether the kernel hands out a hold on a socket's peer.
func peerPidfds() bool { return false }

// Hold makes sure that pid is still the process that connected, by its start time, and
// lets that be asked again.
func (p Peer) Hold() (alive func() bool, release func(), err error) {
	alive = func() bool { return p.start != 0 && startOf(p.PID) == p.start }
	if !alive() {
		return nil, nil, fmt.Errorf("process %d is not the one that connected", p.PID)
	}
	return alive, func() {}, nil
}
