#!/usr/bin/env bash
# Drives a broker with many agents and deciders while it is killed, paused and hindered,
# and checks the history of every session with a model (porcupine).
#
#   scripts/robustness.sh [-minutes 1] [-seed NUMBER] [-clients 10] [-deciders 3] [-keep]
#   scripts/robustness.sh mutants [-minutes 1] [-only TEXT]   # are deliberate defects found?
#
# Exit 0: passed; 1: violated, the folder that is named holds history and drawing;
# 3: void, because too little was tried.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-robustness-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/robustness" ./scripts/robustness
if [[ ${1-} == mutants ]]; then
	"$built/robustness" "$@"
	exit
fi
go build -o "$built/aoctl" .
CGO_ENABLED=0 go build -o "$built/aoctl-hook" ./hookclient/aoctl-hook
"$built/robustness" -aoctl "$built/aoctl" -hook "$built/aoctl-hook" "$@"
