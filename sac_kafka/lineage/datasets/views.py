"""Views one hop at a time: a view's definition is a flow of its own, which the plan of every reader shows below the view.

The analyzer puts between a view and its query a projection that gives the columns the view's names, in casts to the types
that the catalog has for them. Without it the query is the one that CREATE VIEW had.
"""

from __future__ import annotations

import dataclasses

from sac_kafka.lineage.datasets.tables import columns, named, table
from sac_kafka.lineage.datasets.v2_tables import named_table
from sac_kafka.lineage.datasets.writes import Write
from sac_kafka.lineage.model import TableDataset
from sac_kafka.lineage.model.gaps import COLUMNS_OF_MEASURES
from sac_kafka.plan.expressions import Alias, Attribute, AttributeReference, Cast, Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import MetricView, Project, SubqueryAlias, View
from sac_kafka.plan.v2_tables import Identifier


def dataset_of(view: LogicalPlan) -> TableDataset:
    """The view as a dataset: its columns as the catalog has them, unless the plan shows others (SCHEMA EVOLUTION)."""
    of = columns(shown(view))
    if isinstance(view, SubqueryAlias):
        catalog, *namespace = view.qualifier
        bare = named_table(catalog, Identifier(namespace=tuple(namespace), name=view.alias))
        return dataclasses.replace(bare, table_type="VIEW", columns=of)
    if isinstance(view, MetricView):
        assert view.identifier is not None
        return dataclasses.replace(named(view.identifier), table_type="METRIC_VIEW", columns=of)
    assert isinstance(view, View) and view.table is not None
    known = table(view.table)
    same = [c.name.lower() for c in known.columns] == [c.name.lower() for c in of]
    return known if same else table(view.table, of)


def shown(view: LogicalPlan) -> tuple[Attribute, ...]:
    """The columns of a view, under the ids that a query has them by."""
    assert isinstance(view, (View, SubqueryAlias, MetricView))
    return view.output


def hidden_columns(view: LogicalPlan) -> tuple[Attribute, ...]:
    """The columns that a view hands up, and that are none of its own."""
    return view.source_columns if isinstance(view, MetricView) else ()


def gaps_of(view: LogicalPlan) -> tuple[str, ...]:
    """What is not known of a view's columns."""
    return (COLUMNS_OF_MEASURES,) if isinstance(view, MetricView) else ()


def definition_of(view: LogicalPlan) -> Write:
    """What a view's own statement wrote."""
    dataset = dataset_of(view)
    query = view.children[0]
    output = tuple(dataclasses.replace(a, name=c.name) for a, c in zip(shown(view), dataset.columns, strict=False))
    if isinstance(query, Project):
        made = [_column(e) for e in query.project_list]
        if len(made) == len(output) and None not in made:
            query = query.children[0]
            output = tuple(
                dataclasses.replace(a, expr_id=i) for a, i in zip(output, made, strict=True) if i is not None
            )
    return Write(dataset=dataset, query=query, output=output, is_view=True, gaps=gaps_of(view))


def _column(e: Expression) -> int | None:
    """The exprId of the column that a column of a view is, under another name and type; None where it is none."""
    while isinstance(e, (Alias, Cast)):
        e = e.children[0]
    return e.expr_id if isinstance(e, AttributeReference) else None
