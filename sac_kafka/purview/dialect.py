"""Convert outcomes to emissions in the dialect `purview`: asset identities, and processes with column mappings.

Purview's scans know assets better than Spark does, so only the names of assets are sent. Purview bills each operation, so
a flow is sent when it has changed, and once a day; an unchanged run is not sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from sac_kafka.atlas.catalog.changes import Emission, SingleNotification
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.dialect import Defined, Jobs
from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.flows.processes import labels
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, EntityGroup, make_group
from sac_kafka.atlas.notification import EntityDelete, EntityPartialUpdate
from sac_kafka.model import (
    Dataset,
    DatasetDescribed,
    Outcome,
    PathDataset,
    Process,
    RowsRemoved,
    TableDataset,
    TableDropped,
)
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.dataset_assets import DatasetAssets, each_once, entity, identity, owners
from sac_kafka.purview.flows import columns, statements
from sac_kafka.purview.flows.chain import Chain, chain, chain_of_view
from sac_kafka.purview.flows.processes import FlowPart, flow_label, number_name, parts, process_name, processes
from sac_kafka.purview.names import asset
from sac_kafka.purview.names.tables import location
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import ProcessTypes, TableAssets
from sac_kafka.settings.purview import Purview

_UNKNOWN = "datasets without a naming rule, sent as DataSet: "
_MAX_WRITTEN = 10_000
"""Maximum number of written paths remembered; the oldest are evicted."""
_NAMES_SHARE = 5
"""Divisor of the message size that limits the names of inputs: each name occurs at least twice, next to outputs and columns."""
_DESCRIBED = "descriptions of datasets: assets have those of Purview's scans"
_LOST = "columns omitted from columnMapping"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOfAssets:
    """A flow in Purview's terms; `processes` are pairs of the process as sent and the part whose changes cause a message.

    `replaces` is True if it replaces the column mapping sent before.
    """

    chain: Chain
    outputs: tuple[Asset, ...]
    assets: tuple[AtlasEntity, ...]
    processes: tuple[tuple[AtlasEntity, AtlasEntity], ...]
    replaces: bool


class PurviewDialect:
    """Converter of outcomes to emissions for a Purview account. Not thread-safe."""

    def __init__(self, naming_context: NamingContext, settings: Purview) -> None:
        self._naming_context = naming_context
        self._settings = settings
        self._counts: Counter[str] = Counter()
        self._sent = columns.SentMappings()
        self._written: dict[str, None] = {}  # paths

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of datasets without a naming rule, by kind, and of columns that exceeded the column mapping."""
        return self._counts

    def emissions(
        self, outcome: Outcome, context: Context, remembered: Remembered, now_ms: int, defined: Defined
    ) -> tuple[Emission, ...]:
        """Return the emissions for an outcome; of catalog changes only drops, if deletes are enabled."""
        if isinstance(outcome, Process):
            outputs = tuple(defined.get(output.key, output) for output in outcome.outputs)
            return tuple(self._of_process(replace(outcome, outputs=outputs), context.content, remembered, now_ms))
        if isinstance(outcome, DatasetDescribed):
            self._counts[_DESCRIBED] += 1
        if isinstance(outcome, RowsRemoved):
            removed = map(identity, self._assets_of(outcome.dataset, is_output=True).assets)
            remembered.flows.remove(removed, outcome.part, outcome.job, now_ms)
        if isinstance(outcome, TableDropped) and self._settings.deletes:
            dropped = identity(self._asset(outcome.table, is_output=True))
            remembered.drop((dropped,), now_ms)
            return (SingleNotification(notification=EntityDelete(ids=(dropped,))),)
        return ()

    def without_obsolete(
        self, remembered: Remembered, now_ms: int, *, everything: bool
    ) -> tuple[SingleNotification, ...]:
        """Return deletes of obsolete flows, a message for each, if deletes are enabled."""
        if not self._settings.deletes:
            return ()
        found = remembered.flows.due(now_ms, everything=everything)
        gone = [(each.process, *_more(each.process, remembered)) for each in found if each.is_whole]
        remembered.drop((id_ for ids in gone for id_ in ids), now_ms)
        return tuple(SingleNotification(notification=EntityDelete(ids=ids)) for ids in gone)

    def at_the_end(self, jobs: Jobs, context: Context, status: str) -> tuple[SingleNotification, ...]:
        """Return nothing: each operation is billed, and no type of Purview has an attribute for the status."""
        del jobs, context, status
        return ()

    def _of_process(
        self, process: Process, content: Content, remembered: Remembered, now_ms: int
    ) -> Iterator[Emission]:
        flow = self._flow(process, content.message_max_bytes // _NAMES_SHARE, remembered, now_ms)
        is_new = not any(remembered.has(whole.id, now_ms) for whole, _ in flow.processes)
        if process.run.failure is not None and not (process.has_happened and is_new):
            yield from self._report_failure(flow, process, remembered, now_ms)
            return
        if not flow.outputs:
            return
        tags = content.labels if process.defines_view else labels(process.application, content)
        for whole, news in flow.processes:
            group = make_group(whole.id, owners=(), members=(news,), about=(each.id for each in flow.assets))
            if remembered.unsent((group,), now_ms):
                yield self._statement(flow, _annotate(whole, content, tags), group)
        if flow.replaces:
            yield from _clear_mappings(flow, remembered, now_ms)

    def _statement(self, flow: FlowOfAssets, whole: AtlasEntity, group: EntityGroup) -> EntityBundle:
        named = {end for ends in whole.sides.values() for end in ends}
        heads = tuple((*owners(each.id), each) for each in flow.assets if each.id in named)
        # The owners of a process are sent once, as they rarely change from run to run.
        above = flow.chain.entities
        definitions = (make_group(above[-1].id, owners=(), members=above),) if above else ()
        return EntityBundle(heads=heads, definitions=definitions, flow=(whole,), lineage=(group,))

    def _report_failure(
        self, flow: FlowOfAssets, process: Process, remembered: Remembered, now_ms: int
    ) -> Iterator[Emission]:
        """Yield the status of a failed run if the account has the flow and its type has a status attribute."""
        whole, news = flow.processes[0]
        if self._settings.process_types is not ProcessTypes.OWN or not remembered.has(whole.id, now_ms):
            return
        # The next successful run must be sent although the flow is unchanged, to replace this status.
        remembered.forget((make_group(whole.id, owners=(), members=(news,)).token(0, 1),))
        yield SingleNotification(notification=EntityPartialUpdate(id=whole.id, attributes=statements.of_run(process)))

    def _flow(self, process: Process, room: int, remembered: Remembered, now_ms: int) -> FlowOfAssets:
        inputs = {input_.key: self._assets_of(input_, is_output=False) for input_ in process.inputs}
        outputs = {output.key: self._assets_of(output, is_output=True) for output in process.outputs}
        settings = self._settings
        mapping = columns.merge(columns.mappings(process, inputs, outputs, with_influence=settings.column_influence))
        sides = _assets(inputs.values()), _assets(outputs.values())
        links = chain(process.application, self._naming_context, settings.process_types)
        if process.defines_view:
            links = chain_of_view(links, sides[1][0])
        replaces = process.replaces_output or process.defines_view
        if process.has_happened:
            first = AtlasObjectId(links.type_name, process_name(links.stem, process, FlowPart(*sides, ()), 1))
            ends = map(identity, sides[0]), map(identity, sides[1])
            replaces |= remembered.flows.record(first, process, ends, frozenset(), now_ms).is_whole
            mapping = self._sent.with_earlier((links.stem, *sides), mapping, replaces=replaces, extent=process.extent)
        label = flow_label(_primary_assets(inputs.values()), _primary_assets(outputs.values()))
        split, lost = parts(*sides, mapping, room)
        if lost:
            self._counts[_LOST] += lost
        if settings.process_types is ProcessTypes.OWN:
            deciders = _primary_assets(self._assets_of(column, is_output=False) for column in process.decided_by)
            about = statements.of_definition(
                process,
                with_expressions=settings.column_expressions,
                decided_by=[decider.qualified_name for decider in deciders],
            )
            ran = {} if process.defines_view else statements.of_run(process)
        else:
            about, ran = {}, statements.of_plan(process) if links.has_plan else {}
        return FlowOfAssets(
            chain=links,
            outputs=sides[1],
            assets=tuple(map(entity, each_once((*sides[0], *sides[1])))),
            processes=tuple(processes(process, links, FlowPart(*sides, ()), split, label=label, about=about, ran=ran)),
            replaces=replaces,
        )

    def _assets_of(self, dataset: Dataset, *, is_output: bool) -> DatasetAssets:
        """Return the assets of a dataset; a table without a scanned location has only its own, whatever the setting."""
        if type(dataset) is PathDataset:
            is_output = self._is_directory(dataset.path, is_output=is_output)
        tables = self._settings.tables
        if not isinstance(dataset, TableDataset) or tables is TableAssets.TABLE:
            return DatasetAssets(self._asset(dataset, is_output=is_output))
        at = location(dataset, self._naming_context, is_output=is_output)
        if at is not None and tables is TableAssets.LOCATION:
            return DatasetAssets(None, at)
        return DatasetAssets(self._asset(dataset, is_output=is_output), at)

    def _is_directory(self, path: str, *, is_output: bool) -> bool:
        """Return True for a path written by this application, which is a directory even if it is named like a file."""
        if is_output:
            self._written[path] = None
            if len(self._written) > _MAX_WRITTEN:
                del self._written[next(iter(self._written))]
        return path in self._written

    def _asset(self, dataset: Dataset, *, is_output: bool) -> Asset:
        found = asset(dataset, self._naming_context, is_output=is_output)
        if not found.is_known:
            self._counts[f"{_UNKNOWN}{found.rule}"] += 1
        return found


def _primary_assets(datasets: Iterable[DatasetAssets]) -> tuple[Asset, ...]:
    return each_once(dataset.primary for dataset in datasets if dataset.primary is not None)


def _more(first: AtlasObjectId, remembered: Remembered, known: int = 1) -> Iterator[AtlasObjectId]:
    """Yield the processes that were sent for a flow beyond the first `known`."""
    for number in count(known + 1):
        more = first._replace(qualified_name=number_name(first.qualified_name, number))
        if not remembered.members(more):
            return
        yield more


def _clear_mappings(flow: FlowOfAssets, remembered: Remembered, now_ms: int) -> Iterator[SingleNotification]:
    """Yield updates that clear the column mapping of additional processes, which earlier, longer mappings required."""
    for more in tuple(_more(flow.processes[0][0].id, remembered, len(flow.processes))):
        remembered.drop((more,), now_ms)
        yield SingleNotification(notification=EntityPartialUpdate(id=more, attributes={columns.NAME: columns.text(())}))


def _assets(datasets: Iterable[DatasetAssets]) -> tuple[Asset, ...]:
    return each_once(each for one in datasets for each in one.assets)


def _annotate(process: AtlasEntity, content: Content, tags: tuple[str, ...]) -> AtlasEntity:
    return replace(
        process,
        labels=tags,
        custom_attributes=dict(content.custom_attributes),
        classifications=content.classifications,
        can_propagate=False,  # nothing propagates in Purview, and its REST interface does not have the property
    )
