#!/usr/bin/env bash
# Puts small defects into the packages that only compute, one at a time, and wants their
# tests to notice. Touches no file. An hour or two for all of them; half an hour for 300 of each.
#
#   scripts/mutate.sh [-n NUMBER | -all] [-seed NUMBER] [-only TEXT] [-most PERCENT] [PACKAGE...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-mutate-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/mutate" ./scripts/mutate
"$built/mutate" "$@"
