# shellcheck shell=bash
# Sourced by the scripts beside it: changes to the root of the repository, fixes the seeds of
# the tests and defines `step`, which names a command, runs it and reports how long it took.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Content-addressed results shared by all clones on this machine: built tools by their pins,
# stamps of generated files by the files' contents.
# shellcheck disable=SC2034 # used by the scripts that source this file
cache=${XDG_CACHE_HOME:-$HOME/.cache}/roshambo

# tools/build links tools pinned in tools/go.mod here.
# shellcheck disable=SC2034 # used by the scripts that source this file
bin=$PWD/.cache/bin

# tools/install-deps installs a newer Node.js here if the machine's is too old.
PATH=$PWD/.cache/node/bin:$PATH

# The same random tests in every run, unless tools/nightly or a developer chose other seeds.
export ROSHAMBO_SEED=${ROSHAMBO_SEED:-1} RAPID_SEED=${RAPID_SEED:-1}

# Without the folder in its key, what one clone has compiled is not compiled again in another.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-trimpath"

# As the binary is built; the race detector alone needs cgo. Tools and tests share compiled packages.
export CGO_ENABLED=0

# again COMMAND… runs a command that uses the network up to three times. COMMAND must not
# be a function of several lines: inside a condition bash ignores a failing line.
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

# step NAME COMMAND… runs the command. A failure ends the script, with a line that names the
# step after the command's own output.
step() {
  local name=$1 began=$SECONDS status=0
  shift
  printf '== %s\n' "$name"
  # Not `if "$@"`: inside a condition bash would ignore a failing line of a function.
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
