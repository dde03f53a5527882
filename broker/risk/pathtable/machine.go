package pathtable

import (
	"path"
	"slices"
	"strings"
)

// Below reports whether p is dir or lies in it. Both are clean absolute paths.
func Below(dir, p string) bool {
	return dir != "" && (p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/"))
}

// system are folders of the machine rather than of anybody's work. Names are compared without
// regard to capitals.
var system = []string{
	"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/opt", "/var", "/sys", "/proc", "/dev",
	"/efi", "/Library", "/System", "/Applications", "/private/etc", "/private/var",
}

// harmlessDevices swallow or show what is written to them.
var harmlessDevices = map[string]bool{
	"/dev/null": true, "/dev/zero": true, "/dev/full": true, "/dev/stdin": true, "/dev/stdout": true, "/dev/stderr": true, "/dev/tty": true,
}

// HarmlessDevice reports whether a path is such a device, or a descriptor of the process.
func HarmlessDevice(p string) bool {
	return harmlessDevices[p] || path.Dir(p) == "/dev/fd" || path.Dir(p) == "/proc/self/fd"
}

// System says whether and why writing to an absolute path changes the machine. Temporary
// folders Below /var are none of the machine's.
func System(p string) (string, bool) {
	switch {
	case HarmlessDevice(p) || Temporary(p):
		return "", false
	case Below("/dev/tcp", p) || Below("/dev/udp", p):
		return "talks to the network", true
	case Below("/dev", p):
		return "writes to a device", true
	}
	low := strings.ToLower(p)
	yes := p == "/" || slices.ContainsFunc(system, func(dir string) bool { return Below(strings.ToLower(dir), low) })
	return "changes the system's folders", yes
}

// temporary are folders for things that nobody keeps.
var temporary = []string{
	"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm",
}

// Temporary reports whether p is or lies in such a folder.
func Temporary(p string) bool {
	return slices.ContainsFunc(temporary, func(dir string) bool { return Below(dir, p) })
}
