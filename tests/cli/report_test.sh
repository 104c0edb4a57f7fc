#!/bin/bash
# tests/cli/report_test.sh: compares runs with the program: those of --repeat and --folds, and any.
#   tests/cli/report_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
waves=$(realpath "$(dirname "$0")/waves.py")
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
train() { expect 0 "$1" "$rwa" train "${@:2}" --units 4 --steps 5; }

python3 "$waves" class 40 >class.csv
train "comparison: runs/rwa/comparison.html" class.csv --folds 2 --out runs/rwa
train "comparison: runs/lstm/comparison.html" class.csv --folds 2 --cell lstm --out runs/lstm

### groups of repetitions, and a page that links to the reports
expect 0 "report: runs/comparison.html" "$rwa" report runs
grep -q "^cell rwa  *2  *[0-9.]* ± [0-9.]*" out || fail "no mean over the folds"
grep -qF 'href="lstm/fold-1/report.html"' runs/comparison.html || fail "no link to a report"
expect 0 "report: runs/comparison.html" "$rwa" report runs/rwa runs/lstm
expect 0 "report: page.html" "$rwa" report runs --out page.html
grep -qF 'href="runs/rwa/fold-2/report.html"' page.html || fail "no link from the present folder"
expect 0 "report: new/page.html" "$rwa" report runs --out new/page.html
grep -qF 'href="../runs/rwa/fold-2/report.html"' new/page.html || fail "no link from another folder"

### the same run counts once; damaged ones are skipped
expect 0 "report:" "$rwa" report runs/rwa runs
grep -q "^cell rwa  *2 " out || fail "runs are counted twice"
echo "seed = 'x'" >runs/lstm/fold-1/config.toml
expect 0 "skipped: runs/lstm/fold-1/config.toml:1" "$rwa" report runs
mkdir empty
expect 3 "empty: no runs found, expected folders with a config.toml" "$rwa" report empty
expect 2 "nowhere: no such file or folder" "$rwa" report nowhere
expect 2 "DIR is required" "$rwa" report
