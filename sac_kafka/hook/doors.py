"""Open the doors from the hook to the tools: `Hook.verify` and `Hook.lineage` load `sac_kafka.tools` on first use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sac_kafka.catalog.verification import Verification
    from sac_kafka.hook.destinations import OpenDestination
    from sac_kafka.tools.graph.flows import Flow


def verify_sent(destinations: Sequence[OpenDestination], timeout_seconds: float, name: str = "") -> Verification:
    """Verify the entities sent to the destination with a name; an unreachable server is reported as `problem`, not raised."""
    from sac_kafka.atlas.output import AtlasOutput
    from sac_kafka.catalog import verification

    sender = next((destination for destination in destinations if destination.name == name), None)
    if sender is None:
        return nothing_to_verify(f"nothing to verify: atlas.also has no destination {name}")
    if not isinstance(sender.output, AtlasOutput):
        return nothing_to_verify("nothing to verify")
    return verification.verify_sent(sender.settings, sender.output.names, sender.spool, timeout_seconds)


def nothing_to_verify(problem: str) -> Verification:
    """Return the result where there is nothing to verify."""
    from sac_kafka.catalog.verification import Verification

    return Verification(problem=problem)


def verification_as_json(verification: Verification) -> object:
    """Return a verification as values of JSON."""
    entities = [[entity.type_name, entity.name, entity.state.value, entity.reason] for entity in verification.entities]
    return [entities, verification.unchecked, verification.problem]


def verification_of(found: Any) -> Verification:  # noqa: ANN401 JSON
    """Return a verification from its values of JSON."""
    from sac_kafka.catalog.entities import EntityState
    from sac_kafka.catalog.verification import Verification, VerifiedEntity

    entities, unchecked, problem = found
    read = (VerifiedEntity(kind, name, EntityState(state), reason) for kind, name, state, reason in entities)
    return Verification(tuple(read), unchecked, problem)


def flows(texts: Iterable[bytes]) -> tuple[Flow, ...]:
    """Return the flows that the texts of messages contain."""
    from sac_kafka.tools.graph.flows import flows

    return flows(texts)
