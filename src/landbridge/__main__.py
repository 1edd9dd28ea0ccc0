"""``python -m landbridge`` is the command line."""

from __future__ import annotations

from landbridge.cli import command

if __name__ == "__main__":
    command()
