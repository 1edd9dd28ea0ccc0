"""Mutations of files: of their bytes, of the numbers in them, and of what checksums and compression protect."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import random
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence

NUMBERS = (0, 1, 2, 7, 127, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
WORDS = (
    b"\n", b"\r\n", b"\r", b" ", b"\t", b",", b";", b"|", b"#", b"%", b'"', b'""', b"\0", b"-1", b"1.5", b"007", b"0",
    b"1", b"12345678", b"2147483648", b"4294967296", b"9223372036854775808", b"18446744073709551616", b"9" * 5000,
    b"a ", b"e ", b"c ", b"p sp 3 2\n", b"3 2 11\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xc3\xa9",
    b"src,dst\n",
    b"%%MatrixMarket matrix coordinate pattern general\n", b"{", b"}", b"[", b":", b"null", b"NaN", b"1e400",
)  # fmt: skip
LONGEST = 1 << 14
"""Bytes of an input."""

Seal = Callable[[bytes, random.Random], bytes]
"""Mutates what checksums protect, and puts them right."""


class Mutator:
    """Endless mutations of a growing set of files."""

    def __init__(self, seeds: Sequence[bytes], rng: random.Random, seal: Seal | None = None) -> None:
        self.seeds, self._rng, self._seal = list(seeds), rng, seal

    def next(self) -> bytes:
        """One input. The newest files are taken more often."""
        rng = self._rng
        recent = rng.random() < 0.3 and len(self.seeds) > 8
        data = rng.choice(self.seeds[-8:] if recent else self.seeds)
        if self._seal is not None and rng.random() < 0.6:
            try:
                return self._seal(data, rng)[:LONGEST]
            except Exception:  # not of the form any more
                pass
        return self.bytewise(data)

    def bytewise(self, data: bytes) -> bytes:
        """One to five changes of any bytes."""
        for _ in range(self._rng.randrange(1, 6)):
            data = changed(data, self._rng, self.seeds)
        return data[:LONGEST]


def changed(data: bytes, rng: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """One change."""
    if not data:
        return rng.choice(WORDS)
    at = rng.randrange(len(data))
    end = min(len(data), at + rng.choice((1, 2, 4, 8, 16, 64)))
    match rng.randrange(10):
        case 0:
            width = rng.choice((1, 2, 4, 8))
            value = (rng.choice(NUMBERS) % (1 << 8 * width)).to_bytes(width, rng.choice(("little", "big")))
            return data[:at] + value + data[at + width :]
        case 1:
            at -= at % 4
            return data[:at] + struct.pack("<I", rng.choice(NUMBERS) % 2**32) + data[at + 4 :]
        case 2:
            return data[:at] + bytes((data[at] ^ 1 << rng.randrange(8),)) + data[at + 1 :]
        case 3:
            return data[:at] + data[end:]
        case 4:
            return data[:at]
        case 5:
            return data[:end] + data[at:]
        case 6:
            return data[:at] + rng.choice(WORDS) + data[at:]
        case 7:
            other = rng.choice(others) if others else data
            begin = rng.randrange(len(other) + 1)
            return data[:at] + other[begin : begin + rng.randrange(1, 65)] + data[end:]
        case 8:
            digits = [i for i in range(len(data)) if 48 <= data[i] < 58] or [at]
            place = rng.choice(digits)
            return data[:place] + rng.choice((b"0", b"3", b"-1", b"9" * 18, b"9" * 30)) + data[place + 1 :]
        case _:
            return data[:at] + bytes(rng.randrange(256) for _ in range(end - at)) + data[end:]


def members(data: bytes, rng: random.Random) -> bytes:
    """A zip archive with changed members, whose checksums agree."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        content = [(info.filename, old.read(info)) for info in old.infolist()]
    for _ in range(rng.randrange(1, 4)):
        i = rng.randrange(len(content))
        name, member = content[i]
        match rng.randrange(6):
            case 0:
                del content[i]
            case 1:
                content.append((name, member))
            case 2:
                content[i] = (
                    rng.choice(("u.npy", "v.npy", "row.npy", "indptr.npy", "labels.npy", "about.npy")),
                    member,
                )
            case _:
                content[i] = (name, changed(member, rng))
        if not content:
            break
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", rng.choice((0, 0, 8, 12, 14))) as new:
        warnings.simplefilter("ignore")  # about repeated names
        for name, member in content:
            new.writestr(name, member)
    return out.getvalue()


