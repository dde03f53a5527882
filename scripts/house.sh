#!/usr/bin/env bash
# Prints how the code is laid out, a line a measure: types, packages, arrows, the files that a
# call visits. Tests and scripts are left out.
#
#   scripts/house.sh [-top NUMBER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec go run ./scripts/house "$@"
