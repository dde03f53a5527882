#!/usr/bin/env bash
# Asks real terminals how wide they draw what the console draws of foreign text, for
# every character and every script, and compares with what the console counts: the
# installed tmux, and xterm and kitty where there is a display (or Xvfb).
#
#   scripts/widths.sh [-n RANDOM-TEXTS] [-seed NUMBER] [-table tui/safe/table.go]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-widths.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/widths" ./scripts/widths
if [[ -z ${DISPLAY:-} ]] && command -v xvfb-run >/dev/null; then
	xvfb-run -a -s "-screen 0 4000x600x24" "$built/widths" "$@"
else
	"$built/widths" "$@"
fi
