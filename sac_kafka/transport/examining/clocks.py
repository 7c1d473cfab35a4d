"""How far a server's clock and this machine's are apart, as the server's answers tell."""

from __future__ import annotations

import email.utils
import time

from sac_kafka.stats import span
from sac_kafka.transport.examining.findings import Finding, Verdict
from sac_kafka.transport.http import HttpServer, UnansweredError

DOUBT_SECONDS = 30.0
WRONG_SECONDS = 300.0
"""Kerberos takes no ticket from further away (its clock skew is 5 minutes), and tokens of Microsoft Entra ID neither."""

CLOCK_SECONDS = 3.0
"""The longest wait for a server's time."""

_ANY_PATH = "/"
_LONGEST_DATE = 60


def clock_finding(whose: str, theirs: float, ours: float) -> Finding:
    """Compare two clocks.

    Args:
        whose: What the other one is called.
        theirs: Its time, seconds since the epoch.
        ours: That of this machine at the same moment.
    """
    apart = ours - theirs
    if abs(apart) < DOUBT_SECONDS:
        return Finding(Verdict.GOOD, "clock", f"that of {whose} and this machine's agree within {DOUBT_SECONDS:.0f} s")
    text = (
        f"this machine's clock is {span(abs(apart))} {'ahead of' if apart > 0 else 'behind'} that of {whose}; "
        "have both follow a time server (NTP): log-ins by tokens or Kerberos fail, and times in the lineage are wrong"
    )
    return Finding(Verdict.WRONG if abs(apart) >= WRONG_SECONDS else Verdict.DOUBT, "clock", text)


def clock_of(server: HttpServer, timeout_seconds: float) -> Finding:
    """Ask a server over HTTP for its time: every answer has it, whatever its status. No log-in is sent."""
    anonymous = HttpServer(address=server.address, tls=server.tls)
    try:
        answer = anonymous.ask("GET", _ANY_PATH, None, timeout_seconds)
        theirs = email.utils.parsedate_to_datetime(answer.headers.get("date", "")[:_LONGEST_DATE]).timestamp()
    except (UnansweredError, ValueError, TypeError, OverflowError):  # TypeError: of a date without its parts
        return Finding(Verdict.SKIPPED, "clock", f"{server.address} does not tell its time")
    return clock_finding(server.address, theirs, time.time())
