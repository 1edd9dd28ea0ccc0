"""Notes on ids as text has them: with blanks or single quotes around them."""

from __future__ import annotations

from landbridge.edges.formats.sample import Sample, shown

__all__ = ["notes_of_words"]


def notes_of_words(sample: Sample, is_header: bool, first: int, second: int) -> list[str]:
    """The note about the first id that begins or ends with a blank."""
    for line, _, _, row in sample.as_names()[is_header:]:
        for word in (row[c] for c in (first, second) if c < len(row)):
            if word.strip(b" \t") not in (b"", word):
                return [f"blanks around ids are part of them, as in {shown(word)!r} of line {line}"]
    return []
