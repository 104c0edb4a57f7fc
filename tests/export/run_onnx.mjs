// tests/export/run_onnx.mjs: runs ONNX files with ONNX Runtime's WebAssembly, as a browser does.
//   RWA_NODE_MODULES=… node run_onnx.mjs CASES RESULTS
// CASES is a JSON array of {"file", "feeds": [{name: {"type", "dims", "data"}}, …]}. A file's feeds
// run one after another. If a feed lacks the input "state", it gets the initial state of the file's
// metadata or the state that the feed before has left. RESULTS becomes an array of
// {"metadata": {…}, "outputs": [{name: {"dims", "data"}}, …]}. null in JSON means NaN.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { metadataOf } from "../../examples/browser/metadata.mjs";

const require = createRequire(path.join(process.env.RWA_NODE_MODULES, "/"));
const ort = require("onnxruntime-web");
ort.env.wasm.numThreads = 1;

const ARRAYS = {
  float32: (data) => Float32Array.from(data, (value) => value ?? NaN),
  int64: (data) => BigInt64Array.from(data, BigInt),
};

function tensorsOf(feed) {
  return Object.fromEntries(Object.entries(feed).map(([name, { type, dims, data }]) =>
    [name, new ort.Tensor(type, ARRAYS[type](data), dims)]));
}

function initialState(metadata, batch) {
  const start = JSON.parse(metadata.initial_state);
  const all = Array.from({ length: batch }, () => start).flat();
  return new ort.Tensor("float32", Float32Array.from(all), [batch, start.length]);
}

async function run({ file, feeds }) {
  const bytes = fs.readFileSync(file);
  const metadata = metadataOf(bytes);
  const session = await ort.InferenceSession.create(bytes);
  const outputs = [];
  let state = null;
  for (const feed of feeds) {
    const tensors = tensorsOf(feed);
    if (session.inputNames.includes("state") && !tensors.state) {
      tensors.state = state ?? initialState(metadata, Object.values(tensors)[0].dims[0]);
    }
    const made = await session.run(tensors);
    state = made.next_state;
    outputs.push(Object.fromEntries(Object.entries(made).map(([name, tensor]) =>
      [name, { dims: tensor.dims, data: Array.from(tensor.data) }])));
  }
  await session.release();
  return { metadata, outputs };
}

const [cases, results] = process.argv.slice(2);
const all = [];
for (const one of JSON.parse(fs.readFileSync(cases, "utf-8"))) all.push(await run(one));
fs.writeFileSync(results, JSON.stringify(all));
