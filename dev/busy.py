"""Run a command next to busy processes: python -m dev.busy 4 make test."""

from __future__ import annotations

import os
import subprocess
import sys

_BUSY = "import os\nwhile os.getppid() == {parent}: pass"


def main(arguments: list[str]) -> int:
    """Start as many processes that never sleep, run the command, end them; return its exit status."""
    busy = [
        subprocess.Popen([sys.executable, "-c", _BUSY.format(parent=os.getpid())]) for _ in range(int(arguments[0]))
    ]
    try:
        return subprocess.run(arguments[1:], check=False).returncode
    finally:
        for each in busy:
            each.kill()
            each.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
