"""A stream that outlives its process.

Edges arrive in batches, and the questions come in between. With a journal, each batch is on disk before `insert`
returns: a process that is killed loses nothing, and the next one goes on where it stopped. Here the ids are names.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import landbridge

PROCESS = """
import os, sys, landbridge
journal, size = sys.argv[1], int(sys.argv[2])
stream = landbridge.Incremental(ids="names", journal=journal)
for first in range(stream.position, size, 1000):
    if first >= size // 2 and stream.position == first and "--crash" in sys.argv:
        os._exit(9)                            # no farewell: as after a power cut
    numbers = range(first, min(first + 1000, size))
    stream.insert([f"user-{x}" for x in numbers], [f"device-{x // 3}" for x in numbers])
"""


def main(size: int = 20_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "logins.journal"
        command = [sys.executable, "-c", PROCESS, str(journal), str(size)]
        crashed = subprocess.run([*command, "--crash"], check=False)
        with landbridge.Incremental(ids="names", journal=journal) as stream:
            print(f"exit code {crashed.returncode}: {stream.position:,} of {size:,} logins are in the journal")
        subprocess.run(command, check=True)
        with landbridge.Incremental(ids="names", journal=journal) as stream:
            print(f"after the second process: {stream.position:,} logins, {stream.count:,} groups")
            print("user-0 and user-2 share a device:", stream.connected("user-0", "user-2"))
            print("the group of user-4:", ", ".join(stream.members("user-4").tolist()))
            assert stream.position == size
            assert stream.count == -(-size // 3)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
