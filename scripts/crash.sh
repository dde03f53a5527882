#!/usr/bin/env bash
# Kills a broker under load with SIGKILL, N times (50), and checks after each time
# that no acknowledged decision is lost, changed or doubled, that the log verifies and
# that the database is whole. 1,000 kills take some ten minutes on two cores.
#
#   scripts/crash.sh [N] [-seed NUMBER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
kills=50
if (($#)) && [[ $1 =~ ^[0-9]+$ ]]; then
	kills=$1
	shift
fi
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-crash-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/crash" ./scripts/crash
go build -o "$built/aoctl" .
"$built/crash" -n "$kills" -aoctl "$built/aoctl" "$@"
