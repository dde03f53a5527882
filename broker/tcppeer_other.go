//go:build !linux

package broker

// holdersOf cannot tell on this platform whose a TCP connection is.
func holdersOf(tcpEnds) []int { return nil }
