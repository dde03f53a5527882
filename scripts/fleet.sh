#!/usr/bin/env bash
# A large fleet on this machine: three servers that replicate, many machines with real
# brokers, people who decide at several consoles. Measures how long an order takes and what
# a console needs, then kills and freezes servers, suspends machines and fills the stream
# while calls go on, and looks whether the promises were kept.
#
#   scripts/fleet.sh                         200 machines, 2,000 sessions, 50,000 calls, 5 consoles
#   scripts/fleet.sh -machines 12 -sessions 60 -calls 600
#   scripts/fleet.sh -strict                 a measure over its limit is a failure, too
#   scripts/fleet.sh -minutes 45 -seed 1 -keep
#
# Prints a line for each measure and promise. Exit 0: all promises were kept; 1: one was
# broken; 3: void, because too little happened. Needs Linux.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-fleet-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/aoctl" .
CGO_ENABLED=0 go build -o "$built/aoctl-fleet" ./broker/fleet/aoctl-fleet

# The driver holds the machines, some with clocks that are off: its package time adds
# FLEET_CLOCK seconds to what the clock of this machine says. Timers go on as they are.
time=$(go env GOROOT)/src/time
sed 's/^\tsec, nsec, mono := runtimeNow()$/&\n\tsec += off/' "$time/time.go" >"$built/time.go"
[[ $(grep -c '^	sec += off$' "$built/time.go") == 1 ]] || {
	echo "fleet.sh: package time of this Go is written otherwise than was expected" >&2
	exit 3
}
cat >"$built/off.go" <<'GO'
package time

import "syscall"

var off = func() (n int64) {
	text, _ := syscall.Getenv("FLEET_CLOCK")
	sign := int64(1)
	for _, c := range text {
		if c == '-' {
			sign = -1
			continue
		}
		n = 10*n + int64(c-'0')
	}
	return sign * n
}()
GO
printf '{"Replace": {"%s": "%s", "%s": "%s"}}\n' "$time/time.go" "$built/time.go" "$time/off.go" "$built/off.go" >"$built/overlay.json"
go build -overlay "$built/overlay.json" -o "$built/fleet" ./scripts/fleet
"$built/fleet" -aoctl "$built/aoctl" -server "$built/aoctl-fleet" "$@"
