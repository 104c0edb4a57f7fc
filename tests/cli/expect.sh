# tests/cli/expect.sh: for tests of the program from the outside, to be sourced: a folder of their own, in
# which they then are, and what a command must say there.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

fail() {
  echo "$(basename "$0"): $*" >&2
  cat out err >&2
  exit 1
}

# expect CODE TEXT COMMAND…: the command ends with CODE, and TEXT is in what it writes.
expect() {
  local code=$1 text=$2 found=0
  shift 2
  "$@" >out 2>err || found=$?
  [[ $found == "$code" ]] || fail "'$*' ended with $found, expected $code"
  grep -qF -- "$text" out err || fail "'$*' did not say '$text'"
}
