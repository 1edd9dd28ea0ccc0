"""Fuzz readers: python -m fuzz [--seconds S] [--jobs N] [--sanitized] [--corpus FOLDER] [--report FILE] [TARGET...]

Targets take turns in a pool of processes. A process records its input before it runs it, so that an input that ends the
process is kept, too; it then starts again. Run in tests/, with the extension that is to be tested on the path.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from fuzz.ledger import LEDGER, record

KEPT = Path(__file__).parents[1] / "corpus" / "readers"
"""Inputs to begin with."""

SLICE, HANG, BLOCKED = 20.0, 15, 600
"""Seconds of a turn; and of an input at most: of a processor, and on the clock, while others may stop the process."""

OUTCOME = re.compile("[0-9a-f]{12}")
"""The name of an input that was kept: a digest of its outcome. The first turn of a target replays all of these."""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="fuzz", description="Fuzz the readers of landbridge.")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=float, default=60.0, help="of all processes together, in all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--corpus", type=Path, help="a folder of inputs by target, which grows")
    parser.add_argument("--report", type=Path, help="what is known so far, as JSON, after each turn")
    parser.add_argument("--sanitized", action="store_true", help="build with sanitizers, and fuzz that build")
    parser.add_argument("--ledger", type=Path, nargs="?", const=LEDGER, help="add the run to this file (hours.jsonl)")
    parser.add_argument("--turn", help=argparse.SUPPRESS)
    parser.add_argument("--replay", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    return turn(options) if options.turn else pool(options)


def pool(options: argparse.Namespace) -> int:
    """Turns of all targets until the time is up. Returns 1 if there was a violation."""
    if options.targets:
        names = options.targets
    else:
        from fuzz.targets import TARGETS

        names = list(TARGETS)
    totals: dict[str, dict[str, Any]] = {
        name: {"executions": 0, "seconds": 0.0, "outcomes": 0, "violations": []} for name in names
    }
    corpus = options.corpus or Path(shutil.copytree(KEPT, Path(tempfile.mkdtemp(prefix="fuzz-")) / "corpus"))
    variables = dict(os.environ)
    if options.sanitized:
        from fuzz.sanitized import environment

        variables = environment(Path(tempfile.mkdtemp(prefix="fuzz-library-")))
    running: list[tuple[str, subprocess.Popen[str]]] = []
    begun: set[str] = set()
    end, number = time.monotonic() + options.seconds, 0
    while running or time.monotonic() < end:
        while len(running) < options.jobs and time.monotonic() < end:
            name = names[number % len(names)]
            number += 1
            length = min(SLICE, max(1.0, end - time.monotonic()))
            command = [sys.executable, "-m", "fuzz", "--turn", name, "--seconds", str(length), "--corpus", str(corpus)]
            command += [] if name in begun else ["--replay"]
            begun.add(name)
            pipe = subprocess.PIPE
            running.append((name, subprocess.Popen(command, env=variables, stdout=pipe, stderr=pipe, text=True)))
        name, process = running.pop(0)
        out, err = process.communicate()
        add(totals[name], out, err, process.returncode, corpus / name)
        if options.report:
            options.report.write_text(json.dumps(totals, indent=1))
    if options.ledger:
        record(options.ledger, totals, options.sanitized)
    for name, total in totals.items():
        line = f"{name}: {total['executions']} executions, {total['seconds']:.0f} s, {total['outcomes']} outcomes"
        print(line + (f", {len(total['violations'])} violations" if total["violations"] else ""))
    for total in totals.values():
        for violation in total["violations"]:
            print(violation["input"], violation["what"])
    return int(any(total["violations"] for total in totals.values()))


def add(total: dict[str, Any], out: str, err: str, code: int, folder: Path) -> None:
    """The result of a turn."""
    try:
        result = json.loads(out.strip().splitlines()[-1])
    except (ValueError, IndexError):
        result = {"executions": 0, "seconds": 0.0, "outcomes": total["outcomes"], "violations": []}
        last = max(folder.glob("running-*"), key=lambda path: path.lstat().st_mtime, default=None)
        name = ""
        if last is not None and last.exists():
            name = str(folder / f"violation-{time.time_ns()}")
            Path(name).write_bytes(last.read_bytes())
            last.unlink()
        result["violations"].append({"input": name, "what": f"the process ended with {code}", "error": err[-3000:]})
    for key in ("executions", "seconds"):
        total[key] += result[key]
    total["outcomes"] = max(total["outcomes"], result["outcomes"])
    known = {violation["what"] for violation in total["violations"]}
    total["violations"] += [violation for violation in result["violations"] if violation["what"] not in known]


_OTHER_FILES = ("running-", "violation-")


class Hang(BaseException):
    """An input took too long."""


def turn(options: argparse.Namespace) -> int:
    """One target for some seconds, in this process; prints what happened as JSON."""
    from fuzz.mutations import Mutator
    from fuzz.targets import TARGETS, input_file, run_one

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise Hang

    signal.signal(signal.SIGPROF, late)
    signal.signal(signal.SIGALRM, late)
    target, folder = TARGETS[options.turn], options.corpus / options.turn
    folder.mkdir(parents=True, exist_ok=True)
    known = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(_OTHER_FILES)}
    outcomes = {name for name in known if OUTCOME.fullmatch(name)}
    seeds = target.seeds() + [data for name, data in known.items() if options.replay or name not in outcomes]
    violations: list[dict[str, str]] = []
    mutator = Mutator(target.seeds() + list(known.values()), random.Random(), target.seal)
    executions, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as scratch:
        place = Path(scratch)
        running = folder / f"running-{os.getpid()}"
        running.symlink_to(input_file(target, place)) if not running.is_symlink() else None
        inputs = iter(seeds)
        while True:
            data = next(inputs, None)
            is_seed = data is not None
            if not (is_seed and options.replay) and time.monotonic() - began >= options.seconds:
                break
            data = mutator.next() if data is None else data
            if not data:
                continue
            try:
                signal.setitimer(signal.ITIMER_PROF, HANG)
                signal.alarm(BLOCKED)
                outcome = run_one(target, data, place)
            except (Exception, Hang) as error:
                text = str(error).replace(str(place), "")  # one violation has one name in every run
                what = re.sub(r"\d+|0x[0-9a-f]+", "0", f"{type(error).__name__} {text[:200]} at {_place(error)}")
                if what not in [violation["what"] for violation in violations]:
                    file = folder / f"violation-{hashlib.sha1(what.encode()).hexdigest()[:12]}"
                    file.write_bytes(data)
                    trace = "".join(traceback.format_exception(error))[-2500:]
                    violations.append({"input": str(file), "what": what, "error": trace})
                outcome = what
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.alarm(0)
            executions += 1
            name = hashlib.sha1(outcome.encode()).hexdigest()[:12]
            if name not in outcomes:
                outcomes.add(name)
                if not is_seed:
                    (folder / name).write_bytes(data)
                    mutator.seeds.append(data)
        running.unlink(missing_ok=True)
    seconds = time.process_time()  # of the processor: the machine may have other work
    print(json.dumps(
        {"executions": executions, "seconds": seconds, "outcomes": len(outcomes), "violations": violations}
    ))  # fmt: skip
    return 0


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


if __name__ == "__main__":
    sys.exit(main())
