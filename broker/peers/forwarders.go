package peers

import (
	"path/filepath"
	"slices"
)

// forwarders are programs that pass connections on: what the system tells of them says
// nothing of who speaks. There are others; the list is for those that docs/remote.md and
// containers bring along.
var forwarders = []string{
	"ssh", "sshd", "sshd-session", "autossh", "socat", "docker-proxy", "rootlesskit", "rootlessport", "slirp4netns", "pasta",
	"pasta.avx2", "passt", "passt.avx2", "gvproxy", "kubectl", "containerd-shim", "ncat", "nc",
}

// Forwarder is the name of the process pid when it is one of forwarders, "" otherwise. Both the
// file and the command's name are looked at, since either may be told when the other is not.
func Forwarder(pid int) string {
	exe, _ := Describe(pid)
	for _, name := range []string{filepath.Base(exe), commandOf(pid)} {
		if slices.Contains(forwarders, name) {
			return name
		}
	}
	return ""
}
