#!/usr/bin/env python3
"""Tests that no file blows up the program: the peak memory is at most 100 MB, 4 times the bytes that
are kept, and the window that a zstd file declares. What is kept is the sequences, of `rwa inspect`
the longest one, the current JSON line, and a table of labels: nothing of 100 MB of any one
separator.

    tests/cli/memory_test.py PATH_OF_RWA
"""
import gzip
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

RWA = os.path.abspath(sys.argv[1])
WAVES = pathlib.Path(__file__).resolve().with_name("waves.py")
MB = 1_000_000
SIZE = 100 * MB
JSON_LINE = 16 << 20  # the longest that is read
WINDOW = 1 << 27  # the largest of zstd that is read

TS = b"@problemName p\n@univariate false\n@classLabel true a b\n"
ARFF = b"@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n"
RELATION = (b"@relation r\n@attribute m relational\n@attribute t numeric\n@end m\n"
            b"@attribute c {a,b}\n@data\n")
TSF = b"@attribute name string\n@data\n"

# The end of a file's name, the beginning of the file, and what follows 100 million times: it is
# refused, or nothing of it is kept.
FILES = [
    (".csv", b"", b",;\t |\"'\n\r.\0"),
    (".csv", b"a,b\n1,2\n", b",;\t \"\n\r-0"),
    (".csv", b"a,b\n1,\"", b",\n\r '"),
    (".ts", TS + b"@data\n", b":,; \n'\"(."),
    (".ts", TS + b"@timeStamps true\n@data\n", b"(:,)"),
    (".ts", b"@classLabel true ", b" ,a"),
    (".tsf", TSF, b":, \n'?"),
    (".tsf", TSF + b"s:", b":,? \n"),
    (".arff", ARFF, b",; \n'\"%{"),
    (".arff", RELATION + b"'", b",\\ '0"),
    (".arff", b"@relation r\n@attribute c {", b", }'a"),
    (".jsonl", b"", b"[{\"\n ,:0"),
    (".jsonl", b'{"x":[', b"[,\" 0]"),
    (".jsonl", b'{"text":"', b"\"\\ a"),
    (".fa", b"", b">\n *"),
    (".fa", b">a b\n", b">\n ;"),
    (".fq", b"@a b\n", b"@\n +"),
    (".fq", b"@a b\nACGT\n+\n", b"@\n +!"),
    (".txt", b"", b" \n\"'.a\xff"),
    (".txt", b"__label__a ", b" \n.a_"),
]


# The same of FASTA, where they are letters, which are kept.
LETTERS = [
    (".fa", b">a b\n", b"-A"),
    (".fq", b"@a b\n", b"-A"),
]


def zstd(begin, separator, window=0x38):
    """A frame of one raw block and blocks that repeat a byte; by default of a window of 128 KB."""
    def block(kind, size, content, last=False):
        return (size << 3 | kind << 1 | last).to_bytes(3, "little") + content

    raw, repeated, longest = 0, 1, 1 << 17
    whole, rest = divmod(SIZE, longest)
    return (b"\x28\xb5\x2f\xfd\0" + bytes([window]) + block(raw, len(begin), begin) +
            whole * block(repeated, longest, separator) +
            block(repeated, rest, separator, last=True))


