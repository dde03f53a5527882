package server

import (
	"net"
	"net/netip"
	"time"
)

const (
	// triesMost is how many keys that nobody has may be tried from one address in a window. After that
	// no invite is good for that address until the window is over: whoever guesses codes does not hear
	// of a right one. Members are let in all the same.
	triesMost   = 600
	triesWindow = time.Minute
	// triesFrom is how many addresses are told apart.
	triesFrom = 4096
)

// tries counts keys that nobody has.
type tries struct {
	since time.Time
	from  map[string]int
}

// note counts a try.
func (t *tries) note(from string, now time.Time) {
	at := t.at(from, now) // makes the map
	t.from[at]++
}

// tooMany reports whether too many came from an address.
func (t *tries) tooMany(from string, now time.Time) bool {
	at := t.at(from, now)
	return t.from[at] >= triesMost
}

// at is where the tries from an address are counted. It begins another window when this one is over.
func (t *tries) at(from string, now time.Time) string {
	if t.from == nil || now.Sub(t.since) >= triesWindow {
		t.since, t.from = now, map[string]int{}
	}
	if _, ok := t.from[from]; !ok && len(t.from) >= triesFrom {
		return "" // those beyond count as one
	}
	return from
}

// host is the address of a peer without its port. Of IPv6 it is the network: a host has all of its 64
// last bits.
func host(a net.Addr) string {
	if a == nil {
		return ""
	}
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	ip := at.Addr().Unmap()
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			ip = p.Addr()
		}
	}
	return ip.String()
}
