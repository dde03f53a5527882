//go:build !linux

package service

import "fmt"

// peerPidfds reports whether the kernel hands out a hold on a socket's peer.
func peerPidfds() bool { return false }

// hold makes sure that pid is still the process that connected, by its start time, and
// lets that be asked again.
func (p peer) hold() (alive func() bool, release func(), err error) {
	alive = func() bool { return p.start != 0 && startOf(p.pid) == p.start }
	if !alive() {
		return nil, nil, fmt.Errorf("process %d is not the one that connected", p.pid)
	}
	return alive, func() {}, nil
}
