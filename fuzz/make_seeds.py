#!/usr/bin/env python3
"""Writes the binary seeds: arrays, archives, compressed files, tensors, programs (program.h). The first byte of an input
selects options. The model, the checkpoint and the states of streams were written by rwa itself.

    fuzz/make_seeds.py
"""
import gzip
import io
import json
import math
import pathlib
import struct
import zipfile

SEEDS = pathlib.Path(__file__).parent / "seeds"


def put(name, *parts):
    path = SEEDS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(part.encode() if isinstance(part, str) else part for part in parts))


def npy(dtype, shape, content, version=1):
    header = repr({"descr": dtype, "fortran_order": False, "shape": shape}) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + content


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def integers(*values):
    return struct.pack(f"<{len(values)}q", *values)


def archive(method=zipfile.ZIP_DEFLATED, **members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name + ".npy"), content, method)
    return stream.getvalue()


def tensors(header, content=b""):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def zstd(content):  # one frame with one uncompressed block
    assert len(content) < 256
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(content)]) + struct.pack("<I", len(content) << 3 | 1)[:3] + content


flat = npy("<f4", (2, 3), floats(1, 2, float("nan"), 4, 5, 6.5))
cube = npy("<f8", (2, 2, 2), struct.pack("<8d", *range(8)), 2)
put("npy/flat", "0", flat)
put("npy/labels_of_steps", ";", npy("|u1", (3, 2), bytes([1, 2, 3, 2, 1, 1]), 3))
for option, layout in zip("123", ("ntc", "nct", "tnc")):
    put(f"npy/{layout}", option, cube)
put("npy/of_a_model", "@", cube)
put("npy/text", ";", npy("<U2", (2,), "ab你".encode("utf-32-le") + bytes(4)))
put("npy/twelve_bytes", "0", b"\x93NUMPY\x02\x00\xff\xff\xff\xff")
put("npy/wrapping_shape", "1", npy("<f4", (4194305, 4194305, 211106198978564), b""))

classes = npy("|i1", (2,), b"\x01\x02")
put("npz/classes", "0", archive(x=flat, y=classes))
put("npz/stored", "1", archive(zipfile.ZIP_STORED, x=cube, lengths=npy("<i8", (2,), integers(1, 2))))
put("npz/offsets", "0", archive(values=npy("<f4", (3, 1), floats(1, 2, 3)), offsets=npy("<i8", (3,), integers(0, 1, 3))))
put("npz/bomb", "0", archive(x=flat + bytes(100000)))
put("npz/missing", "0", archive(z=flat))

images = b"\0\0\x08\3" + struct.pack(">3I", 2, 2, 3) + bytes(range(12))
put("idx/images", "0", images)
put("idx/columns", "2", images)
put("idx/labels_of_steps", ";", b"\0\0\x08\2" + struct.pack(">2I", 2, 3) + bytes(6))
put("idx/large", "0", b"\0\0\x08\3" + struct.pack(">3I", *3 * [0xFFFFFFFF]))

table = b"a,b,y\n1,2,up\n3,4,down\n"
put("unpacked/plain", "0", table)
put("unpacked/gzip", "0", gzip.compress(table, mtime=0))
put("unpacked/gzip_twice", "3", gzip.compress(table, mtime=0) * 2)
put("unpacked/zstd", "3", zstd(table))
put("unpacked/zstd_skipped", "0", b"\x50\x2a\x4d\x18\4\0\0\0abcd" + zstd(table))
put("any/gzip", "0", gzip.compress(table, mtime=0))
put("any/npy", "0", flat)
put("any/npz", "0", archive(x=flat, y=classes))
put("any/idx", "0", images)

put("safetensors/empty", "0", tensors({}))
put("safetensors/two", "0", tensors({"__metadata__": {"a": "b"},
                                "x": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]},
                                "y": {"dtype": "F32", "shape": [1], "data_offsets": [8, 12]}}, floats(1, 2, 3)))
put("safetensors/wrapping_shape", "0", tensors({"x": {"dtype": "F32", "shape": [4194305, 4194305, 211106198978564],
                                                 "data_offsets": [0, 16]}}, bytes(16)))



def weights(dtype, pack, shapes):  # of PyTorch
    header, content = {}, b""
    for name, shape in shapes.items():
        data = pack([number / 8 for number in range(math.prod(shape))])
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(content), len(content) + len(data)]}
        content += data
    return tensors(header, content)


def packed_as(code):
    return lambda values: struct.pack(f"<{len(values)}{code}", *values)


def bfloats(values):
    return b"".join(struct.pack("<f", value)[2:] for value in values)


