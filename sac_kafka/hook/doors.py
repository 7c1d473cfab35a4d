"""Open the doors from the hook to the tools: `Hook.verify` and `Hook.lineage` load `sac_kafka.tools` on first use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sac_kafka.atlas.sent_names import SentNames
    from sac_kafka.settings import Settings
    from sac_kafka.tools.graph.flows import Flow
    from sac_kafka.tools.verification.hook_verification import DeliveryState
    from sac_kafka.tools.verification.verification import Verification


def verify_sent(settings: Settings, names: SentNames, delivery: DeliveryState, timeout_seconds: float) -> Verification:
    """Verify the entities that a hook has sent; an unreachable server is reported as `problem`, not raised."""
    from sac_kafka.tools.verification import hook_verification

    return hook_verification.verify_sent(settings, names, delivery, timeout_seconds)


def unverified(problem: str) -> Verification:
    """Return the result where there is nothing to verify."""
    from sac_kafka.tools.verification.verification import Verification

    return Verification(problem=problem)


def flows(texts: Iterable[bytes]) -> tuple[Flow, ...]:
    """Return the flows that the texts of messages contain."""
    from sac_kafka.tools.graph.flows import flows

    return flows(texts)
