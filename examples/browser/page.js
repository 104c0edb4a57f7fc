// page.js: follows the pen, runs the network after each step and shows its prediction.

import {metadataOf} from "./metadata.mjs";
import * as ort from "./ort/ort.wasm.min.mjs";

const STEP = 1 / 48;  // length of a step of the pen, in widths of the sheet; as in strokes.py
const FEATURES = ["dx", "dy", "up"];

// The path of each shape in a 24 by 24 square: the icon, and what its button draws.
const PATHS = {
  line: "M4 19L20 5",
  circle: "M12 3.5A8.5 8.5 0 1 0 12.01 3.5",
  triangle: "M12 4L20.5 19.5H3.5Z",
  square: "M4.5 4.5V19.5H19.5V4.5Z",
  star: "M6.2 20.5L12 3L17.8 20.5L2.8 9.7H21.2Z",
  heart: "M12 7.5C10 3 3.5 3.5 3.5 9.2C3.5 14 8.5 17 12 20.5C15.5 17 20.5 14 20.5 9.2C20.5 3.5 14 3 12 7.5",
  infinity: "M12 12C14.5 8.5 16 7.5 17.8 7.5A4.5 4.5 0 0 1 17.8 16.5C16 16.5 14.5 15.5 12 12" +
            "C9.5 8.5 8 7.5 6.2 7.5A4.5 4.5 0 0 0 6.2 16.5C8 16.5 9.5 15.5 12 12",
  spiral: "M12 12A2 2 0 0 1 16 12A4 4 0 0 1 8 12A6 6 0 0 1 20 12A8 8 0 0 1 4 12",
  wave: "M2 12C3.5 7 5.2 7 6.7 12S9.8 17 11.3 12S14.5 7 16 12S20 17 22 12",
  zigzag: "M2.5 17L7 7L11.5 17L16 7L20.5 17",
  check: "M4 13L9.5 19L20.5 5",
  arrow: "M3 12H21L14.5 6L21 12L14.5 18",
};

const element = Object.fromEntries(
    ["sheet", "name", "sure", "answer", "shapes", "about", "spoken"].map((id) => [id, document.getElementById(id)]));

