#!/usr/bin/env python3
"""Tests that no file blows up the program: for 100 MB of any one separator, packed or not, the peak
memory is at most 100 MB and 4 times the bytes that are kept. Of a refused file nothing is kept,
except that JSON is parsed a line at a time, which is kept as a whole.

    tests/cli/memory_test.py PATH_OF_RWA
"""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

RWA = os.path.abspath(sys.argv[1])
WAVES = pathlib.Path(__file__).resolve().with_name("waves.py")
MB = 1_000_000
SIZE = 100 * MB
JSON_LINE = 16 << 20  # the longest that is read

TS = b"@problemName p\n@univariate false\n@classLabel true a b\n"
ARFF = b"@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n"
RELATION = (b"@relation r\n@attribute m relational\n@attribute t numeric\n@end m\n"
            b"@attribute c {a,b}\n@data\n")
TSF = b"@attribute name string\n@data\n"

# The end of a file's name, the beginning of the file, and what follows 100 million times.
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
    (".fa", b">a b\n", b">\n -A;"),
    (".fq", b"@a b\n", b"@\n -+A"),
    (".fq", b"@a b\nACGT\n+\n", b"@\n +!"),
    (".txt", b"", b" \n\"'.a\xff"),
    (".txt", b"__label__a ", b" \n.a_"),
]


def zstd(begin, separator):
    """A frame of one raw block and blocks that repeat a byte."""
    def block(kind, size, content, last=False):
        return (size << 3 | kind << 1 | last).to_bytes(3, "little") + content

    raw, repeated, longest = 0, 1, 1 << 17
    whole, rest = divmod(SIZE, longest)
    return (b"\x28\xb5\x2f\xfd" + b"\0\x38" + block(raw, len(begin), begin) +
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


def check(what, outcome, lines=("",)):
    status, peak, text = outcome
    is_json = ".jsonl" in what[0]
    kept = SIZE if status == 0 else JSON_LINE if is_json else 0
    assert status in (0, 2, 3), (what, outcome)
    assert status == 0 or any(f"{line}: " in text for line in lines), (what, outcome)
    assert peak <= 100 * MB + 4 * kept, (what, outcome)


def check_files():
    for ending, begin, separators in FILES:
        for separator in map(bytes, zip(separators)):
            file = pathlib.Path(f"packed{ending}.zst")
            file.write_bytes(zstd(begin, separator))
            check((ending, begin, separator), run(["inspect", str(file)]))
        # Plain, and packed by gzip.
        for file in map(pathlib.Path, (f"plain{ending}", f"packed{ending}.gz")):
            put(file, begin, separators[:1])
            check((str(file), begin, separators[:1]), run(["inspect", str(file)]))
            file.unlink()


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
        check_stream()


main()
