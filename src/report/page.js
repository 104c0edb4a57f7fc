// src/report/page.js: draws the charts of a page, shows values under the pointer, sorts tables, and
// switches between light and dark. Labels and colours are in the page's HTML and CSS.
"use strict";
(() => {
  const kQuiet = "rgba(128, 128, 128, 0.28)";  // axes and grid, on any background
  const exact = new Intl.NumberFormat("en", {maximumSignificantDigits: 12});
  const short = new Intl.NumberFormat("en", {maximumSignificantDigits: 3});

  const formatX = (x) => exact.format(x);
  // "2020-01-31", with the time of day unless it is midnight.
  function formatTime(x) {
    const text = new Date(x).toISOString();
    return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 16).replace("T", " ");
  }
  // Ticks of dates: years, months, days, or times, whatever begins there.
  function formatDate(x) {
    const date = new Date(x);
    const text = date.toISOString();
    if (!text.endsWith("T00:00:00.000Z")) return text.slice(11, 16);
    const name = date.toLocaleString("en", {month: "short", timeZone: "UTC"});
    if (date.getUTCDate() !== 1) return `${date.getUTCDate()} ${name}`;
    return date.getUTCMonth() === 0 ? text.slice(0, 4) : name;
  }
  const formatY = (y) =>
    y !== 0 && Math.abs(y) < 1e-4 ? y.toExponential(1) : short.format(y);
  // Ticks are round numbers; their last digits are rounding errors.
  function formatTick(y) {
    const round = Number(y.toPrecision(8));
    return y !== 0 && Math.abs(y) < 1e-4 ? round.toExponential() : exact.format(round);
  }

  // One row for every x of any curve, several if a curve has several points there; null if a curve
  // has none.
  function mergedRows(curves, bands) {
    const cells = curves.flatMap((curve, c) => curve.x.map((x, i) => {
      const y = curve.y[i];
      return {x, c, y: bands ? [curve.low?.[i] ?? y, y, curve.high?.[i] ?? y] : y};
    }));
    cells.sort((a, b) => a.x - b.x);
    const rows = [];
    for (const {x, c, y} of cells) {
      let row = rows.at(-1);
      if (row?.[0] !== x || row[c + 1] !== null) {
        row = [x, ...curves.map(() => null)];
        rows.push(row);
      }
      row[c + 1] = y;
    }
    return rows;
  }

  // The value of the point nearest to x; null beyond the ends of the curve.
  function valueAt(curve, x) {
    if (!(x >= curve.x[0] && x <= curve.x.at(-1))) return null;
    let low = 0;
    let high = curve.x.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (curve.x[middle] <= x) low = middle; else high = middle;
    }
    return curve.y[x - curve.x[low] <= curve.x[high] - x ? low : high];
  }

  function showValues(panel, curves, x, format) {
    panel.querySelectorAll(".legend output").forEach((output, c) => {
      const y = x === null ? null : valueAt(curves[c], x);
      output.textContent = y === null ? "" : formatY(y);
    });
    panel.querySelector(".x-label output").textContent = x === null ? "" : format(x);
  }

  // Decades, or 1, 2, 5 if there is room. Ticks within about one decade are linear.
  function logTicks(low, high, pixels, options, ...more) {
    const decades = Math.log10(high / low);
    if (decades < 1.2) return Dygraph.numericLinearTicks(low, high, pixels, options, ...more);
    const room = pixels / options("pixelsPerLabel");
    const digits = decades * 3 < room ? [1, 2, 5] : [1];
    const every = Math.ceil(decades / room);
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) {
      if (power % every !== 0) continue;
      const values = digits.map((digit) => Number(`${digit}e${power}`));
      for (const v of values.filter((value) => value >= low && value <= high)) {
        ticks.push({v, label: options("axisLabelFormatter")(v)});
      }
    }
    return ticks;
  }

  // An axis range for a single x; null if there are several.
  function widened(rows, logarithmic) {
    const x = rows[0][0];
    if (rows.length > 1) return null;
    return logarithmic ? [x / 2, x * 2] : [x - 1, x + 1];
  }

  // On touch screens a swipe scrolls the page; a tap shows values.
  const {touchstart, touchmove, touchend, ...interactionModel} = Dygraph.defaultInteractionModel;

  function draw(plot, chart) {
    const panel = plot.closest(".panel");
    const formatPlace = chart.time ? formatTime : formatX;
    if (chart.time) {
      for (const curve of chart.curves) curve.x = curve.x.map((seconds) => 1000 * seconds);
    }
    const swatches = [...panel.querySelectorAll(".legend i")];
    // The legend lists the curves from front to back; the canvas is painted from back to front.
    const order = chart.curves.map((_, c) => c).reverse();
    const painted = order.map((c) => chart.curves[c]);
    const names = order.map(String);
    const bands = painted.some((curve) => curve.low);
    const series = () => Object.fromEntries(order.map((c) => [String(c), {
      color: getComputedStyle(swatches[c]).color,
      strokeWidth: chart.curves[c].points ? 0 : chart.curves[c].width,
      strokePattern: chart.curves[c].dashed ? [6, 4] : null,
      drawPoints: chart.curves[c].points || chart.curves[c].x.length === 1,
      pointSize: chart.curves[c].points ? 2 : 3,
    }]));
    const rows = mergedRows(painted, bands);
    const graph = new Dygraph(plot, rows, {
      labels: ["x", ...names],
      series: series(),
      customBars: bands,
      fillAlpha: 0.2,
      connectSeparatedPoints: true,
      logscale: chart.logY,
      legend: "never",
      interactionModel,
      highlightCircleSize: 3.5,
      highlightCallback: (event, x) => showValues(panel, chart.curves, x, formatPlace),
      unhighlightCallback: () => showValues(panel, chart.curves, null, formatPlace),
      axisLineColor: kQuiet,
      gridLineColor: kQuiet,
      gridLineWidth: 0.6,
      axisLabelFontSize: 12,
      dateWindow: widened(rows, chart.logX),
      xRangePad: chart.logX ? 0 : 6,
      yRangePad: 10,
      labelsUTC: true,
      axes: {
        x: {
          logscale: chart.logX,
          ticker: chart.time ? Dygraph.dateTicker
            : chart.logX ? logTicks : Dygraph.numericLinearTicks,
          axisLabelFormatter: chart.time ? formatDate : formatX,
          axisLabelWidth: 64,
          pixelsPerLabel: chart.time ? 50 : 74,
          drawGrid: false,
        },
        y: {
          ticker: chart.logY ? logTicks : Dygraph.numericLinearTicks,
          axisLabelFormatter: formatTick,
          axisLabelWidth: 52,
          pixelsPerLabel: 34,
        },
      },
    });
    return () => graph.updateOptions({series: series()});
  }

  const charts = JSON.parse(document.getElementById("charts").textContent);
  const repaints = [...document.querySelectorAll(".plot")].map((plot, i) => draw(plot, charts[i]));

  // Numbers by value, the rest by its letters; "0.62 ± 0.03" and "✓ 1,000" count as numbers.
  function keyOf(row, column) {
    const text = row.cells[column].textContent.trim();
    const number = text.match(/^[^\p{L}\d]*?(-?[\d,]*\.?\d+(?:e[+-]?\d+)?)/u);
    return {text, number: number ? Number(number[1].replaceAll(",", "")) : NaN};
  }
  function compare(a, b) {
    if (Number.isNaN(a.number) !== Number.isNaN(b.number)) return Number.isNaN(a.number) ? 1 : -1;
    if (a.number !== b.number && !Number.isNaN(a.number)) return a.number - b.number;
    return a.text.localeCompare(b.text, "en", {numeric: true});
  }
  function sort(table, header) {
    const falling = header.ariaSort === "ascending";
    for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
    header.ariaSort = falling ? "descending" : "ascending";
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({row, key: keyOf(row, header.cellIndex)}));
    rows.sort((a, b) => (falling ? -1 : 1) * compare(a.key, b.key));
    body.append(...rows.map(({row}) => row));
  }
  for (const table of document.querySelectorAll("table.sorts")) {
    for (const header of table.tHead.rows[0].cells) {
      header.querySelector("button").addEventListener("click", () => sort(table, header));
    }
  }

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  const root = document.documentElement;
  function isDark() {
    return root.style.colorScheme ? root.style.colorScheme === "dark" : dark.matches;
  }
  function repaint() {
    button.textContent = isDark() ? "Light" : "Dark";
    repaints.forEach((paint) => paint());
  }
  button.hidden = false;
  button.textContent = isDark() ? "Light" : "Dark";
  button.addEventListener("click", () => {
    root.style.colorScheme = isDark() ? "light" : "dark";
    repaint();
  });
  dark.addEventListener("change", repaint);
})();