function svg(name, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

// ---- The network

// A stateless network that runs step by step: a state goes in, the next one comes out.
class Network {
  static async load(url) {
    const reply = await fetch(url);
    if (!reply.ok) throw new Error(`${url}: ${reply.status} ${reply.statusText}, expected the model: run "make"`);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    // One thread is enough for a step and needs no special headers from the server.
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmPaths = new URL("./ort/", import.meta.url).href;
    const network = new Network(await ort.InferenceSession.create(bytes), metadataOf(bytes), bytes.length);
    await network.step([0, 0, 0], network.start);  // warm-up: the first call is much slower
    return network;
  }

  constructor(session, metadata, size) {
    const features = JSON.parse(metadata.features ?? "null");
    if (String(features) !== String(FEATURES)) {
      throw new Error(`the model reads ${features}, expected ${FEATURES}`);
    }
    if (!metadata.initial_state) throw new Error(`the model is for whole sequences: export it with --step`);
    this.session = session;
    this.labels = JSON.parse(metadata.outputs);
    this.config = JSON.parse(metadata.network);
    this.size = size;
    const state = JSON.parse(metadata.initial_state);
    this.start = new ort.Tensor("float32", state, [1, state.length]);
  }

  async step(x, state) {
    const told = await this.session.run({x: new ort.Tensor("float32", x, [1, x.length]), state});
    return {probabilities: told.probabilities.data, state: told.next_state};
  }
}

const loading = Network.load("model.onnx");

// ---- Showing

let rows = [];  // a button for each of the network's labels

function addShapes(network) {
  element.shapes.replaceChildren(...network.labels.map((label, i) => {
    const row = document.createElement("button");
    row.type = "button";
    row.title = `Draw: ${label}`;
    row.style.setProperty("--hue", (318 + 137.5 * i) % 360);  // the golden angle: neighbours differ
    const picture = svg("svg", {viewBox: "0 0 24 24", "aria-hidden": true}, row);
    const path = svg("path", {d: PATHS[label] ?? ""}, picture);
    const name = document.createElement("span");
    name.textContent = label;
    const bar = document.createElement("span");
    bar.className = "bar";
    row.append(name, bar);
    row.disabled = !(label in PATHS);
    row.addEventListener("click", () => demonstrate(path));
    const item = document.createElement("li");
    item.append(row);
    rows.push(row);
    return item;
  }));
}

function tell(network, stroke) {
  const {cell, units} = network.config;
  const size = Math.round(network.size / 1024);
  const time = stroke ? `\nStep ${stroke.asked}, ${(stroke.time / stroke.asked).toFixed(2)} ms each.` : "";
  element.about.textContent = `${cell}, ${units} units, ${size} kB, all in this page.${time}`;
}

// Shows the prediction for the stroke so far. `piece` is the part of the line that the network has just seen;
// parts that it has not seen yet have the sheet's colour.
function show(network, probabilities, piece, isDone) {
  const best = probabilities.indexOf(Math.max(...probabilities));
  const sure = probabilities[best];
  rows.forEach((row, i) => {
    row.style.setProperty("--sure", probabilities[i].toFixed(4));
    row.setAttribute("aria-current", i === best);
  });
  for (const part of [piece, element.sheet, element.answer]) {
    part.style.setProperty("--hue", rows[best].style.getPropertyValue("--hue"));
    part.style.setProperty("--sure", sure.toFixed(4));
  }
  element.name.textContent = network.labels[best] + (isDone ? "" : "?");
  element.sure.textContent = `${Math.round(100 * sure)} %`;
  if (isDone) element.spoken.textContent = `${network.labels[best]}, ${Math.round(100 * sure)} percent`;
}

function showNothing() {
  rows.forEach((row) => {
    row.style.removeProperty("--sure");
    row.removeAttribute("aria-current");
  });
  for (const part of [element.sheet, element.answer]) part.removeAttribute("style");
  for (const part of ["name", "sure", "spoken"]) element[part].textContent = "";
}

// ---- Drawing

// A line on the sheet, from pen down to pen up. The network sees steps of equal length, so that the speed of
// drawing does not matter: a point is pulled behind the pen on a string one step long.
class Stroke {
  constructor(point) {
    [this.x, this.y] = point;
    this.asked = this.time = 0;
    this.waiting = [];
    element.sheet.replaceChildren();
    this.beginPiece(point);
  }

  beginPiece(point) {
    this.piece = svg("polyline", {points: `${point} ${point}`}, element.sheet);
  }

  moveTo(point) {
    this.piece.setAttribute("points", `${this.piece.getAttribute("points")} ${point}`);
    const before = this.waiting.length;
    for (;;) {
      const [dx, dy] = [point[0] - this.x, point[1] - this.y];
      const far = Math.hypot(dx, dy);
      if (far < STEP) break;
      this.x += STEP * dx / far;
      this.y += STEP * dy / far;
      this.waiting.push({x: [dx / far, dy / far, 0], piece: this.piece});
    }
    if (this.waiting.length === before) return;
    this.beginPiece(point);
    this.ask();
  }

  lift() {
    const isDot = this.asked === 0 && this.waiting.length === 0;
    if (isDot) return;
    this.waiting.push({x: [0, 0, 1], piece: this.piece, isDone: true});
    this.ask();
  }

  // Steps may arrive faster than predictions. Stops when a new stroke replaces this one.
  async ask() {
    if (this.isAsking) return;
    this.isAsking = true;
    const network = await loading;
    while (this.waiting.length > 0 && stroke === this) {
      const {x, piece, isDone} = this.waiting.shift();
      const begin = performance.now();
      const {probabilities, state} = await network.step(x, this.state ?? network.start);
      if (stroke !== this) break;
      this.time += performance.now() - begin;
      this.asked += 1;
      this.state = state;
      show(network, probabilities, piece, isDone);
      tell(network, this);
      element.sheet.dispatchEvent(new CustomEvent("answer", {detail: {x, probabilities: [...probabilities]}}));
    }
    this.isAsking = false;
  }
}

let stroke = null;  // the one on the sheet
let pen = null;     // the pointer that draws it

function begin(point) {
  showNothing();
  document.body.classList.add("drawn");
  stroke = new Stroke(point);
  return stroke;
}

// Draws a shape, slightly different each time.
function demonstrate(path) {
  const size = (0.55 + 0.25 * Math.random()) / 24;
  const turn = 0.3 * (Math.random() - 0.5);
  const length = path.getTotalLength();
  const place = (share) => {
    const {x, y} = path.getPointAtLength(share * length);
    return [0.5 + size * ((x - 12) * Math.cos(turn) - (y - 12) * Math.sin(turn)),
            0.5 + size * ((x - 12) * Math.sin(turn) + (y - 12) * Math.cos(turn))];
  };
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const begun = performance.now();
  pen = null;
  const mine = begin(place(0));
  let done = 0;
  const go = (now) => {
    if (stroke !== mine) return;
    const share = isStill ? 1 : Math.min(1, (now - begun) / (500 + 18 * length));
    for (; done < share; done += 1 / 256) mine.moveTo(place(done));
    if (share < 1) return requestAnimationFrame(go);
    mine.moveTo(place(1));
    mine.lift();
  };
  requestAnimationFrame(go);
}

function pointOf(event) {
  const box = element.sheet.getBoundingClientRect();
  return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
}

element.sheet.addEventListener("pointerdown", (event) => {
  if (!event.isPrimary || event.button !== 0) return;
  event.preventDefault();
  element.sheet.setPointerCapture(event.pointerId);
  pen = event.pointerId;
  begin(pointOf(event));
});

element.sheet.addEventListener("pointermove", (event) => {
  if (event.pointerId !== pen) return;
  const all = event.getCoalescedEvents?.() ?? [];
  for (const part of all.length > 0 ? all : [event]) stroke.moveTo(pointOf(part));
});

for (const end of ["pointerup", "pointercancel"]) {
  element.sheet.addEventListener(end, (event) => {
    if (event.pointerId !== pen) return;
    pen = null;
    stroke.lift();
  });
}

loading.then((network) => {
  addShapes(network);
  tell(network);
}, (error) => {
  element.about.textContent = String(error.message ?? error);
});
