#!/bin/sh
# Writes aoctl's manual pages into a folder: scripts/man.sh FOLDER. Look at one with
# man -l FOLDER/aoctl.1
set -eu
cd "$(dirname "$0")/.."
# The pages are made here, whatever the release is for.
env -u GOOS -u GOARCH CGO_ENABLED=1 go run ./scripts/man "${1:?usage: scripts/man.sh FOLDER}"
