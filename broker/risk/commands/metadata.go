package commands

import (
	"net/netip"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// metadata are the addresses at which clouds tell a machine its keys.
var metadata = wordset.New("169.254.169.254 169.254.170.2 fd00:ec2::254 metadata.google.internal metadata.goog 100.100.100.200 metadata")

// IsMetadata reports whether a host is a cloud's metadata service, also as a number or as an
// IPv4 address within IPv6. host is in lower case.
func IsMetadata(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.Unmap().String()
	}
	return metadata.Has(host) || host == "2852039166" || host == "0xa9fea9fe" || host == "0xa9.0xfe.0xa9.0xfe" || host == "0251.0376.0251.0376"
}
