"""Install engines that the project does not depend on, each in a separate virtual environment in `build/engines`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from stack.files import locked
from tests.helpers.processes import ROOT

_TIMEOUT_SECONDS = 1_800


def bin_of(name: str, *requirements: str) -> Path:
    """Return the directory of the commands of an environment with these packages; pip installs what is missing."""
    folder = ROOT / "build" / "engines" / name
    state, wanted = folder / "requirements.txt", "\n".join(requirements)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_name(f"{name}.lock"), _TIMEOUT_SECONDS):
        if not state.exists() or state.read_text("utf-8") != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            pip = [folder / "bin" / "python", "-m", "pip", "install", "-q", *requirements]
            done = subprocess.run(pip, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False)
            assert done.returncode == 0, done.stderr[-3000:]
            state.write_text(wanted, "utf-8")
    return folder / "bin"
