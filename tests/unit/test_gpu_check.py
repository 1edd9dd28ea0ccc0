"""The script for machines with a GPU: what it can be asked without one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "gpu_check"


def check(steps: str, out: Path, path: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LANDBRIDGE_GPU_CHECK": steps, "PATH": path}
    return subprocess.run([SCRIPT, out], env=environment, capture_output=True, text=True, check=False)


def test_a_step_that_fails_is_named_and_the_next_one_runs(tmp_path: Path) -> None:
    # A folder of a few programs, and no compute-sanitizer among them.
    for name in ("bash", "dirname", "nproc", "date", "mkdir", "env"):
        folder = next(p for p in ("/usr/bin", "/bin") if (Path(p) / name).exists())
        (tmp_path / name).symlink_to(Path(folder) / name)
    done = check("sanitize nonsense", tmp_path / "results", str(tmp_path))
    assert done.returncode == 1
    assert "compute-sanitizer is not on the PATH" in done.stdout
    assert "== nonsense: " in done.stdout
    assert done.stderr.strip().endswith("failed: sanitize nonsense")
    assert (tmp_path / "results").is_dir()
