"""Processes for which a host name is an address of this machine, and nothing else of the machine is changed.

They run in a separate mount namespace (`unshare`, which needs no root where user namespaces are allowed), in which
another file lies over /etc/hosts, and optionally over the system's certificates.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

_SHELL = 'set -e; while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done; shift; exec "$@"'


def command(over: Mapping[str, Path], *words: str) -> list[str]:
    """Give the command that runs another one with files laid over those of the machine, by their paths."""
    pairs = [word for place, file in over.items() for word in (str(file), place)]
    return ["unshare", "--mount", "--map-root-user", "sh", "-c", _SHELL, "sh", *pairs, "--", *words]


def hosts(folder: Path, addresses: Mapping[str, str]) -> dict[str, Path]:
    """Lay a file with these names, and the machine's own, over /etc/hosts."""
    file = folder / "hosts"
    own = Path("/etc/hosts").read_text()
    file.write_text(own + "".join(f"{address} {name}\n" for name, address in addresses.items()))
    return {"/etc/hosts": file}


def why_not(folder: Path) -> str:
    """Say why such processes cannot be had here, "" where they can."""
    if shutil.which("unshare") is None:
        return "there is no unshare"
    over = hosts(folder, {"probe.servicebus.windows.net": "127.0.93.2"})
    done = subprocess.run(
        command(over, "getent", "hosts", "probe.servicebus.windows.net"), capture_output=True, text=True, timeout=60
    )
    if done.returncode == 0 and done.stdout.startswith("127.0.93.2"):
        return ""
    return f"unshare does not give a process its own /etc/hosts: {done.stderr.strip() or 'the name is not found'}"
