#!/usr/bin/env bash
# Runs every fuzz target:
#
#   scripts/fuzz.sh 1000x    so many inputs each, always the same ones: with a fixed seed, one
#                            worker, and no inputs but those in the repository
#   scripts/fuzz.sh 20s      so long each, with a new seed, and inputs of earlier runs
#
# An input that fails is written below the package's testdata/fuzz. Each package is built
# once for all its targets.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ ${1-} =~ ^[0-9]+[xsmh]$ ]] || {
	echo "usage: scripts/fuzz.sh 1000x | 20s" >&2
	exit 2
}
much=$1
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-fuzz.XXXXXX")
trap 'rm -rf "$built"' EXIT

# run PROGRAM FOLDER PACKAGE TARGET fuzzes one target and keeps what it says in $built/says.
run() {
	local -a how=(-test.fuzzcachedir "$(go env GOCACHE)/fuzz/$3")
	local -x GODEBUG=${GODEBUG-}
	if [[ $much == *x ]]; then
		how=(-test.fuzzcachedir "$built/corpus" -test.parallel 1)
		GODEBUG=fuzzseed=1
	fi
	rm -rf "$built/corpus"
	(cd "$2" && "$1" -test.run '^$' -test.fuzz "^$4\$" -test.fuzztime "$much" "${how[@]}") >"$built/says" 2>&1
}

# fails says whether what was fuzzed failed: the go tool at times takes the end of the time
# itself for a failure, and then names no input.
fails() { ! grep -q 'context deadline exceeded' "$built/says" || grep -q 'Failing input' "$built/says"; }

ran=0
bad=()
while read -r package folder; do
	targets=$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$folder"/*_test.go)
	[[ -n $targets ]] || continue
	go test -c -fuzz=. -o "$built/test" "$package"
	for target in $targets; do
		if run "$built/test" "$folder" "$package" "$target" || ! fails; then
			echo "${package##*/aoctl/} $target: $(grep -o 'execs: [0-9]*' "$built/says" | tail -n 1)"
		else
			echo "${package##*/aoctl/} $target: FAILED"
			tail -n 40 "$built/says"
			bad+=("$target")
		fi
		ran=$((ran + 1))
	done
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./...)
((ran)) || {
	echo "no fuzz target was found" >&2
	exit 1
}
((${#bad[@]} == 0)) || {
	echo "${#bad[@]} of $ran fuzz targets failed: ${bad[*]}"
	exit 1
}
echo "$ran fuzz targets, $much each: none failed"
