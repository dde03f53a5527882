#!/usr/bin/env bash
# Measures how often aoctl asks a person while a coding agent works through an ordinary day
# in a Go, a Node and a Python project: of a hundred calls that reach aoctl, how many wait
# for somebody, as installed and with a grant for the project. Lists what asks with the
# grant, and why.
#
#   scripts/ease.sh --dry [-only go|node|python] [-q]   # judged in one process, in seconds
#   scripts/ease.sh [-only go|node|python] [-q]         # real agents against a scripted model
#
# AOCTL_E2E_CLAUDE, …_CODEX and …_GEMINI name the agents' programs; else those that .ci/run
# installed are taken, then those on the PATH. One that is not there is left out, and said
# to be.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-ease-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/ease" ./scripts/ease
for word in "$@"; do
	if [[ $word == --dry || $word == -dry ]]; then
		"$built/ease" "$@"
		exit
	fi
done
go build -o "$built/aoctl" .
CGO_ENABLED=0 go build -o "$built/aoctl-hook" ./hookclient/aoctl-hook
cache="${XDG_CACHE_HOME:-$HOME/.cache}/aoctl-ci"
agents=()
for name in claude codex gemini; do
	variable="AOCTL_E2E_${name^^}"
	program=${!variable:-}
	if [[ -z $program ]]; then
		program=$(compgen -G "$cache/$name-*/node_modules/.bin/$name" | tail -1) || program=$(command -v "$name") || true
	fi
	if [[ -z $program ]]; then
		echo "$name is not here: set $variable to its program, or put it on the PATH"
		continue
	fi
	agents+=(-agent "$name=$program")
done
"$built/ease" -aoctl "$built/aoctl" "${agents[@]}" "$@"
