"""Extract the definitions of views, which are separate processes, from the plans of the queries that read them.

Between a view and its query, the analyzer inserts a projection that renames the columns to those of the view and casts them to
the types in the catalog. Without this projection, the query equals that of CREATE VIEW.
"""

from __future__ import annotations

import dataclasses

from sac_kafka.lineage.datasets.tables import columns, table, table_by_name
from sac_kafka.lineage.datasets.v2_tables import named_table
from sac_kafka.lineage.datasets.writes import Write
from sac_kafka.model import TableDataset
from sac_kafka.model.gaps import COLUMNS_OF_MEASURES
from sac_kafka.plan.expressions import Alias, Attribute, AttributeReference, Cast, Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import MetricView, Project, SubqueryAlias, View
from sac_kafka.plan.v2_tables import Identifier


def dataset_of(view: LogicalPlan) -> TableDataset:
    """Return the view as a dataset, with the catalog's columns unless the plan has others (SCHEMA EVOLUTION)."""
    schema = columns(output_of(view))
    if isinstance(view, SubqueryAlias):
        catalog, *namespace = view.qualifier
        bare = named_table(catalog, Identifier(namespace=tuple(namespace), name=view.alias))
        return dataclasses.replace(bare, table_type="VIEW", columns=schema)
    if isinstance(view, MetricView):
        assert view.identifier is not None
        return dataclasses.replace(table_by_name(view.identifier), table_type="METRIC_VIEW", columns=schema)
    assert isinstance(view, View) and view.table is not None
    known = table(view.table)
    same = [c.name.lower() for c in known.columns] == [c.name.lower() for c in schema]
    return known if same else table(view.table, schema)


def output_of(view: LogicalPlan) -> tuple[Attribute, ...]:
    """Return the columns of a view, under the exprIds in the query that reads it."""
    assert isinstance(view, (View, SubqueryAlias, MetricView))
    return view.output


def hidden_columns(view: LogicalPlan) -> tuple[Attribute, ...]:
    """Return the output columns of a view's node that are not columns of the view."""
    return view.source_columns if isinstance(view, MetricView) else ()


def gaps_of(view: LogicalPlan) -> tuple[str, ...]:
    """Return the gaps of a view's column lineage."""
    return (COLUMNS_OF_MEASURES,) if isinstance(view, MetricView) else ()


def definition_of(view: LogicalPlan) -> Write:
    """Return the definition of a view as a write."""
    dataset = dataset_of(view)
    query = view.children[0]
    output = tuple(dataclasses.replace(a, name=c.name) for a, c in zip(output_of(view), dataset.columns, strict=False))
    if isinstance(query, Project):
        sources = [_column(e) for e in query.project_list]
        if len(sources) == len(output) and None not in sources:
            query = query.children[0]
            output = tuple(
                dataclasses.replace(a, expr_id=i) for a, i in zip(output, sources, strict=True) if i is not None
            )
    return Write(dataset=dataset, query=query, output=output, is_view=True, gaps=gaps_of(view))


def _column(e: Expression) -> int | None:
    """Return the exprId of the column that a view's column renames or casts; None if it is another expression."""
    while isinstance(e, (Alias, Cast)):
        e = e.children[0]
    return e.expr_id if isinstance(e, AttributeReference) else None
