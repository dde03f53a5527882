#!/usr/bin/env bash
# Prints how fast aoctl is, as ratios against floors measured in the same run:
#
#   scripts/bench.sh              everything, in at most four minutes
#   scripts/bench.sh -dir /srv    with the state (and so the syncs) on that disk
#   scripts/bench.sh -only hooks  one measure: hooks, decisions, waiting, outside, served, repaint, rules
#   scripts/bench.sh -once        just once each: can everything be measured?
#
# Says "met" or "NOT MET" for each limit; exits non-zero only when something could
# not be measured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
driver=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-bench-driver.XXXXXX")
trap 'rm -rf "$driver"' EXIT
go build -o "$driver/bench" ./scripts/bench
"$driver/bench" "$@"
