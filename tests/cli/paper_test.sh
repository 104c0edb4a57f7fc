#!/bin/bash
# tests/cli/paper_test.sh: tests the commands `rwa paper`: their output, resuming, and errors.
#   tests/cli/paper_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
export XDG_CACHE_HOME=$tmp/cache  # without the user's curves and MNIST
unset RWA_DATA

paper() { expect "$1" "$2" "$rwa" paper "${@:3}"; }

# experiment NAME STEPS [TRAINING…] > FILE: an experiment of a few milliseconds per hundred steps.
experiment() {
  cat <<TOML
name = "$1"
[task]
kind = "adding"
steps = 8
train = 1000
test = 100
[network]
units = 8
[training]
steps = $2
$(printf '%s\n' "${@:3}")
[evaluation]
every = 10
TOML
}

### list
paper 0 "mnist-permuted" list
[[ $(grep -cE '^(grammar|length-|copy-|adding-|mnist)' out) == 9 ]] || fail "not nine experiments"
has_gpu() { [[ -e /dev/nvidia0 ]]; }
has_gpu || grep -q "GPU: none that this build can use" out || fail "the empty column is not explained"
paper 0 "adding-100" list --json
python3 - <<'PYTHON'
import json

everything = json.load(open("out", encoding="utf-8"))
groups = [r["group"] for r in everything]
assert groups == sorted(groups, key=["paper", "beyond", "studies"].index), groups
assert {"multi-copy", "forgetting"} <= {r["name"] for r in everything if "models" in r}, everything
rows = [r for r in everything if r["group"] == "paper"]
assert [r["name"] for r in rows] == ["grammar", "length-100", "length-1000", "copy-100", "copy-1000",
                                     "adding-100", "adding-1000", "mnist", "mnist-permuted"], rows
assert all(r["rwa_seconds"] > 0 and r["lstm_seconds"] > 0 for r in rows), rows
assert all(r["rwa_gpu_seconds"] is None or r["rwa_gpu_seconds"] > 0 for r in rows), rows
assert {r["name"] for r in rows if r["quick_steps"]} == {"grammar", "length-100", "adding-100"}, rows
PYTHON

### run: a folder for each model, with all its files
paper 0 "rwa paper report runs" run grammar --steps 20
for model in rwa lstm; do
  folder=runs/grammar/$model-seed1
  for file in config.toml metrics.jsonl checkpoint.safetensors model.safetensors run.json; do
    [[ -s $folder/$file ]] || fail "$folder/$file is missing"
  done
  [[ $(find $folder -type f | wc -l) == 5 ]] || fail "$folder has other files: $(ls -a $folder)"
  grep -q '"step":20,"split":"final"' $folder/metrics.jsonl || fail "$folder has no final score"
done
grep -q "grammar" out || fail "no summary"
grep -q "finished in" err || fail "no line at the end of a run"
grep -q $'\x1b' err out && fail "escape codes without a terminal"

# A finished run is not repeated; more steps continue it.
cp -r runs before
paper 0 "already finished" run grammar --steps 20
diff -r runs before || fail "a finished run was changed"
paper 0 "finished in" run grammar --model rwa --steps 30
paper 0 "finished in" run grammar --model rwa --steps 30 --out whole --threads 1
cmp runs/grammar/rwa-seed1/model.safetensors whole/grammar/rwa-seed1/model.safetensors
cmp runs/grammar/rwa-seed1/metrics.jsonl whole/grammar/rwa-seed1/metrics.jsonl

# Seeds and variants have folders of their own; the configuration of a run reproduces it.
paper 0 "[2/2] grammar (script) rwa seed 4" run grammar --steps 2 --model rwa --seed 3 --seeds 2 \
  --variant script --out many
[[ -s many/grammar-script/rwa-seed3/run.json && -s many/grammar-script/rwa-seed4/run.json ]] ||
  fail "a seed is missing: $(find many)"
paper 0 "finished in" run many/grammar-script/rwa-seed4/config.toml --out again
cmp {many,again}/grammar-script/rwa-seed4/model.safetensors

