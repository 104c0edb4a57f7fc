"""Feeds every reader 100 MB of one byte: no hang, no signal, and little memory."""

import dataclasses
import resource
import struct
import zipfile

import packing
import samples
from session import limited

WHAT = "100 MB of one byte, bare or after a header, plain or packed"
SIZE = 100_000_000
BYTES = b",;\t \n\r:|\"'-.0[{(>@%#\0\\/=?<a\xff"
REFUSALS = (2, 3)
# What a run may take: this, and a multiple of what it keeps.
OVERHEAD = 100_000_000
JSON_LINES_OVERHEAD = 164_000_000  # the longest line that is parsed
PER_KEPT_BYTE = 4
# A run that wants more ends with an error instead of taking the memory of the machine.
MEMORY_LIMIT = 6 << 30


def npy_head(shape):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


# The extension, and the heads after which the bytes follow.
FORMATS = {
    "csv": [b"id,u,v,speed\na,0.5,1,slow\n", b"id,u,v,speed\nb,"],
    "tsv": [b"id\tu\tv\tspeed\na\t0.5\t1\tslow\n"],
    "ts": [b"@problemName a\n@univariate true\n@classLabel true a b\n@data\n1,2:a\n"],
    "tsf": [b"@attribute name string\n@frequency yearly\n@horizon 2\n@data\nT1:1,2,3\nT2:"],
    "arff": [b"@relation r\n@attribute u real\n@attribute c {a,b}\n@data\n1,a\n", b"@relation "],
    "jsonl": [b'{"x":[[1,2],[3,4]],"y":"a"}\n', b'{"x":[', b'{"y":"'],
    "fasta": [b">a one\nACGT\n", b">"],
    "fastq": [b"@a\nACGT\n+\nIIII\n", b"@a\nAC"],
    "txt": [b"one line\n"],
    "npy": [npy_head((SIZE // 8, 1)), npy_head((SIZE // 80, 10, 1))],
    "npz": [npy_head((SIZE // 8, 1))],
    "idx": [struct.pack(">IIII", 0x803, SIZE // 784, 28, 28), struct.pack(">II", 0x801, SIZE)],
}
STREAMS = {
    "stream": [b"0.5,1\n", b"0.5,"],
    "stream --id": [b"a,0.5,1\n", b""],
    "stream --json": [b'{"x":[0.5,1]}\n', b'{"x":['],
}
OWN = {"csv": b",\"", "tsv": b"\t", "ts": b":,", "tsf": b":,", "arff": b",'", "jsonl": b"[\"",
       "fasta": b">\n", "fastq": b"@\n", "txt": b"\n.", "npy": b"\0", "npz": b"\0", "idx": b"\0",
       "stream": b",", "stream --id": b",", "stream --json": b"["}
NOT_PACKED = ("npz", *STREAMS)  # packed by itself, and standard input


@dataclasses.dataclass
class Bomb:
    reader: str  # a format, or a command
    head: bytes
    filler: bytes
    packing: str
    command: str = "inspect"

    def __str__(self):
        after = f" after {self.head[:24]!r}" if self.head else ""
        what = self.reader if self.reader in STREAMS else f"{self.command} {self.reader}"
        return f"{what}{self.packing}: 100 MB of {self.filler!r}{after}"

    def write(self, folder):
        if self.reader == "npz":
            return self._write_npz(folder / "bomb.npz")
        file = folder / f"bomb.{'txt' if self.reader in STREAMS else self.reader}{self.packing}"
        packing.write(file, self.packing, self.head, self.filler, SIZE)
        return file

    def _write_npz(self, file):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("x.npy", "w") as out:
                for piece in packing.plain(self.head, self.filler, SIZE):
                    out.write(piece)
        return file

    def small(self, file):
        """Return the file, or a packed one to keep in its place."""
        if file.stat().st_size < packing.PIECE:
            return file
        small = file.with_name(f"{file.name}.zst")
        packing.write(small, ".zst", self.head, self.filler, SIZE)
        return small

    def explode(self, session, file):
        how = {"before": limited(resource.RLIMIT_AS, MEMORY_LIMIT)}
        if self.reader in STREAMS:
            _, *options = self.reader.split()
            return session.rwa("stream", "model", *options, stdin=file, **how)
        options = ["--format", "idx"] if self.reader == "idx" else []
        if self.command == "predict":
            return session.rwa("predict", "model", file, **how)
        return session.rwa("inspect", file, *options, **how)

    def named(self, file):
        """What the message about it begins with."""
        return "stdin:" if self.reader in STREAMS else file

    def allowed(self, status):
        """Return how many bytes a run that ends so may take."""
        is_json = "json" in self.reader or (self.head + self.filler).startswith(b"{")
        overhead = JSON_LINES_OVERHEAD if is_json else OVERHEAD
        # A FASTQ record is kept until it turns out to lack its quality string.
        is_begun = self.reader == "fastq" and (self.filler.isalpha() or self.filler in b"*-")
        keeps = self.reader not in STREAMS and (status == 0 or is_begun)
        return overhead + (PER_KEPT_BYTE * SIZE if keeps else 0)


def core():
    """What is always tried: each format's own separators, after a header and bare."""
    for reader, own in OWN.items():
        heads = FORMATS.get(reader) or STREAMS[reader]
        for filler in own:
            kind = "" if reader in NOT_PACKED else ".zst"
            yield Bomb(reader, heads[-1], bytes([filler]), kind)
    yield Bomb("csv", b"", b",", ".gz")
    yield Bomb("csv", b"", b"\"", "")
    yield Bomb("csv", FORMATS["csv"][0], b"\n", ".zst", "predict")


def at_random(chance):
    reader = chance.choice(list(OWN))
    heads = FORMATS.get(reader) or STREAMS[reader]
    kind = "" if reader in NOT_PACKED else chance.choice(list(packing.PACKINGS))
    predicts = reader in ("csv", "tsv", "jsonl") and chance.random() < 0.3
    return Bomb(reader, chance.choice([b"", *heads]), bytes([chance.choice(BYTES)]), kind,
                "predict" if predicts else "inspect")


def drop(session, bomb):
    with session.trial() as folder:
        file = bomb.write(folder)
        ended = bomb.explode(session, file)
        allowed = bomb.allowed(ended.status)
        tally = session.tally
        if ended.timed_out or not (
                ended.status == 0 or ended.is_refusal(REFUSALS, bomb.named(file))):
            session.find(f"{bomb}: another end", ended, bomb.small(file))
        elif ended.peak > allowed:
            session.find(f"{bomb}: {ended.peak / 1e6:,.0f} MB of memory, "
                         f"expected at most {allowed / 1e6:,.0f}", ended, bomb.small(file))
        elif ended.status == 0:
            tally.exact += 1
        else:
            tally.refused += 1


def attack(session):
    samples.train(session, session.folder)
    fixed = list(core())
    for done, bomb in enumerate(fixed):
        session.tally.untried = f"{len(fixed) - done} of the {len(fixed)} bombs that are not random"
        drop(session, bomb)
    session.tally.untried = ""
    while True:
        drop(session, at_random(session.chance))
