#!/usr/bin/env bash
# Breaks the disk and the database under a running broker, in every way at hand, and
# checks that nothing is allowed whose record failed, that nothing is allowed by itself
# until the disk works, and that the broker recovers without a restart.
#
#   scripts/faults.sh [-short] [-only WORD]
#
# Faults of system calls need strace and root, the full disk needs root: without them
# those cases are skipped and say so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-faults-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/faults" ./scripts/faults
go build -o "$built/aoctl" .
"$built/faults" -aoctl "$built/aoctl" "$@"
