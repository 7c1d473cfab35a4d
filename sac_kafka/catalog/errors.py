"""Turn a failed request to a catalog server into an error with the address, the status and a remedy."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sac_kafka.errors import SacKafkaError
from sac_kafka.transport.http.client import Answer, UnansweredError
from sac_kafka.transport.http.failures import (
    CONFIGURATION_KEYS,
    HttpAttempt,
    OptionNames,
    Use,
    explain_answer,
    explain_no_answer,
)

COMMAND_OPTIONS = OptionNames("--server", "--ca-file", "--user with ATLAS_PASSWORD or --password-file, or ATLAS_TOKEN")
ACCOUNT_OPTIONS = replace(COMMAND_OPTIONS, server="the account's address", login="ATLAS_TOKEN")
"""Microsoft Purview accepts tokens only, no users."""
CONFIGURED_ACCOUNT = replace(ACCOUNT_OPTIONS, ca_file=CONFIGURATION_KEYS.ca_file)

_KINDS = {Use.QUERY: "an Atlas server", Use.TYPES: "a Purview account"}
_MAX_SHOWN_BYTES = 80
_NO_CONTENT = 204


class RestError(SacKafkaError):
    """Failed request to a catalog server; the text has the address, what happened and a remedy.

    Args:
        text: The error text.
        status: The HTTP status; None without an answer.
        code: Atlas' error code, "" without one.
        is_elsewhere: Another address of the same server (high availability) may succeed.
    """

    def __init__(self, text: str, status: int | None = None, *, code: str = "", is_elsewhere: bool = False) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.is_elsewhere = is_elsewhere


def unanswered_error(attempt: HttpAttempt, error: UnansweredError) -> RestError:
    """Return the error for a request without an answer."""
    return RestError(explain_no_answer(attempt, error).failure.reason, is_elsewhere=True)


def json_object(attempt: HttpAttempt, answer: Answer) -> dict[str, Any]:
    """Return the JSON object in an answer; {} for status 204 (no content).

    Raises:
        RestError: The request failed, or the body is not a JSON object.
    """
    refusal = explain_answer(attempt, answer)
    if refusal is not None:
        code = answer.error_text.partition(" ")[0]
        raise RestError(refusal.failure.reason, answer.status, code=code, is_elsewhere=refusal.other)
    try:
        found = {} if answer.status == _NO_CONTENT else json.loads(answer.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        shown = attempt.mask(answer.body[:_MAX_SHOWN_BYTES].decode("utf-8", "replace").strip())
        raise RestError(
            f"{attempt.place}: HTTP {answer.status}: the answer is not a JSON object but {repr(shown) if shown else 'empty'}: "
            f"is this {_KINDS[attempt.use]}, or a login page? Check {attempt.names.server}{attempt.proxy_hint}",
            answer.status,
            is_elsewhere=answer.is_foreign,
        )
    return found
