#!/bin/bash
# tests/cli/forecast_test.sh: tests forecasts with the program: from a file of dates to rows of
# dates, and the errors on the way.
#   tests/cli/forecast_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"

python3 - <<'PYTHON'
import math
import random

draw = random.Random(1)
with open("sales.csv", "w", encoding="utf-8") as file:
    print("month,sales,visitors", file=file)
    for t in range(84):
        season = math.sin(2 * math.pi * t / 12)
        sales, visitors = 100 + t + 20 * season + draw.gauss(0, 2), 500 + 30 * season
        print(f"{2015 + t // 12}-{t % 12 + 1:02},{sales:.2f},{visitors:.2f}", file=file)
PYTHON

### a season is found, the forecast is scored from several origins beside simple ones, and trained
### on all
expect 0 "horizon 12 steps, season of 12 steps (autocorrelation 0.9" "$rwa" train sales.csv --target sales --task forecast --out run --steps 30
grep -qF "scored from 5 origins in time, then trained on all" err || fail "does not say how it is scored"
for word in MASE MAE "coverage, %" "baseline: last value" "baseline: seasonal naive"; do
  grep -qF "$word" out || fail "lacks $word"
done
[[ -s run/model.safetensors && -s run/report.html && -s run/fold-1/report.html ]] || fail "lacks files"

### rwa predict goes on with the dates
expect 0 "id,month,sales,sales_low,sales_high" "$rwa" predict run sales.csv
[[ $(wc -l <out) == 13 ]] || fail "not twelve months"
[[ $(cut -d, -f2 out | sed -n '2p;13p' | xargs) == "2022-01 2022-12" ]] || fail "other months"
expect 0 '"month":"2022-01","prediction":{"sales":' "$rwa" predict run sales.csv --json
head -60 sales.csv >earlier.csv
expect 0 "2019-12" "$rwa" predict run earlier.csv

### from few rows, it says what is lacking
tail -n 5 sales.csv | cat <(head -1 sales.csv) - >few.csv
expect 0 "1 of 1 series has fewer than 13 steps: give the steps before them, too (the model sees up to 36)" \
  "$rwa" predict run few.csv
expect 3 "found series of up to 5 steps, expected at least 25: 13 before a forecast" "$rwa" evaluate run few.csv

### evaluate, explain and inspect
expect 0 "seasonal naive" "$rwa" evaluate run sales.csv
expect 0 "coverage of the intervals" "$rwa" evaluate run sales.csv
expect 0 '"mase":' "$rwa" evaluate run sales.csv --json
expect 0 "sales+1" "$rwa" explain run sales.csv
expect 0 "loss pinball" "$rwa" inspect run

### a model of whole series is no stream, and is not exported
expect 2 "--task next-step" "$rwa" stream run
expect 2 "--task next-step" "$rwa" generate run
expect 2 "--task next-step" "$rwa" export run --onnx model.onnx

### options
expect 0 "horizon 3 steps, no season" "$rwa" train sales.csv --horizon 3 --season 1 --steps 5 --out a
expect 0 "5 steps" "$rwa" train sales.csv --split 0.2 --horizon 2 --steps 5 --out b
expect 2 "interval is 1" "$rwa" train sales.csv --interval 1 --out c
expect 2 "visitor" "$rwa" train sales.csv --target visitor --horizon 2 --out c
expect 2 "horizon" "$rwa" train sales.csv --horizon -1 --out c
expect 0 "too short to hold out forecasts of 80 steps: use a smaller --horizon" \
  "$rwa" train sales.csv --horizon 80 --steps 2 --out d
expect 3 "use a smaller --horizon" "$rwa" train sales.csv --horizon 83 --out c
expect 2 "takes no --target" "$rwa" train sales.csv --task next-step --target sales --out c
sed '30s/,[0-9.]*,/,,/' sales.csv >gap.csv
expect 3 "gap.csv:30:" "$rwa" train gap.csv --target sales --horizon 2 --out c
expect 0 "model:" "$rwa" train gap.csv --target sales --horizon 2 --missing previous --steps 5 --out c
sed '30,31d' sales.csv >rows.csv
expect 0 "warning: 1 of 81 steps in time is longer than the others, the first after 2017-04" \
  "$rwa" train rows.csv --horizon 2 --steps 5 --out e
sed '30s/.*/2017-04,1,2/' sales.csv >twice.csv
expect 0 "warning: 1 of 83 steps in time is 0, the first after 2017-04: if there are several series" \
  "$rwa" train twice.csv --horizon 2 --steps 5 --out f
