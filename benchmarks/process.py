"""A fresh process that answers requests: one JSON object per line in, one per line out.

A slow request can be stopped, memory is measured from a clean start, and the process may import another source tree.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from benchmarks.check import WrongAnswer
from peers.base import PeerFailed

ROOT = Path(__file__).resolve().parent.parent
START_LIMIT = 600.0

Request = dict[str, Any]


def serve(requests: Mapping[str, Callable[[Request], Request]]) -> None:
    """Answer requests of stdin until it ends; `requests[what]` makes the reply of a request."""
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = requests[request["what"]](request)
        except WrongAnswer as error:
            reply = {"wrong": str(error)}
        except Exception as error:
            reply = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


class Process:
    """The caller's side: starts `python -m MODULE ARGUMENTS`, sends requests, ends a process that exceeds the limit.

    search: folders that come first on the module path of the process.
    """

    def __init__(self, module: str, arguments: Sequence[str] = (), search: Sequence[Path] = ()) -> None:
        paths = [*map(str, search), str(ROOT), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        self._read(START_LIMIT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def _read(self, limit: float) -> Request:
        """Return the next reply; a process that gives none in time, or ended, is cleared away."""
        output = self._process.stdout
        assert output is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(limit, stop)
        timer.start()
        line = output.readline()
        timer.cancel()
        if not line:
            self.close()
            raise PeerFailed(f"no answer within {limit:g} s" if late.is_set() else "the process ended")
        reply: Request = json.loads(line)
        return reply

    def ask(self, request: Request, limit: float) -> Request:
        """Send a request. Raises PeerFailed after `limit` seconds or on an error, WrongAnswer on a wrong answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise PeerFailed("the process ended") from None
        reply = self._read(limit)
        if "wrong" in reply:
            raise WrongAnswer(reply["wrong"])
        if "failed" in reply:
            raise PeerFailed(reply["failed"])
        return reply

    def close(self) -> None:
        """End the process."""
        if self.alive:
            self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        self._process.wait()