### report
paper 0 "Report: $tmp/runs/report/index.html" report runs
grep -q "<html" runs/report/index.html || fail "no page"
if command -v gnuplot >/dev/null && command -v rsvg-convert >/dev/null; then
  [[ -s runs/report/figure-2.svg && -s runs/report/figure-2.png ]] || fail "no figure"
fi
paper 0 "Report:" report runs --out elsewhere
[[ -s elsewhere/index.html ]] || fail "no page in --out"
rm -r runs/report
paper 0 "| grammar" report runs --table summary
grep -qv "^|" out && fail "not only Markdown on standard output"
[[ ! -e runs/report ]] || fail "--table writes a report"
paper 2 "expected one of: scoreboard" report runs --table claimz
# Without the programs that draw figures there is still a page.
mkdir empty
expect 0 "gnuplot" env PATH="$tmp/empty" "$rwa" paper report runs --out bare
[[ -s bare/index.html ]] || fail "no page without gnuplot"
# Runs that cannot be read are named and skipped.
mkdir -p mixed/foreign && cp -r runs/grammar mixed && echo 'a = 1' >mixed/foreign/config.toml
paper 0 "skipped: mixed/foreign/config.toml" report mixed
cp -r mixed/grammar/rwa-seed1 mixed/copy
paper 0 "skipped: mixed/grammar/rwa-seed1 (the same seed" report mixed
paper 3 "no runs found" report empty
paper 2 "nowhere: no such file or folder" report nowhere
paper 2 "nowhere" report runs --reference nowhere

### results: small files that are reported like runs, but are not runs
paper 0 "grammar/rwa-seed1" results runs --out kept
[[ $(find kept/grammar/rwa-seed1 -type f | wc -l) == 3 ]] || fail "not three files: $(find kept)"
paper 0 "| grammar" report runs --table claims
mv out claims-of-runs
paper 0 "| grammar" report kept --table claims
diff claims-of-runs out || fail "stored results give other verdicts"
cp -r kept before-run
paper 2 "these are kept results, not a run" run grammar --steps 30 --out kept
diff -r kept before-run || fail "a run started among the results"
paper 2 "nowhere" results nowhere
paper 2 "holds a whole run" results runs --out runs

### divergence: other runs continue, the step is named
experiment wild 1000 "learning_rate = 1e6" >wild.toml
experiment tame 20 >tame.toml
paper 5 "1 of 2 runs diverged: wild rwa seed 1" run wild.toml tame.toml
grep -q '"split":"final"' runs/tame/rwa-seed1/metrics.jsonl || fail "the other was not run"
grep -qE "step [0-9,]+" err || fail "the step is not named"

### interrupted: exit code 6, and the same command resumes
experiment long 6000 >long.toml
experiment long 6000 >whole.toml
paper 0 "finished in" run long.toml --out whole
python3 - "$rwa" <<'PYTHON'
import pathlib
import signal
import subprocess
import sys
import time

metrics = pathlib.Path("runs/long/rwa-seed1/metrics.jsonl")
for round, kind in enumerate([signal.SIGINT, signal.SIGTERM]):
    size = metrics.stat().st_size if metrics.exists() else 0
    process = subprocess.Popen([sys.argv[1], "paper", "run", "long.toml"], stderr=subprocess.PIPE,
                               text=True)
    while not (metrics.exists() and metrics.stat().st_size > size) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(kind)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 6, (process.returncode, said)
    assert "interrupted after step" in said and "run the same command to resume" in said, said
PYTHON
paper 0 "finished in" run long.toml
cmp runs/long/rwa-seed1/model.safetensors whole/long/rwa-seed1/model.safetensors
cmp runs/long/rwa-seed1/metrics.jsonl whole/long/rwa-seed1/metrics.jsonl

