# shellcheck shell=bash
# Sourced by the scripts beside it: goes to the root of the repository and
# gives `step`, which names what runs and says how long it took, so that the
# output of a long check can be read as a list.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Where tools/build puts what it makes.
# shellcheck disable=SC2034 # used by who sources this
bin=$PWD/.cache/bin

# Where tools/install-deps puts a Node.js newer than the machine's, when it must.
PATH=$PWD/.cache/node/bin:$PATH

# again COMMAND… runs a command up to three times, for one that asks the network, which
# may falter. Not for a list of commands: inside a condition bash ignores a failing line.
again() {
  local try
  for try in 1 2 3; do
    if "$@"; then
      return 0
    fi
    printf 'try %d of 3 failed: %s\n' "$try" "$*" >&2
    [ "$try" -eq 3 ] || sleep $((10 * try))
  done
  return 1
}

# step NAME COMMAND… runs the command; a failure ends the script with a line
# that names the step, after whatever the command itself said.
step() {
  local name=$1 began=$SECONDS status=0
  shift
  printf '== %s\n' "$name"
  # Not `if "$@"`: inside a condition bash would ignore a failing line of a
  # function that is itself a list of commands.
  set +e
  (
    set -e
    "$@"
  )
  status=$?
  set -e
  if [ "$status" -ne 0 ]; then
    printf 'FAILED %s (%d s)\n' "$name" $((SECONDS - began)) >&2
    exit "$status"
  fi
  printf 'ok %s (%d s)\n' "$name" $((SECONDS - began))
}
