package console

import (
	"bytes"
	"os"
	"strconv"
)

// dataInUse is how much writable memory of its own this process has mapped, in bytes; 0
// when the system does not say. Source: proc(5), VmData in /proc/self/status, in kB of 1024
// bytes.
func dataInUse() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmData:")); ok {
			kb, _ := strconv.ParseUint(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			return kb << 10
		}
	}
	return 0
}
