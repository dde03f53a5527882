#!/usr/bin/env bash
# Takes pictures of the demo's console as it really is: it is built, run at an emulated terminal,
# and drawn as SVG.
#
#   scripts/screenshot.sh                      the moving picture of the README, docs/demo.svg
#   scripts/screenshot.sh FOLDER [ONLY]        the main screens at all sizes, dark, light and without
#                                              colours; ONLY some terminals, as 80x24 or light
#   scripts/screenshot.sh --png FOLDER [ONLY]  the same as PNG too, where rsvg-convert is there
set -euo pipefail
png=
[[ ${1-} != --png ]] || { png=yes && shift; }
out=${1:+$(mkdir -p "$1" && cd "$1" && pwd)}
only=${2-}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-screenshot.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/aoctl" .
(cd scripts/screenshot && go build -o "$built/screenshot" .)
if [[ -z $out ]]; then
	"$built/screenshot" -aoctl "$built/aoctl" -film docs/demo.svg
	exit
fi
"$built/screenshot" -aoctl "$built/aoctl" -out "$out" -only "$only"
[[ -n $png ]] || exit 0
if ! command -v rsvg-convert >/dev/null; then
	echo "no PNG: rsvg-convert is not installed" >&2
	exit 0
fi
for svg in "$out"/*"$only"*.svg; do
	rsvg-convert -z 1.5 "$svg" -o "${svg%.svg}.png"
done
