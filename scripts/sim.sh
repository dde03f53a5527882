#!/usr/bin/env bash
# Plays drawn worlds against the broker's engine: virtual time, a disk that fails, agents
# that repeat themselves, operators who press keys on what they saw a while ago. Then fleets:
# machines and consoles over a network that delays, loses, doubles and is cut. Prints how
# many steps that were, or the shortest story in which a promise is broken.
#
#   scripts/sim.sh [-worlds 8000] [-fleets 150] [-minutes N] [-from SEED] [-moves 300] [-story=false]
#   scripts/sim.sh defects   # takes protections out, one at a time: each must be noticed
#
# Exit 0: every promise was kept; 1: one was broken, or a defect was not noticed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
go run ./scripts/sim "$@"
