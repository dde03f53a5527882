#!/usr/bin/env bash
# Runs generated command lines in every shell that is here (bash, dash, zsh, busybox, mksh), in
# a sandbox where each program only writes down how it was called, and checks that nothing ran
# that broker/shell did not name in a line that a wildcard could allow.
#
#   scripts/shells.sh [-short] [-lines N] [-seed N] [-defect]
#
# -short takes seconds and always the same lines; -defect lets the strict reader be left out, so that
# something must be found. It needs user namespaces and a C compiler, and says so without them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-shells-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
CGO_ENABLED=0 go build -o "$built/shells" ./scripts/shells
nice -n 19 "$built/shells" "$@"