### several at a time: the same files except for times, the longest first
for i in 1 2 3; do experiment "job-$i" $((100 * i)) >"job-$i.toml"; done
paper 0 "[1/3] job-1 rwa seed 1" run job-{1,2,3}.toml --out one-by-one
paper 0 "[1/3] job-3 rwa seed 1" run job-{1,2,3}.toml --out side-by-side --jobs 2
for i in 1 2 3; do
  grep -q "^job-$i rwa seed 1: finished in" err || fail "the end of job-$i is not reported"
  for file in config.toml metrics.jsonl model.safetensors; do
    cmp {one-by-one,side-by-side}/job-$i/rwa-seed1/$file
  done
done
paper 0 "job-2 rwa seed 1: already finished" run job-{1,2,3}.toml --out side-by-side --jobs 9
# A run that diverges does not stop the others; if one fails, the others leave checkpoints.
paper 5 "1 of 3 runs diverged: wild rwa seed 1" run wild.toml job-{1,2}.toml --out diverges --jobs 3
[[ $(grep -l '"split":"final"' diverges/job-*/*/metrics.jsonl | wc -l) == 2 ]] || fail "not both ran"
experiment endless 100000000 >endless.toml
mkdir -p fails/job-1/rwa-seed1
if command -v flock >/dev/null; then  # locks the folder as another process would
  expect 2 "another process is running" \
    flock fails/job-1/rwa-seed1 "$rwa" paper run endless.toml job-1.toml --out fails --jobs 2
  grep -q '"status": "interrupted"' fails/endless/rwa-seed1/run.json || fail "no checkpoint"
fi

### a time limit acts as an interrupt
experiment endless2 100000000 >endless2.toml
paper 6 "out of time after step" run endless.toml --out limited --time-limit 2
paper 6 "resuming from step" run endless.toml --out limited --time-limit 0.03m
paper 6 "out of time after step" run endless{,2}.toml --out limited --time-limit 2s --jobs 2
[[ $(grep -o "after step" err | wc -l) == 2 ]] || fail "not both are named"
grep -q '"status": "interrupted"' limited/endless2/rwa-seed1/run.json || fail "no checkpoint"
paper 6 "out of time before job-1" run job-1.toml --out limited --time-limit 1e-6
paper 0 "finished in" run job-1.toml --out limited --time-limit 1h30m

### messages that cannot be written do not stop the work
experiment quiet 20 >quiet.toml
"$rwa" paper run quiet.toml --out unread 2>/dev/full || fail "exited with $? as stderr was full"
experiment piped 2000 >piped.toml
code=0
"$rwa" paper run piped.toml --checkpoint 0 --out unread 2> >(head -c 1 >/dev/null) || code=$?
[[ $code == 0 ]] || fail "exited with $code as stderr was closed"
# A file size limit is an error with a message.
code=0
(ulimit -f 1; "$rwa" paper run quiet.toml --out short 2>err) || code=$?
[[ $code == 7 ]] || fail "exited with $code as its files were too large"

### errors are found before any work, and name what is wrong
refuse() { paper 2 "$1" run "${@:2}" --out refused; }
refuse "nothing to run"
refuse "did you mean adding-100" addding-100
refuse "did you mean grammar" grammar gramar
refuse "'grammar' is given twice" grammar grammar
refuse "'all' includes every experiment" all grammar
refuse "rwa paper data mnist" all
refuse "rwa paper data mnist" grammar mnist
refuse "--data" mnist --data "$tmp/empty"
refuse "--data is for" grammar --data "$tmp/empty"
refuse "expected a value" grammar --data ''
refuse "give runs/grammar/rwa-seed1/config.toml" runs/grammar/rwa-seed1
mkdir fashion
for name in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
  echo "not MNIST" >fashion/$name-ubyte
done
paper 3 "fashion/train-images-idx3-ubyte: found SHA-256" run mnist --data fashion --out refused
refuse "'copy-100' has no quick length" --quick copy-100
refuse "--quick or --steps" --quick --steps 10
refuse "--steps is 0" grammar --steps 0
refuse "--steps" grammar --steps many
refuse "--seeds is 0" grammar --seeds 0
refuse "--seed is -1" grammar --seed -1
refuse "--threads is 0" grammar --threads 0
refuse "--checkpoint is nan" grammar --checkpoint nan
refuse "unknown model 'gur' of grammar, did you mean gru" grammar --model rwa,gur
refuse "did you mean forgetting" forgeting
refuse "'gru' is a model, expected the name of an experiment or a study; separate models with commas: --model rwa,gru" forgetting --model rwa gru
refuse "'forgetting' is a study and has no variants" forgetting --variant script
refuse "'rwa' is given twice" grammar --model rwa,rwa
refuse "device is 'cuda:63', expected one of: cpu" grammar --device cuda:63
has_gpu || refuse "device is 'cuda', expected one of: cpu" grammar --device cuda
refuse "--jobs is 0, expected a whole number from 1 to 64" grammar --jobs 0
for limit in 0 -1 9x m 9mm 1h30 nan inf 1e99 '' ' 9m'; do
  refuse "--time-limit" grammar --time-limit "$limit"
done
refuse "script" grammar --variant scripts
refuse "edit the file instead of giving --model, --seed" tame.toml --model rwa --seed 2
refuse "two runs would use the folder" long.toml whole.toml
refuse "unknown option '--nonsense'; see rwa paper run --help" grammar --nonsense
sed 's/kind = "adding"/kind = "addding"/' tame.toml >typo.toml
refuse "typo.toml:3" typo.toml
sed 's|name = "tame"|name = "../tame"|' tame.toml >climbs.toml
refuse "climbs.toml" climbs.toml
[[ ! -e refused ]] || fail "files were written before the error: $(find refused)"
expect 2 "missing.toml" "$rwa" paper run missing.toml
# The folder of the last run has another configuration: the first run does not start either.
sed 's/units = 8/units = 9/' tame.toml >other.toml
experiment first 20 >first.toml
paper 2 "network.units" run first.toml other.toml
[[ ! -e runs/first ]] || fail "a run started before the error"
paper 2 "30 steps are done" run grammar --model rwa --steps 10
touch file
paper 7 "file" run tame.toml --out file
# A finished run whose configuration was changed is refused.
sed -i 's/units = 8/units = 9/' runs/tame/rwa-seed1/config.toml
paper 4 "network.units" run other.toml

### other cells, the models of an entry, and gradients
paper 0 "grammar gru seed 1" run grammar --model gru --steps 3
[[ -e runs/grammar/gru-seed1/model.safetensors ]] || fail "no model in grammar/gru-seed1"
paper 0 "rwa-2-layers" run xor-per-step --steps 3
[[ -e runs/xor-per-step/rwa-1-layer-seed1/model.safetensors ]] || fail "not all models were run"
paper 0 "runs/xor-per-step/rwa-2-layers-seed1/gradients.csv" gradients runs/xor-per-step/rwa-2-layers-seed1
[[ $(wc -l <runs/xor-per-step/rwa-2-layers-seed1/gradients.csv) == 25 ]] || fail "not a line for each step"
paper 3 "expected the folder of a finished run" gradients kept/grammar/rwa-seed1
paper 3 "kept: found no config.toml" gradients kept
paper 0 "rwa-both-ways" run look-ahead --model rwa-both-ways --steps 3
paper 3 "rwa-both-ways-seed1: found a network with bidirectional layers" gradients runs/look-ahead/rwa-both-ways-seed1
paper 0 "xor-per-step" report runs --out of-all
grep -q "as expected" of-all/index.html || fail "the page does not compare with expectations"

### data
paper 2 "expected one of: mnist, curves" data mnits
expect 7 "--data" env RWA_MIRROR=https://127.0.0.1:9/ "$rwa" paper data mnist

### unknown commands and help
paper 2 "unknown command 'rnu', did you mean run?" rnu
paper 2 "unknown command 'walk', expected one of: list, run, report, data, results, gradients" walk
paper 2 "Train and score" # the help
for command in list run report data results gradients; do paper 0 "Examples:" $command --help; done
