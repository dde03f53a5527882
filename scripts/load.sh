#!/usr/bin/env bash
# Puts aoctl under load and prints for each case what was to be reached and what was:
#
#   scripts/load.sh                all cases; the steady calls alone take 10 minutes
#   scripts/load.sh -minutes 1     with fewer of those
#   scripts/load.sh -short         smaller counts, the same checks, within a minute
#   scripts/load.sh -only slow     one case, or several with commas between:
#                                  waiting, processes, steady, greedy, slow, million, runs
#   scripts/load.sh -only runs -runs 50   so many managed sessions at once
#
# Exits non-zero when something has not passed. A log of a million events is kept in
# the temporary folder for the next run; -cache DIR puts it elsewhere. Needs Linux.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-load-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/load" ./scripts/load
go build -o "$built/aoctl" .
CGO_ENABLED=0 go build -o "$built/aoctl-hook" ./hookclient/aoctl-hook
CGO_ENABLED=0 go build -o "$built/claude" ./scripts/standin/claude
"$built/load" -standin "$built/claude" -aoctl "$built/aoctl" -hook "$built/aoctl-hook" "$@"
