"""Compare a server's clock with this machine's, by the `Date` header of its responses."""

from __future__ import annotations

import email.utils
import time

from sac_kafka.stats import span
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.http.client import HttpServer, UnansweredError

DOUBT_SECONDS = 30.0
WRONG_SECONDS = 300.0
"""Difference above which Kerberos (a clock skew of 5 minutes) and Microsoft Entra ID reject log-ins."""

CLOCK_SECONDS = 3.0
"""Timeout of the request for a server's time."""

_ANY_PATH = "/"
_MAX_DATE_LENGTH = 60


def clock_finding(whose: str, theirs: float, ours: float) -> Finding:
    """Compare another clock with this machine's, both read at the same moment in epoch seconds."""
    apart = ours - theirs
    if abs(apart) < DOUBT_SECONDS:
        return Finding(Verdict.GOOD, "clock", f"that of {whose} and this machine's agree within {DOUBT_SECONDS:.0f} s")
    text = (
        f"this machine's clock is {span(abs(apart))} {'ahead of' if apart > 0 else 'behind'} that of {whose}; "
        "have both follow a time server (NTP): log-ins by tokens or Kerberos fail, and times in the lineage are wrong"
    )
    return Finding(Verdict.WRONG if abs(apart) >= WRONG_SECONDS else Verdict.DOUBT, "clock", text)


def clock_of(server: HttpServer, timeout_seconds: float) -> Finding:
    """Compare the clock of a server over HTTP: every response has its time, whatever the status. Sends no credentials."""
    anonymous = HttpServer(address=server.address, tls=server.tls)
    try:
        answer = anonymous.request("GET", _ANY_PATH, None, timeout_seconds)
        theirs = email.utils.parsedate_to_datetime(answer.headers.get("date", "")[:_MAX_DATE_LENGTH]).timestamp()
    except (UnansweredError, ValueError, TypeError, OverflowError):  # TypeError: of an incomplete date.
        return Finding(Verdict.SKIPPED, "clock", f"{server.address} does not send its time")
    return clock_finding(server.address, theirs, time.time())