lstm = {"a.weight_ih_l0": [8, 3], "a.weight_hh_l0": [8, 2], "a.bias_ih_l0": [8], "a.bias_hh_l0": [8],
        "c.weight": [4, 2], "c.bias": [4]}
gru = {"weight_ih_l0": [6, 3], "weight_hh_l0": [6, 2], "weight_ih_l0_reverse": [6, 3], "weight_hh_l0_reverse": [6, 2]}
put("torch/lstm", "0", weights("F32", packed_as("f"), lstm))
put("torch/named", "3", weights("F32", packed_as("f"), {**lstm, "e.weight": [5, 3], "b.weight_ih_l0": [8, 3]}))
put("torch/half", "2", weights("F16", packed_as("e"), {**lstm, "emb.weight": [5, 3]}))
put("torch/bfloat", "1", weights("BF16", bfloats, gru))
put("torch/double", "1", weights("F64", packed_as("d"), gru))
put("torch/no_units", "0", weights("F32", packed_as("f"), {"weight_ih_l0": [0, 3], "weight_hh_l0": [0, 1 << 62]}))
put("safetensors/half", "1", weights("F16", packed_as("e"), {"x": [2, 3]}))
put("safetensors/double_too_large", "1", weights("F64", lambda _: struct.pack("<d", 1e300), {"x": [1]}))

put("curve/bits", "0", "step,bits,accuracy\n0,2.5,\n100,0.125,99.5\n")
put("curve/mse", "0", "step,mse,accuracy\n0,2.5,\n100,1e-3,\n")
put("curve/log", "1", "Iteration: 0 Dataset: train Cost: 0.5\nIteration: 0 Dataset: test Cost: 0.25 Accuracy: 60.0\n"
    "Iteration: 100 Dataset: test Cost: 0.125\n")
put("curve/backward_log", "1", "Iteration: 100 Dataset: test Cost: inf\nIteration: 0 Dataset: test Cost: nan\n")

PLAIN, GZIP, ZSTD, GZIP_TWICE = range(4)


def program(option, packing, *pieces):  # program.h; a piece is a text, or (the power of two of its repetitions, text)
    content = bytes([ord(option) | 0x80, packing])
    for piece in pieces:
        power, text = piece if isinstance(piece, tuple) else (0, piece)
        data = text.encode()
        content += struct.pack("<BH", power, len(data)) + data
    return content


put("table/long_line", program("0", ZSTD, "a,b\n1,2\n", (20, ",")))
put("table/many_rows", program("0", PLAIN, "a,b,y\n", (14, "1,2,up\n3,4,down\n")))
put("table/quotes_packed", program("0", GZIP, "a,b\n", (20, '"')))
put("ts/colons", program("0", ZSTD, "@univariate false\n@classLabel true a b\n@data\n", (20, ":")))
put("tsf/colons", program("0", GZIP, "@attribute n string\n@data\n", (20, ":")))
put("tsf/long_series", program("0", PLAIN, "@attribute n string\n@frequency daily\n@data\na:", (16, "1,2,"), "3\n"))
put("arff/attributes", program("0", GZIP, "@relation r\n", (15, "@attribute a numeric\n"), "@data\n1\n"))
put("jsonl/nested_deep", program("0", PLAIN, '{"x":', (18, "["), (18, "]"), "}\n"))
put("fasta/marks_in_header", program("<", PLAIN, ">x__1\nAC\n>y", (19, "_"), "2\nGG\n"))
put("fasta/long", program("0", GZIP, ">a\n", (17, "GATTACA")))
put("text/words", program("D", GZIP_TWICE, (16, "the cat. ")))
put("any/gzip_twice", program("0", GZIP_TWICE, "a,b\n", (10, "1,2\n")))
put("unpacked/program", program("0", ZSTD, (20, "a")))
put("stream/long_line", program("0", PLAIN, "1,2\n1,", (16, " "), "2\n3,4\n"))
put("stream/many_ids", program("1", PLAIN, "a,1,2\n", (9, "b,1,2\n"), "a\n"))
put("dataset/many_sequences", program("1", PLAIN, "id,a,y\n", (10, "1,2,up\n2,3,down\n3,1,up\n")))
put("dataset/long_series", program("4", PLAIN, "month,sales\n", (7, "1,2\n2,3.5\n3,1\n")))
put("config/deep", program("0", PLAIN, "name = ", (12, "["), "\n"))
put("config/many_parts", program("0", PLAIN, (17, "a."), "a = 1\n"))
put("run/many_metrics", program("1", PLAIN, (12, '{"step":1,"split":"test","loss":0.5,"unit":"mse"}\n')))