def repacked(pack: Callable[[bytes], bytes], unpack: Callable[[bytes], bytes]) -> Seal:
    """What a compressed file contains is changed."""

    def seal(data: bytes, rng: random.Random) -> bytes:
        inner = changed(unpack(data), rng)
        parts = [inner] if rng.random() < 0.7 else [inner[: len(inner) // 2], b"", inner[len(inner) // 2 :]]
        return b"".join(map(pack, parts))

    return seal


def _zstd(name: str) -> Callable[[bytes], bytes]:
    def call(data: bytes) -> bytes:
        import zstandard

        if name == "pack":
            return zstandard.ZstdCompressor().compress(data)  # type: ignore[no-any-return]
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)  # type: ignore[no-any-return]

    return call


GZIP = repacked(lambda data: gzip.compress(data, mtime=0), gzip.decompress)
BZIP2 = repacked(bz2.compress, bz2.decompress)
XZ = repacked(lzma.compress, lzma.decompress)
ZSTD = repacked(_zstd("pack"), _zstd("unpack"))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def sealed_stream(data: bytes, rng: random.Random) -> bytes:
    """A journal or a saved stream of which a header, a record's integers, its arrays or its length are changed, with
    checksums that agree. Numbers of vertices stay below 2^20, or are beyond all memory."""
    length = struct.unpack_from("<I", data, 16)[0]
    head, at = bytearray(data[: 24 + length]), 24 + length + 16
    if rng.random() < 0.15:
        place = rng.randrange(8, len(head))
        head[place] = rng.choice((0, 1, 2, 4, 8, 16, 255, head[place] ^ 1 << rng.randrange(8)))
    out = [bytes(head), _digest(bytes(head))]
    records: list[tuple[bytearray, bytes]] = []
    while at < len(data):
        size = 48 if data[at : at + 4] == b"LBR1" else 80
        start = bytearray(data[at : at + size])
        flags, _, _, edges = struct.unpack_from("<IQQQ", start, 4)
        before, ids, text, batches = struct.unpack_from("<QQQQ", start, 40) if size == 80 else (0, 0, 0, 0)
        del before
        arrays = edges * ((16 if flags & 1 else 8) + (8 if flags & 2 else 0))
        arrays += ids * (4 if data[12] & 16 else 8) + text + 16 * batches
        records.append((start, data[at + size + 16 : at + size + 16 + arrays]))
        at += size + 16 + arrays
    for _ in range(rng.randrange(1, 3)):
        if not records:
            break
        i = rng.randrange(len(records))
        start, body = records[i]
        match rng.randrange(6):
            case 0:
                place = 4 + 8 * rng.randrange((len(start) - 8) // 8) + (4 if rng.random() < 0.9 else 0)
                value = rng.choice((0, 1, 2, 3, 4, 7, 100, 2**19, 2**52, 2**63, 2**64 - 1))
                start[place : place + 8] = struct.pack("<Q", value)
            case 1 | 2:
                records[i] = (start, changed(body, rng)[: len(body)].ljust(len(body), b"\1"))
            case 3:
                records[i] = (start, changed(body, rng))
            case 4:
                records.insert(i, (bytearray(start), body))
            case _:
                del records[i]
    for start, body in records:
        checked = bytes(start[:-8])
        whole = checked + struct.pack("<II", zlib.crc32(checked), 0)
        out += [whole, _digest(whole + body), body]
    result = b"".join(out)
    return result if rng.random() < 0.8 else changed(result, rng)
