"""Derive the options of the pipeline from the settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sac_kafka.atlas.context import Context
from sac_kafka.globs import flat
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.model import Application
from sac_kafka.model.bounds import Budget
from sac_kafka.names.paths import PLACEHOLDER_PATTERNS, Patterns, SegmentPattern
from sac_kafka.settings import Settings
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import ColumnLineageMode, Views
from sac_kafka.settings.filters import Filters
from sac_kafka.settings.names import Names
from sac_kafka.stages.filters.rulings import Selection


def selection_of(filters: Filters) -> Selection:
    """Return the exclusion rules of the settings."""
    return Selection(filters.include, filters.exclude, with_defaults=filters.with_defaults)


def segment_patterns(names: Names) -> Patterns:
    """Return the patterns for path segments in the settings; those of kept segments come first."""
    return (
        *(SegmentPattern(flat(glob, PLACEHOLDER_PATTERNS), is_kept=True) for glob in names.path_kept),
        *(SegmentPattern(flat(glob, PLACEHOLDER_PATTERNS)) for glob in names.path_folded),
        *(SegmentPattern(re.compile(pattern)) for pattern in names.path_patterns),
    )


def lineage_options(context: Context, settings: Settings, *, process: str = "") -> LineageOptions:
    """Return the options of lineage, with the names and the content of the context; `process` as in `LineageOptions`."""
    names, content, is_sac = context.naming.names, context.content, context.naming.is_sac
    return LineageOptions(
        patterns=segment_patterns(names),
        budget=Budget(
            nodes=content.column_lineage_max_nodes,
            columns=content.column_lineage_max_columns,
            edges=content.column_lineage_max_edges,
        ),
        # The process of a whole application cannot be split at its views.
        stops_at_views=not is_sac and content.views is Views.HOP,
        plan_text=content.plan_text,
        # SAC has one process per application, so a failed statement has no separate process.
        failed_too=not is_sac,
        reads=content.reads and not is_sac,
        follows_rdds=settings.driver.follows_rdds,
        process=process,
        statement_inputs=content.statement_inputs,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineOptions:
    """What outcomes pass between the inputs and the outputs of a hook, the same for all of them.

    Attributes:
        application: The application of the driver.
        names: The settings of names.
        content: The settings of the content of messages.
        selection: The rules for exclusion.
        has_columns: Whether column lineage is emitted.
        joins_runs: Whether runs that wrote parts or at the same time are added up.
        is_one_process: Whether all statements are merged into one process.
        is_hive: Returns whether Hive's own hook reports the tables of a catalog.
    """

    application: Application
    names: Names
    content: Content
    selection: Selection
    has_columns: bool = True
    joins_runs: bool = True
    is_one_process: bool = False
    is_hive: Callable[[str | None], bool] = lambda _catalog: False


def pipeline_options(context: Context, settings: Settings) -> PipelineOptions:
    """Return the options of a pipeline."""
    return PipelineOptions(
        application=context.application,
        names=context.naming.names,
        content=context.content,
        selection=selection_of(settings.filters),
        has_columns=context.column_lineage is not ColumnLineageMode.OFF,
        is_one_process=context.naming.is_sac,
        is_hive=context.naming.is_hive,
    )
