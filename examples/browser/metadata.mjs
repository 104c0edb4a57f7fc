// metadata.mjs: reads the metadata of an ONNX file.

// Yields the number and bytes of each message or string field of a protobuf message.
function* fieldsOf(bytes) {
  let at = 0;
  const varint = () => {
    for (let value = 0, scale = 1;; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (!(byte > 127)) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag % 8;
    if (kind === 0) varint();
    if (kind === 1) at += 8;
    if (kind === 5) at += 4;
    if (kind !== 2) continue;
    const size = varint();
    yield [Math.floor(tag / 8), bytes.subarray(at, at + size)];
    at += size;
  }
}

// Returns the metadata, which ONNX Runtime does not pass on to a page: field 14, with key (1) and value (2).
export function metadataOf(bytes) {
  const text = (part) => new TextDecoder().decode(part);
  const entries = [...fieldsOf(bytes)].filter(([number]) => number === 14);
  return Object.fromEntries(entries.map(([, entry]) => {
    const {1: key, 2: value} = Object.fromEntries(fieldsOf(entry));
    return [text(key), text(value)];
  }));
}
