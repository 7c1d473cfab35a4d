"""Becomes another program that dies with the process that started it; run by `stack.process`, on Linux only.

    python tether.py PARENT_PID PROGRAM [ARGUMENT…]

A separate program and not a `preexec_fn`: Python must not run code between fork and exec in a process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask the kernel for SIGKILL at the parent's end, then replace this program; the request survives that."""
    parent, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # the parent ended before it could be watched
        sys.exit(1)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
