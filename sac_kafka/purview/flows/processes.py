"""Build the processes of a flow: one, or several if its columns exceed a property or its inputs exceed a message."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sac_kafka.atlas.flows.processes import first_names, run_label
from sac_kafka.atlas.limits import digest
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.wire.message import encode
from sac_kafka.model import Process
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.dataset_assets import each_once, identity
from sac_kafka.purview.flows import columns
from sac_kafka.purview.flows.chain import Chain
from sac_kafka.purview.flows.columns import DatasetMapping
from sac_kafka.purview.flows.statements import Attributes

MAX_PARTS = 100
"""Maximum number of processes of a flow; columns beyond it are dropped and counted."""
_DIGITS = 16
_SERVER_AND_NAME = 3


@dataclass(frozen=True, slots=True)
class FlowPart:
    """One process of a flow: the assets that it connects, and its share of the column mapping."""

    inputs: tuple[Asset, ...]
    outputs: tuple[Asset, ...]
    mapping: tuple[DatasetMapping, ...]


def parts(
    inputs: Sequence[Asset], outputs: Sequence[Asset], mapping: Sequence[DatasetMapping], room: int
) -> tuple[tuple[FlowPart, ...], int]:
    """Return the processes that a flow needs, and the number of column pairs dropped.

    The first process connects all assets, unless the names of the inputs exceed `room` characters; then further processes
    connect the rest. Processes for further columns connect only the assets of these columns.
    """
    split = columns.parts(mapping)
    kept = split[:MAX_PARTS]
    lost = sum(len(element.pairs) for element in mapping) - sum(len(each.pairs) for part in kept for each in part)
    first_inputs, *rest = columns.pack(inputs, lambda each: len(encode(each.qualified_name)), room)
    first = FlowPart(each_once((*first_inputs, *_sources(kept[0]))), tuple(outputs), kept[0])
    more = (FlowPart(tuple(each), tuple(outputs), ()) for each in rest)
    return (first, *(_part(part) for part in kept[1:]), *more), lost


def _sources(mapping: tuple[DatasetMapping, ...]) -> tuple[Asset, ...]:
    return each_once(element.source for element in mapping if element.source is not None)


def _part(mapping: tuple[DatasetMapping, ...]) -> FlowPart:
    return FlowPart(_sources(mapping), each_once(element.sink for element in mapping), mapping)


def processes(
    described: Process,
    chain: Chain,
    whole: FlowPart,
    found: Sequence[FlowPart],
    *,
    label: str,
    about: Attributes,
    ran: Attributes,
) -> Iterator[tuple[AtlasEntity, AtlasEntity]]:
    """Yield each process as sent, and the part whose changes cause a message: all but the last run.

    `whole` is everything that the processes connect, which determines their names; `label` is its readable form. `about` and
    `ran` are attributes of the first process that describe its query and its last run.
    """
    for number, part in enumerate(found, start=1):
        rest = f" ({number} of {len(found)})" if len(found) > 1 else ""
        display_name = {"name": f"{run_label(described)}: {label}{rest}"}
        # Sent even if empty, to replace the mapping of an earlier run.
        mapping = {columns.NAME: columns.text(part.mapping)}
        stable = {**display_name, **mapping, **(about if number == 1 else {})}
        sent = {**stable, **(ran if number == 1 else {})}
        name = process_name(chain.stem, described, whole, number)
        yield _entity(chain, name, part, sent), _entity(chain, name, part, stable)


def _entity(chain: Chain, name: str, part: FlowPart, attributes: Attributes) -> AtlasEntity:
    sides = {"inputs": tuple(map(identity, part.inputs)), "outputs": tuple(map(identity, part.outputs))}
    return AtlasEntity(
        id=AtlasObjectId(chain.type_name, name),
        attributes=attributes,
        references=chain.references,
        relationships=dict.fromkeys(chain.references, ""),
        sides={side: ids for side, ids in sides.items() if ids},
    )


def process_name(stem: str, described: Process, whole: FlowPart, number: int) -> str:
    """Return the name, derived from what the process connects: a re-run updates it, a changed flow creates a new one.

    A streaming query may connect more assets while it runs, so the name is derived from the identity of its flow.
    """
    if described.stream is not None:
        of_query = digest(json.dumps(described.stream.identity), _DIGITS)
        return number_name(f"{stem}/streams/{of_query}", number)
    inputs, outputs = (digest("\n".join(sorted(map(_key, side))), _DIGITS) for side in (whole.inputs, whole.outputs))
    return number_name(f"{stem}/processes/{inputs}->{outputs}", number)


def number_name(first: str, number: int) -> str:
    """Return the name of one of the processes of a flow, counted from 1, by the name of the first one."""
    return f"{first}/{number}" if number > 1 else first


def _key(asset: Asset) -> str:
    return f"{asset.type_name} {asset.qualified_name}"


def flow_label(inputs: Sequence[Asset], outputs: Sequence[Asset]) -> str:
    """Return the label of a flow: the names of its inputs and outputs, by one asset for each dataset."""
    return f"{_list_assets(inputs)} -> {_list_assets(outputs)}"


def _list_assets(assets: Sequence[Asset]) -> str:
    several = Counter(asset.name for asset in assets)
    return first_names([_with_folder(asset) if several[asset.name] > 1 else asset.name for asset in assets])


def _with_folder(asset: Asset) -> str:
    """Return the name with the folder above it, to distinguish assets of one name."""
    path = [each for each in asset.qualified_name.split("/") if each and not each.startswith("{")]
    return f"{path[-2]}/{asset.name}" if len(path) > _SERVER_AND_NAME else asset.name
