"""What kernels take, read from compiled code, and how it differs from what launches send."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from nvrtc_library import library

from landbridge.device import jit
from landbridge.device.layout import Struct

BYTES = {
    "unsigned int": 4, "unsigned long long": 8, "int": 4, "long long": 8, "double": 8, "unsigned char": 1,
    "unsigned short": 2,
}  # fmt: skip
"""The sizes of the types that stand as arguments of templates."""
ALIASES = {"u8": 1, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "double": 8}
"""The sizes of the types that the headers spell."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: its type with the arguments of its template, and its bytes in the code."""

    type: str
    arguments: tuple[str, ...]
    size: int
    align: int


@cache
def demangled(symbol: str) -> str:
    """A symbol as C++."""
    library = ctypes.CDLL("libstdc++.so.6")
    library.__cxa_demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = library.__cxa_demangle(symbol.encode(), None, None, ctypes.byref(status))
    assert status.value == 0, f"{symbol} is no C++ symbol"
    try:
        return (ctypes.cast(text, ctypes.c_char_p).value or b"").decode()
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))


def split(text: str) -> list[str]:
    """The parts of a list of types, at commas outside of any brackets."""
    parts, depth = [""], 0
    for letter in text:
        if letter == "," and depth == 0:
            parts.append("")
            continue
        depth += (letter in "<(") - (letter in ">)")
        parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def types_of(symbol: str) -> list[str]:
    """The types of a kernel's parameters."""
    text = demangled(symbol)
    depth = 0
    for place in range(len(text) - 1, -1, -1):  # arguments of templates may hold brackets; these are the last
        depth += (text[place] == ")") - (text[place] == "(")
        if depth == 0:
            return split(text[place + 1 : -1])
    raise AssertionError(f"{text} is no function")


_BYTES = re.compile(rb"\.param \.align (\d+) \.b8 \w+_param_\d+\[(\d+)\]|\.param \.([subf])(\d+) ")


def parameters_of(image: jit.Image, source: str = "") -> dict[str, list[Parameter]]:
    """The parameters of the kernels of an image that holds PTX.

    source: of its program, which is needed where a kernel takes a member type of one of its template's arguments.
    """
    result = {}
    for expression, symbol in image.symbols.items():
        start = image.code.index(f".entry {symbol}(".encode())
        declared = image.code[start : image.code.index(b")", start)]
        sizes = [
            (int(m[2]), int(m[1])) if m[1] else (int(m[4]) // 8, int(m[4]) // 8) for m in _BYTES.finditer(declared)
        ]
        types = [named_type(type, source) if ">::" in type else type for type in types_of(symbol)]
        assert len(types) == len(sizes), f"{demangled(symbol)}: {len(sizes)} parameters in PTX"
        result[expression] = []
        for type, (size, align) in zip(types, sizes, strict=True):
            name, _, arguments = type.partition("<")
            short = name.rpartition("::")[2]
            result[expression].append(Parameter(short, tuple(split(arguments.removesuffix(">"))), size, align))
    return result


@cache
def named_type(member: str, source: str) -> str:
    """The type that a member type such as X<int>::Arrays names."""
    expression = f"type_of<{member}>"
    source += "template <class T> __global__ void type_of() {}\n"
    image, _ = library(13).compile(source, (expression,), jit.options_for("compute_90"))
    text = demangled(image.symbols[expression])
    return text[text.index("<") + 1 : text.rindex(">")].strip()


@cache
def kernels_of_headers() -> frozenset[str]:
    """The name of every kernel."""
    texts = [re.sub(r"//.*", "", path.read_text()) for path in (jit.headers() / "landbridge" / "gpu").glob("*.cuh")]
    bounds = r"(?:\s+__launch_bounds__\((?:[^()]|\([^()]*\))*\))?"
    names = frozenset(name for text in texts for name in re.findall(rf"__global__\s+void{bounds}\s+(\w+)\s*\(", text))
    assert len(names) == sum(text.count("__global__") for text in texts)
    return names


@cache
def letters_of(struct: str) -> tuple[str, ...]:
    """The parameters of the template of a by-value struct, in order."""
    folder = jit.headers() / "landbridge" / "gpu" / "layout"
    for path in sorted(folder.glob("*.hpp")):
        match = re.search(rf"(?:template <([^>]*)>\s*)?struct {struct} \{{", path.read_text())
        if match:
            return tuple(part.split()[-1] for part in (match[1] or "").split(",") if part.strip())
    raise AssertionError(f"no header declares {struct}")


def differences(arguments: Sequence[Any], parameters: Sequence[Parameter]) -> list[str]:
    """How the arguments of a launch differ from what its kernel takes: nothing, if all is well."""
    if len(arguments) != len(parameters):
        return [f"{len(arguments)} arguments for {len(parameters)} parameters"]
    result = []
    for place, (argument, parameter) in enumerate(zip(arguments, parameters, strict=True)):
        where = f"argument {place} ({parameter.type})"
        if not isinstance(argument, Struct):
            result.append(f"{where}: {argument!r} is no by-value struct")
        elif argument.type.name != parameter.type:
            result.append(f"{where}: {argument.type.name} is sent")
        elif len(argument.packed) != parameter.size or argument.type.size != parameter.size:
            result.append(f"{where}: {len(argument.packed)} bytes are sent, {parameter.size} taken")
        elif argument.type.align != parameter.align:
            result.append(f"{where}: aligned to {argument.type.align}, in the code to {parameter.align}")
        else:
            result += [f"{where}: {text}" for text in widths(argument, parameter)]
    return result


def widths(argument: Struct, parameter: Parameter) -> Iterable[str]:
    """Arrays of a struct whose elements have another size than the kernel reads."""
    sizes = dict(zip(letters_of(parameter.type), (BYTES[a] for a in parameter.arguments), strict=True)) | ALIASES
    for name, (_, kind, spelled) in argument.type.fields.items():
        array = argument.fields[name]
        if kind != "pointer" or array is None:
            continue
        expected = sizes[spelled.replace("const", "").replace("*", "").strip()]
        size = (array if hasattr(array, "dtype") else array.words).dtype.itemsize  # of pinned words, those
        if size != expected:
            yield f"{name} points to elements of {size} bytes, the kernel reads {expected}"
