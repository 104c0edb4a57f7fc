// tests/export/onnx_metadata.mjs: the metadata of an ONNX file, which ONNX Runtime does not show in
// JavaScript. The file is a Protocol Buffers message; of its fields, number 14 are pairs of key, 1,
// and value, 2.

const METADATA = 14;

// Calls found(number, bytes) for each field of a message that is a text or a message itself.
function eachField(bytes, found) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wire = tag & 7;
    if (wire === 2) {
      const length = varint();
      found(tag >>> 3, bytes.subarray(at, at + length));
      at += length;
    } else if (wire === 0) {
      varint();
    } else {
      at += wire === 1 ? 8 : 4;
    }
  }
}

export function metadataOf(bytes) {
  const metadata = {};
  eachField(bytes, (number, entry) => {
    if (number !== METADATA) return;
    const pair = {};
    eachField(entry, (part, text) => { pair[part] = new TextDecoder().decode(text); });
    metadata[pair[1]] = pair[2];
  });
  return metadata;
}
