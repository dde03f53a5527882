package peers

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// HoldersOf lists the processes of this user that hold the other end of a TCP connection
// within this machine, by pid. There are none when that end belongs to another user or
// machine, or to a process that cannot be looked at, such as a forwarding sshd.
func HoldersOf(t TCPEnds) []int {
	inode := inodeOf(t)
	if inode == "" {
		return nil
	}
	want := "socket:[" + inode + "]"
	dirs, err := filepath.Glob("/proc/[0-9]*/fd")
	if err != nil {
		return nil
	}
	var pids []int
	for _, dir := range dirs {
		fds, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			if link, err := os.Readlink(dir + "/" + fd.Name()); err == nil && link == want {
				if pid, err := strconv.Atoi(strings.Split(dir, "/")[2]); err == nil {
					pids = append(pids, pid)
				}
				break
			}
		}
	}
	slices.Sort(pids)
	return pids
}

// inodeOf finds the socket at the other end of t among this machine's, if it is one of
// this user's; "" otherwise.
//
// Shape of a line of /proc/net/tcp: slot, local address, remote address, state, queues,
// timer, retransmits, uid, timeout, inode. Source: proc_net_tcp(5).
func inodeOf(t TCPEnds) string {
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		raw, err := os.ReadFile(file) //nolint:gosec // a fixed name
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			f := strings.Fields(line)
			if len(f) < 10 || f[7] != strconv.Itoa(os.Geteuid()) {
				continue
			}
			local, err1 := procAddr(f[1])
			remote, err2 := procAddr(f[2])
			if err1 == nil && err2 == nil && local == plainAddr(t.there) && remote == plainAddr(t.Here) && f[9] != "0" {
				return f[9]
			}
		}
	}
	return ""
}

// plainAddr writes an IPv4 address as that, also one in the clothes of IPv6.
func plainAddr(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// procAddr reads an address such as 0100007F:1F90: words of the machine's byte order in
// hexadecimal, then the port.
func procAddr(s string) (netip.AddrPort, error) {
	host, port, ok := strings.Cut(s, ":")
	raw, err := hex.DecodeString(host)
	if !ok || err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("address %q is not readable", s)
	}
	for i := 0; i < len(raw); i += 4 {
		binary.BigEndian.PutUint32(raw[i:], binary.NativeEndian.Uint32(raw[i:]))
	}
	addr, ok := netip.AddrFromSlice(raw)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}, fmt.Errorf("address %q is not readable", s)
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), nil
}
