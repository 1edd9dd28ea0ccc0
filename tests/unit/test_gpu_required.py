"""With --require-gpu no test of the GPU may skip itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SKIPPING = "import pytest\n\n@pytest.mark.gpu\ndef test_it():\n    pytest.skip('no such framework')\n"


@pytest.mark.parametrize(("options", "code", "word"), [(["--require-gpu"], 1, "1 failed"), ([], 0, "1 skipped")])
def test_a_skip_is_a_failure_where_a_gpu_is_required(tmp_path: Path, options: list[str], code: int, word: str) -> None:
    (tmp_path / "test_skips.py").write_text(SKIPPING)
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    settings = str(TESTS.parent / "pyproject.toml")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", settings]
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), *options, str(tmp_path)],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert word in done.stdout
