#!/usr/bin/env bash
# Presses keys at the real console around the arrival of calls, N times (2000), and
# checks that no key decided a call that had not been on the screen for half a second.
#
#   scripts/presses.sh [N] [-seed NUMBER] [-consoles NUMBER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
trials=2000
if (($#)) && [[ $1 =~ ^[0-9]+$ ]]; then
	trials=$1
	shift
fi
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-presses.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/presses" ./scripts/presses
go build -o "$built/aoctl" .
"$built/presses" -n "$trials" -aoctl "$built/aoctl" "$@"
