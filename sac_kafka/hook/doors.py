"""Open the doors from the hook to the tools: `Hook.verify` and `Hook.lineage` load `sac_kafka.tools` on first use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sac_kafka.catalog.verification import Verification
    from sac_kafka.settings import Settings
    from sac_kafka.stages.output import Output
    from sac_kafka.tools.graph.flows import Flow
    from sac_kafka.transport.spool.spool import Spool


def verify_sent(settings: Settings, output: Output, spool: Spool, timeout_seconds: float) -> Verification:
    """Verify the entities that a hook has sent; an unreachable server is reported as `problem`, not raised."""
    from sac_kafka.atlas.output import AtlasOutput
    from sac_kafka.catalog import verification

    if not isinstance(output, AtlasOutput):
        return nothing_to_verify("nothing to verify")
    return verification.verify_sent(settings, output.names, spool, timeout_seconds)


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
