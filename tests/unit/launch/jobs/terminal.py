"""Run a program in a terminal and type standard input after its prompt.

terminal.py PROGRAM [ARGUMENT …]
"""

import os
import pty
import sys

typed = sys.stdin.read().encode()
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while True:
    try:
        seen += os.read(terminal, 65536)
    except OSError:  # it is closed
        break
    if typed and b">>> " in seen:
        os.write(terminal, typed)
        typed = b""
print(seen.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