def put(file, begin, separator):
    """Holds little in memory: a process counts that of its parent before it starts."""
    with (gzip.open(file, "wb", 1) if file.suffix == ".gz" else file.open("wb")) as out:
        out.write(begin)
        for _ in range(SIZE // MB):
            out.write(separator * MB)


def run(command, file=None):
    """Status, peak memory in bytes, and the beginning of the messages."""
    with tempfile.TemporaryFile() as messages, open(file or os.devnull, "rb") as stdin:
        process = subprocess.Popen([RWA, *command], stdin=stdin, stdout=subprocess.DEVNULL,
                                   stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        messages.seek(0)
        text = messages.read(2000).decode(errors="replace")
    return os.waitstatus_to_exitcode(status), 1024 * usage.ru_maxrss, text


def check(what, outcome, lines=("",), kept=0):
    status, peak, text = outcome
    assert status in (0, 2, 3), (what, outcome)
    assert status == 0 or any(f"{line}: " in text for line in lines), (what, outcome)
    assert peak <= 100 * MB + 4 * kept, (what, peak, outcome)


def check_files():
    for ending, begin, separators in FILES + LETTERS:
        kept = JSON_LINE if ending == ".jsonl" else 0
        if (ending, begin, separators) in LETTERS:
            kept = SIZE
        for separator in map(bytes, zip(separators)):
            file = pathlib.Path(f"packed{ending}.zst")
            file.write_bytes(zstd(begin, separator))
            check((ending, begin, separator), run(["inspect", str(file)]), kept=kept)
        # Plain, and packed by gzip.
        for file in map(pathlib.Path, (f"plain{ending}", f"packed{ending}.gz")):
            put(file, begin, separators[:1])
            check((str(file), begin, separators[:1]), run(["inspect", str(file)]), kept=kept)
            file.unlink()


def check_windows():
    for ending, begin, separator in ((".txt", b"", b"\n"), (".txt", b"", b"a"), (".fa", b"", b">"),
                                     (".csv", b"a,b\n1,2\n", b"\n")):
        file = pathlib.Path(f"window{ending}.zst")
        file.write_bytes(zstd(begin, separator, window=0x88))
        status, peak, text = run(["inspect", str(file)])
        check((ending, begin, separator, "window"), (status, peak - WINDOW, text))


def npy(dtype, shape):
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def many(begin, part, count, end=b""):
    """Returns what writes a file: `part` is repeated."""
    def write(file):
        with file.open("wb") as out:
            out.write(begin)
            at_once = min(count, MB)
            for _ in range(count // at_once):
                out.write(part * at_once)
            out.write(end)
    return write


def counted(begin, line, count, end=b""):
    """The same for lines that differ in a number."""
    def write(file):
        with file.open("wb") as out:
            out.write(begin)
            out.writelines(line % i for i in range(count))
            out.write(end)
    return write


def packed(begin):
    return lambda file: file.write_bytes(zstd(begin, b"\0"))


def npz(begin):
    def write(file):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("x.npy", "w") as out:
                out.write(begin)
                for _ in range(SIZE // MB):
                    out.write(bytes(MB))
    return write


def arff(attributes):
    """Each has 65,000 classes."""
    def write(file):
        classes = b",".join(b"%x" % i for i in range(65_000))
        with file.open("wb") as out:
            out.writelines(b"@attribute a%d {%s}\n" % (i, classes) for i in range(attributes))
            out.write(b"@attribute x real\n@attribute c {a,b}\n@data\n")
            out.write(b"0," * attributes + b"1,a\n")
    return write


def dna(file):
    chance = random.Random(1)
    with file.open("wb") as out:
        out.write(b">a\n")
        for _ in range(100):
            out.write(bytes(chance.choices(b"ACGT", k=80_000)) + b"\n")


ONE_ROW = npy("|u1", (1, SIZE))
# Whole files: name, what writes it, options, bytes that are kept, exit code.
WHOLE = [
    ("line.txt", many(b"", b"a", 60 * MB), [], 60 * MB, 0),
    ("line.fa", many(b">a\n", b"ACGT", 25 * MB), [], SIZE, 0),
    ("lines.fa", many(b">a\n", b"ACGTACGTA\n", 10 * MB), [], SIZE, 0),
    ("long.csv", many(b"t,x\n", b"1,1\n", 15 * MB), [], 60 * MB, 0),
    ("wide.csv", many(b"", b"1," * 199_999 + b"1\n", 50), [], 20 * MB, 0),
    ("row.npy", many(ONE_ROW, b"\0", SIZE), ["--layout", "ntc"], SIZE, 0),
    ("row.npy.zst", packed(ONE_ROW), ["--layout", "ntc"], SIZE, 0),
    ("row.npz", npz(ONE_ROW), ["--layout", "ntc"], SIZE, 0),
    ("row.idx", many(struct.pack(">III", 0x802, 1, SIZE), b"\0", SIZE), [], SIZE, 0),
    ("floats.npy", many(npy("<f4", (1, SIZE // 4)), b"\0", SIZE), [], SIZE, 0),
    # What has been read of the row is kept.
    ("cut.npy", many(npy("|u1", (1, 2 * SIZE)), b"\0", SIZE), [], SIZE // 4, 3),
    ("cut.npy.zst", packed(npy("|u1", (1, 2 * SIZE))), [], SIZE // 4, 3),
    ("dimensions.ts", many(b"@dimensions 20000001\n@data\n", b":", 20 * MB), [], 0, 3),
    ("classes.arff", arff(1), [], MB, 0),
    ("classes.arff", arff(100), [], 0, 3),
    ("targets.jsonl", many(b'{"x":[0],"y":[0', b",0", 8 * MB, b"]}\n"), [], JSON_LINE, 3),
    ("width.jsonl", many(b'{"x":[[0', b",0", 8 * MB, b"]]}\n"), [], JSON_LINE, 3),
    ("keys.jsonl", counted(b'{"x":[0]', b',"%x":0', 1_500_000, b"}\n"), [], JSON_LINE, 3),
    ("ids.jsonl", counted(b"", b'{"id":"a%d","x":[0,1]}\n', MB), [], 0, 0),
    ("words.txt", counted(b"", b"w%d a b c d e f g h\n", 2 * MB), ["--tokens", "words"], 0, 3),
    ("few.txt", counted(b"", b"w%d\n", 500_000), ["--tokens", "words"], 4 * MB, 0),
    ("random.fa", dna, ["--kmer", "8"], 8 * MB, 0),
    ("random.fa", dna, ["--kmer", "12"], 8 * MB, 3),
    ("random.fa", dna, ["--kmer", "100"], 8 * MB, 3),
]


def check_whole():
    for name, write, options, kept, status in WHOLE:
        file = pathlib.Path(name)
        write(file)
        outcome = run(["inspect", name, *options])
        check((name, options), outcome, kept=kept)
        assert outcome[0] == status, (name, outcome)
        file.unlink()


def check_labels():
    labels = pathlib.Path("labels.csv")
    counted(b"", b"sequence%d,a\n", MB)(labels)
    pathlib.Path("labelled.fa").write_bytes(b">sequence1\nACGT\n>sequence2\nCC\n")
    check("labels", run(["inspect", "labelled.fa", "--label-from", "labels.csv"]),
          kept=labels.stat().st_size)


def check_stream():
    table = subprocess.run([sys.executable, WAVES, "class", "12"], capture_output=True, check=True)
    pathlib.Path("numbers.csv").write_bytes(table.stdout)
    pathlib.Path("letters.txt").write_text("__label__a abc\n__label__b cba\n" * 6, encoding="ascii")
    for data in ("numbers.csv", "letters.txt"):
        options = ["--out", data[:-4], "--units", "4", "--epochs", "1"]
        subprocess.run([RWA, "train", data, *options], check=True, capture_output=True)
    for model, options, separators in (("numbers", [], b", \"0\n"), ("numbers", ["--id"], b",a\n"),
                                       ("numbers", ["--json"], b"[{,\" "),
                                       ("letters", [], b"a \0"), ("letters", ["--json"], b"[\"")):
        for separator in map(bytes, zip(separators)):
            put(pathlib.Path("lines"), b"", separator)
            outcome = run(["stream", model, *options], "lines")
            check(("stream", model, options, separator), outcome, ("stdin:1", "stdin:1:2097153"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_files()
        check_windows()
        check_whole()
        check_labels()
        check_stream()


main()
