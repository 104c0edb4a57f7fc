"""Files of one byte repeated, plain or packed, in pieces, so that this process stays small."""

import struct
import zlib

PIECE = 1 << 17  # the largest block of zstd


def plain(head, filler, count):
    yield head
    for _ in range(count // PIECE):
        yield filler * PIECE
    yield filler * (count % PIECE)


def gzip(head, filler, count):
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    for piece in plain(head, filler, count):
        yield packer.compress(piece)
    yield packer.flush()


def zstd(head, filler, count):
    """A frame without a size or a checksum: a raw block, then blocks of one byte repeated."""
    yield struct.pack("<IBB", 0xFD2FB528, 0, 7 << 3)
    yield _zstd_block(0, len(head), head)
    for _ in range(count // PIECE):
        yield _zstd_block(1, PIECE, filler)
    yield _zstd_block(1, count % PIECE, filler, last=True)


def _zstd_block(kind, size, content, last=False):
    return struct.pack("<I", last | kind << 1 | size << 3)[:3] + content


PACKINGS = {"": plain, ".gz": gzip, ".zst": zstd}


def write(file, packing, head, filler, count):
    with open(file, "wb") as out:
        for piece in PACKINGS[packing](head, filler, count):
            out.write(piece)
