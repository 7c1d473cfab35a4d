"""Known errors of other lineage listeners for Spark (Kyuubi's lineage plugin) that no recorded case shows."""

from __future__ import annotations

from sac_kafka.lineage.extract import extract
from sac_kafka.model import Run
from sac_kafka.plan.commands import InsertIntoHadoopFsRelationCommand
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import UnknownPlan
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRelation
from tests.helpers.live_runs import APPLICATION
from tests.unit.atlas.flows import copy, entities, messages_for, name, table

ID = Attribute(1, "id", "bigint", True)


def test_node_of_another_plugin_around_a_view_keeps_the_lineage() -> None:
    """Wrap a view in a node of an undeclared class: tables and columns pass, and the node is counted."""
    files = HadoopFsRelation(root_paths=("file:/in",), file_format="parquet")
    view = LogicalRelation(relation=files, catalog_table=None, output=(ID,))
    wrapped = UnknownPlan(class_name="org.example.authz.PermanentViewMarker", children=(view,))
    command = InsertIntoHadoopFsRelationCommand(
        is_command=True,
        output_path="file:/out",
        catalog_table=None,
        file_format="parquet",
        query=wrapped,
        output_columns=(ID,),
    )
    found = extract(command, Run(execution_id=1), APPLICATION)
    (process,) = found.processes
    assert [d.key for d in process.inputs] == ["path:file:/in"]
    assert [c.column for c in process.columns if c.sources] == ["id"]
    assert found.counts == {"node not understood: PermanentViewMarker": 1}


def test_names_are_not_split_at_their_dots() -> None:
    source, target = table("ord.ers", "net.amount", "net"), table("to.tals", "net.amount", "net")
    sent = entities(messages_for(copy(source, target)))
    columns = {name(each) for each in sent if each["typeName"] == "spark_column"}
    assert columns == {
        f"sales.`{of}`.{column}@prod" for of in ("ord.ers", "to.tals") for column in ("`net.amount`", "net")
    }
