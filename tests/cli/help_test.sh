#!/bin/bash
# tests/cli/help_test.sh: tests `rwa help`, --help, and what is said about unknown commands and
# options.
#   tests/cli/help_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
run() { expect "$1" "$2" "$rwa" "${@:3}"; }

### help is that of --help
for words in "" "train" "paper" "paper run" "help"; do
  # shellcheck disable=SC2086
  run 0 "Usage: rwa${words:+ $words} " help $words
  mv out helped
  # shellcheck disable=SC2086
  run 0 "Usage: rwa${words:+ $words} " $words --help
  cmp helped out || fail "'rwa help $words' differs from 'rwa $words --help'"
done

### unknown commands, whether help is wanted or not
run 2 "unknown command 'trian', did you mean train?" trian
run 2 "unknown command 'trian', did you mean train?" trian --help
run 2 "unknown command 'trian', did you mean train?" help trian
run 2 "unknown command 'serve', did you mean stream?" serve --help
run 2 "unknown command 'nonsense', expected one of: inspect, train," nonsense --help
run 2 "unknown command 'rnu', did you mean run?" paper rnu --help
run 2 "unknown command 'rnu', did you mean run?" help paper rnu
run 2 "unknown argument 'units'; see rwa train --help" help train units

### unknown options, also those that other programs have
while read -r wrong right; do
  run 2 "unknown option '$wrong', did you mean $right" train x.csv "$wrong" 1
done <<'OPTIONS'
--lr --learning-rate?
--learning_rate --learning-rate?
--epoch --epochs?
--hidden --units?
--hidden-size --units?
--batch-size --batch?
--model --cell?
--num-layers --layers?
--output --out?
--validation --valid
--label --target
OPTIONS
run 2 "unknown option '--output', did you mean --out?" import x.safetensors --output y
run 2 "unknown option '--nonsense'; see rwa train --help" train x.csv --nonsense 1
