# tests/cli/expect.sh: sourced by tests of the program: changes to a temporary folder, and defines
# fail and expect.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

fail() {
  echo "$(basename "$0"): $*" >&2
  cat out err >&2
  exit 1
}

# expect CODE TEXT COMMAND…: the command exits with CODE, and its output contains TEXT.
expect() {
  local code=$1 text=$2 found=0
  shift 2
  "$@" >out 2>err || found=$?
  [[ $found == "$code" ]] || fail "'$*' exited with $found, expected $code"
  grep -qF -- "$text" out err || fail "'$*' did not print '$text'"
}
