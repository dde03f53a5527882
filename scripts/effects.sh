#!/usr/bin/env bash
# Tries that no call passes that does more than its grant: runs the lines of a corpus that pass with
# every grant, under strace in a project made afresh, and compares what they did with the
# effects that the broker names. About ten minutes on two cores.
#
#   scripts/effects.sh [-list [-v]] [-jobs N] [FILTER]
#
# FILTER is a text: only lines that hold it, or worlds of that name. -list runs nothing.
# Exits with 1 when there is a defect. It needs strace and user namespaces, and says so without them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v strace >/dev/null || { echo "effects.sh: please install strace" >&2; exit 2; }
as=(unshare --mount --net)
((EUID == 0)) || as=(unshare --map-root-user --mount --net)
"${as[@]}" true 2>/dev/null || { echo "effects.sh: no namespaces here, so nothing can run safely" >&2; exit 2; }
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-effects.XXXXXX")
trap 'rm -rf "$built"' EXIT
CGO_ENABLED=0 go build -o "$built/effects" ./scripts/effects
# Programs by their own names: a shim would be what the trace shows.
python=$(python3 -c 'import sys; print(sys.prefix)' 2>/dev/null || echo /usr)
export PATH="$python/bin:$(go env GOROOT)/bin:$PATH" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" PROGRAM="$built/effects"
"${as[@]}" bash -euc '
	mount -t tmpfs tmpfs /mnt
	ip link set lo up 2>/dev/null || true
	mkdir -p /mnt/cache
	"$PROGRAM" "$@"
' effects "$@"
