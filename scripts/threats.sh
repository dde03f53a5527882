#!/usr/bin/env bash
# Takes out one protection after the other, in a copy of the source, and wants the test
# script of that threat to fail each time. Minutes; one build for each.
#
#   scripts/threats.sh [-only REGEXP] [-n NUMBER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-threats-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/threats" ./scripts/threats
"$built/threats" "$@"
