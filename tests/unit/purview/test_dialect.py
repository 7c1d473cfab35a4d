"""Messages for Purview: assets by identity alone, processes with their columns, sent once."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sac_kafka.model import (
    REPLACED,
    ColumnLineage,
    ColumnSource,
    DatasetRead,
    Dependency,
    Process,
    Run,
    Stream,
    TableDropped,
)
from tests.unit.atlas.flows import DAY, NOW, RUN, copies, copy, path, process, table
from tests.unit.purview.account import DATABRICKS, LAKE, Account, ends, entities, mapping, processes

ORDERS = path(f"{LAKE}/orders", "id", "amount")
TOTALS = path("abfss://curated@contosolake.dfs.core.windows.net/totals", "id", "amount")
FLOW = copy(ORDERS, TOTALS)
RAW = "https://contosolake.dfs.core.windows.net/raw/orders/{SparkPartitions}"
CURATED = "https://contosolake.dfs.core.windows.net/curated/totals/{SparkPartitions}"


def of_databricks(flow: Process) -> Process:
    return replace(flow, application=DATABRICKS)


def test_a_flow_is_its_assets_and_a_process_between_them() -> None:
    (body,) = Account().deliver(FLOW)

    raw, curated, flow = body["entities"]["entities"]
    assert body["type"] == "ENTITY_CREATE_V2"
    assert raw["typeName"] == curated["typeName"] == "azure_datalake_gen2_resource_set"
    assert raw["attributes"] == {"qualifiedName": RAW, "name": "orders"}
    assert (flow["typeName"], ends(flow, "inputs"), ends(flow, "outputs")) == (
        "azure_synapse_operation",
        [RAW],
        [CURATED],
    )
    assert mapping(flow) == {(RAW, CURATED, "id", "id"), (RAW, CURATED, "amount", "amount")}
    assert flow["attributes"]["inputs"][0]["guid"] == raw["guid"]


def test_envelope_has_the_documented_fields_only() -> None:
    (message,) = Account().made(FLOW)

    assert set(json.loads(message.value)) == {
        "version",
        "msgCompressionKind",
        "msgSplitIdx",
        "msgSplitCount",
        "msgSourceIP",
        "msgCreatedBy",
        "msgCreationTime",
        "message",
    }


def test_source_of_deciding_values_is_no_input_and_a_row_condition_in_own_types() -> None:
    decided = replace(FLOW, decided_by=(path(f"{LAKE}/control", "since"),))
    for types in ("built-in", "own"):
        (flow,) = processes(Account(purview__process__types=types).deliver(decided))
        assert ends(flow, "inputs") == [RAW]
        control = RAW.replace("orders", "control")
        rows = f"Rows decided by values that were read from {control}." if types == "own" else None
        assert flow["attributes"].get("rowConditions") == rows


def test_rerun_within_a_day_sends_nothing() -> None:
    account = Account()

    assert len(account.deliver(FLOW)) == 1
    assert account.deliver(replace(FLOW, run=replace(RUN, execution_id=8, rows_written=5)), NOW + 1000) == []
    assert len(account.deliver(FLOW, NOW + DAY)) == 1


def test_undelivered_message_is_sent_again() -> None:
    account = Account()
    (lost,) = account.made(FLOW)
    account.remembered.forget(lost.tokens)

    assert len(account.deliver(FLOW)) == 1


def test_new_columns_are_news_of_the_same_process() -> None:
    account = Account()
    (first,) = processes(account.deliver(FLOW))
    (second,) = processes(account.deliver(replace(FLOW, columns=FLOW.columns[:1], extent=REPLACED)))

    assert first["attributes"]["qualifiedName"] == second["attributes"]["qualifiedName"]
    assert mapping(second) == {(RAW, CURATED, "id", "id")}


def test_flow_with_other_inputs_is_another_process() -> None:
    account = Account()
    more = path(f"{LAKE}/customers", "id")
    (first,) = processes(account.deliver(FLOW))
    (second,) = processes(account.deliver(process([ORDERS, more], [TOTALS], FLOW.columns)))

    assert first["attributes"]["qualifiedName"] != second["attributes"]["qualifiedName"]


def test_databricks_facts_form_a_chain_to_the_process() -> None:
    sent = entities(Account(DATABRICKS).deliver(of_databricks(FLOW)))

    by_type = {each["typeName"]: each for each in sent}
    root = "databricks://adb-1234567890.1.azuredatabricks.net"
    names = {kind: each["attributes"]["qualifiedName"] for kind, each in by_type.items()}
    assert names["databricks_workspace"] == root
    assert names["databricks_notebook"] == f"{root}/notebooks/Users/ada/load orders"
    assert names["databricks_job"] == f"{root}/jobs/12"
    assert names["databricks_notebook_task"] == f"{root}/jobs/12/tasks/load"
    assert names["databricks_process"].startswith(f"{root}/jobs/12/tasks/load/processes/")
    task = by_type["databricks_process"]["relationshipAttributes"]["task"]
    assert task["guid"] == by_type["databricks_notebook_task"]["guid"]
    assert "relationshipType" not in task
    assert [each["typeName"] for each in sent][-1] == "databricks_process"


def test_databricks_chain_is_sent_once_and_on_changes() -> None:
    account = Account(DATABRICKS)
    flows = [
        of_databricks(process([path(f"{LAKE}/in{n}", "id")], [path(f"{LAKE}/out{n}", "id")], ())) for n in range(4)
    ]
    first, second, third = (entities(account.deliver(each)) for each in flows[:3])

    chain = ["databricks_workspace", "databricks_notebook", "databricks_job", "databricks_notebook_task"]
    assert [each["typeName"] for each in first][:4] == chain
    assert [len(each) for each in (first, second, third)] == [7, 3, 3]
    task = third[-1]["relationshipAttributes"]["task"]
    assert task == {
        "typeName": "databricks_notebook_task",
        "uniqueAttributes": {"qualifiedName": first[3]["attributes"]["qualifiedName"]},
    }
    moved = tuple(("notebook", "/Users/ada/moved") if each[0] == "notebook" else each for each in DATABRICKS.facts)
    elsewhere = replace(flows[3], application=replace(DATABRICKS, facts=moved))
    assert "databricks_notebook" in {each["typeName"] for each in entities(account.deliver(elsewhere))}
    lost = Account(DATABRICKS)
    (message,) = lost.made(flows[0])
    lost.remembered.forget(message.tokens)
    assert len(entities(lost.deliver(flows[1]))) == 7


def test_table_and_its_files_are_listed_once_and_equal_names_with_their_folder() -> None:
    with_files = replace(table("orders", "id"), location=f"{LAKE}/t/orders")
    account = Account(purview__tables="both")
    (of_table,) = processes(account.deliver(process([with_files], [TOTALS], ())))
    assert of_table["attributes"]["name"].endswith(": orders -> totals")
    assert len(of_table["attributes"]["inputs"]) == 2
    alike = [path(f"{LAKE}/{region}/orders", "id") for region in ("eu", "us")]
    (of_both,) = processes(account.deliver(process(alike, [TOTALS], ())))
    assert of_both["attributes"]["name"].endswith(": eu/orders, us/orders -> totals")


def test_an_interactive_notebook_has_its_process_itself() -> None:
    interactive = replace(
        DATABRICKS, facts=tuple(each for each in DATABRICKS.facts if each[0] not in ("job_id", "task"))
    )
    sent = entities(Account(interactive).deliver(replace(FLOW, application=interactive)))

    (found,) = (each for each in sent if each["typeName"] == "databricks_process")
    assert found["relationshipAttributes"]["task"]["typeName"] == "databricks_notebook"
    assert "databricks_job" not in {each["typeName"] for each in sent}


def test_own_types_have_more_attributes_and_a_rerun_sends_nothing() -> None:
    account = Account(purview__process__types="own", purview__column__expressions="true")
    flow = replace(FLOW, run=replace(RUN, query_text="select 1", rows_written=3))
    sent = entities(account.deliver(flow))

    application, found = sent[0], sent[-1]
    assert (application["typeName"], found["typeName"]) == ("sac_kafka_application", "sac_kafka_process")
    assert found["relationshipAttributes"]["application"]["guid"] == application["guid"]
    assert found["attributes"]["queryText"] == "select 1"
    assert found["attributes"]["lastRunStatus"] == "succeeded"
    assert found["attributes"]["rowsWritten"] == 3
    read = (DatasetRead(dataset=FLOW.inputs[0].key, rows=4, files=1, bytes=812),)
    assert account.deliver(replace(flow, run=replace(flow.run, rows_written=4, read=read)), NOW + 1000) == []


def test_own_types_have_the_metrics_of_the_last_run_as_json() -> None:
    read = (DatasetRead(dataset=FLOW.inputs[0].key, rows=4, files=1, bytes=812),)
    run = replace(RUN, read=read, jobs=(3, 4), files_written=2, bytes_written=90)
    own = Account(purview__process__types="own")
    (found,) = processes(own.deliver(replace(FLOW, run=run)))
    details = json.loads(found["attributes"]["lastRunDetails"])
    assert details["read"] == [f"{FLOW.inputs[0].key}: rows=4 files=1 bytes=812"]
    assert (details["files_written"], details["bytes_written"], details["job_ids"]) == (2, 90, "3-4")
    assert (details["execution_id"], "failure" in details) == (RUN.execution_id, False)
    (update,) = own.deliver(replace(FLOW, run=Run(execution_id=9, failure="IllegalStateException")))
    failed = json.loads(update["entity"]["entity"]["attributes"]["lastRunDetails"])
    assert failed == {"failure": "IllegalStateException", "attempt": "1", "execution_id": 9}
    (built_in,) = processes(Account().deliver(replace(FLOW, run=run)))
    assert "lastRunDetails" not in built_in["attributes"]


def test_failed_run_is_sent_for_an_existing_flow_of_own_types_only() -> None:
    failed = replace(FLOW, run=Run(execution_id=9, failure="IllegalStateException"))
    account = Account(purview__process__types="own")

    assert account.deliver(failed) == []
    (found,) = processes(account.deliver(FLOW))
    (update,) = account.deliver(failed)
    assert update["type"] == "ENTITY_PARTIAL_UPDATE_V2"
    assert update["entityId"]["uniqueAttributes"]["qualifiedName"] == found["attributes"]["qualifiedName"]
    assert update["entity"]["entity"]["attributes"]["lastRunStatus"] == "failed"
    assert processes(account.deliver(FLOW))[0]["attributes"]["lastRunStatus"] == "succeeded"

    built_in = Account()
    built_in.deliver(FLOW)
    assert built_in.deliver(failed) == []


def test_failed_query_is_sent_also_for_a_new_flow() -> None:
    """Report a failed query for a new flow, too, because its writes succeeded."""
    stream = Stream(identity=("query", "q"), name="q", checkpoint=None, query_id="1", run_id="2")
    failed = replace(FLOW, run=Run(execution_id=9, failure="StreamingQueryException"), stream=stream)
    account = Account(purview__process__types="own")
    (found,) = processes(account.deliver(failed))
    assert found["attributes"]["lastRunStatus"] == "failed"
    (update,) = account.deliver(failed)
    assert update["type"] == "ENTITY_PARTIAL_UPDATE_V2"


def test_table_is_its_own_asset_and_that_of_its_location() -> None:
    out = table("totals", "id", "amount", location=f"{LAKE}/totals", table_type="EXTERNAL")
    into = table("sums", "id", "amount", location=f"{LAKE}/sums", table_type="EXTERNAL")
    (found,) = processes(Account().deliver(copy(out, into)))

    sources, sinks = ends(found, "inputs"), ends(found, "outputs")
    assert len(sources) == len(sinks) == 2
    assert {(source, sink) for source, sink, _, _ in mapping(found)} == set(zip(sources, sinks, strict=True))


@pytest.mark.parametrize(("tables", "expected"), [("table", 1), ("location", 1), ("both", 2)])
def test_asset_of_a_table_is_configurable(tables: str, expected: int) -> None:
    out = table("totals", "id", "amount", location=f"{LAKE}/totals", table_type="EXTERNAL")
    (found,) = processes(Account(purview__tables=tables).deliver(copy(ORDERS, out)))

    sinks = ends(found, "outputs")
    assert len(sinks) == expected
    assert any(name.startswith("https://") for name in sinks) == (tables != "table")


def test_column_without_sources_is_mapped_from_any_column() -> None:
    constant = ColumnLineage(dataset=TOTALS.key, column="loaded_at", sources=(), expression="current_timestamp()")
    (found,) = processes(Account().deliver(replace(FLOW, columns=(*FLOW.columns, constant))))

    assert ("*", CURATED, "*", "loaded_at") in mapping(found)


@pytest.mark.parametrize("influence", ["false", "true"])
def test_conditions_are_sources_only_if_enabled(influence: str) -> None:
    flag = ColumnLineage(
        dataset=TOTALS.key,
        column="flag",
        sources=(
            ColumnSource(ORDERS.key, "amount", Dependency.CONDITIONAL),
            ColumnSource(ORDERS.key, "id", Dependency.IDENTITY),
        ),
    )
    account = Account(purview__column__influence=influence)
    (found,) = processes(account.deliver(replace(FLOW, columns=(flag,))))

    columns = {source for _, _, source, _ in mapping(found)}
    assert columns == ({"id", "amount"} if influence == "true" else {"id"})


def test_the_name_of_a_job_is_never_an_error() -> None:
    jobs = ("half \ud800 of a pair", "half \ud801 of a pair", "a/b", "a%2Fb", "a->b\n#,@", "x" * 100_000)
    sent = [processes(Account(replace(FLOW.application, job=job)).deliver(_of_job(job))) for job in jobs]

    assert len({found["attributes"]["qualifiedName"] for (found,) in sent}) == len(jobs)


def _of_job(job: str) -> Process:
    return replace(FLOW, application=replace(FLOW.application, job=job))


def test_two_datasets_of_one_asset_are_sent_once() -> None:
    again = path(f"{LAKE}/orders/", "id", "amount")
    joined = process([ORDERS, again], [TOTALS], (*copies(ORDERS, TOTALS), *copies(again, TOTALS)))
    sent = entities(Account().deliver(joined))

    assert [each["attributes"]["qualifiedName"] for each in sent[:-1]] == [RAW, CURATED]
    assert mapping(sent[-1]) == {(RAW, CURATED, "id", "id"), (RAW, CURATED, "amount", "amount")}


def test_drops_are_sent_only_if_enabled() -> None:
    dropped = TableDropped(table=table("orders"))

    assert Account(DATABRICKS).deliver(dropped) == []
    (body,) = Account(DATABRICKS, purview__deletes="true").deliver(dropped)
    assert body["type"] == "ENTITY_DELETE_V2"
    assert body["entities"] == [
        {
            "typeName": "hive_table",
            "uniqueAttributes": {"qualifiedName": "sales.orders@adb-1234567890.1.azuredatabricks.net"},
        }
    ]


def test_dataset_without_a_rule_is_sent_and_counted() -> None:
    account = Account()
    (found,) = processes(account.deliver(copy(path("weird://somewhere/x", "id"), TOTALS)))

    (name,) = ends(found, "inputs")
    assert name
    assert sum(account.dialect.counts.values()) >= 1


def test_columns_beyond_the_size_of_a_property_go_to_further_processes() -> None:
    names = [f"a_column_with_a_long_name_{number:04}" for number in range(2000)]
    source, sink = path(f"{LAKE}/wide", *names), path(f"{LAKE}/narrow", *names)
    bodies = Account().deliver(copy(source, sink))

    found = processes(bodies)
    assert len(found) > 1
    assert len({each["attributes"]["qualifiedName"] for each in found}) == len(found)
    assert all(len(each["attributes"]["columnMapping"].encode()) + len("columnMapping") <= 32_000 for each in found)
    assert {column for each in found for _, _, column, _ in mapping(each)} == set(names)
    for body in bodies:
        there = {each["guid"] for each in body["entities"]["entities"]}
        (one,) = processes([body])
        assert all(end["guid"] in there for side in ("inputs", "outputs") for end in one["attributes"][side])


def test_a_name_that_no_property_holds_is_counted() -> None:
    source, sink = path(f"{LAKE}/a", "x" * 40_000), path(f"{LAKE}/b", "y")
    account = Account()
    (found,) = processes(account.deliver(copy(source, sink)))

    assert mapping(found) == set()
    assert account.dialect.counts["columns omitted from columnMapping"] == 1


def test_the_definition_of_a_view_belongs_to_the_view() -> None:
    view = table("cheap", "id", "amount", table_type="VIEW")
    flow = replace(copy(ORDERS, view), defines_view=True)
    here, there = (
        processes(Account().deliver(replace(flow, application=replace(flow.application, job=job))))
        for job in ("a", "b")
    )

    assert here[0]["attributes"]["qualifiedName"] == there[0]["attributes"]["qualifiedName"]


@pytest.mark.bad_messages  # the classification is one of the account's
def test_process_settings_apply_to_processes_only() -> None:
    account = Account(labels="daily", custom__attributes="team=sales", classifications="MICROSOFT.PERSONAL.NAME")
    *assets, sent = entities(account.deliver(FLOW))

    assert (sent["labels"], sent["customAttributes"]) == (["daily"], {"team": "sales"})
    assert sent["classifications"] == [{"typeName": "MICROSOFT.PERSONAL.NAME"}]
    assert not any({"labels", "customAttributes", "classifications"} & each.keys() for each in assets)


def test_unknown_columns_replace_the_known_ones() -> None:
    account = Account()
    account.deliver(FLOW)
    (found,) = processes(account.deliver(replace(FLOW, columns=(), extent=REPLACED)))

    assert found["attributes"]["columnMapping"] == "[]"


def test_processes_that_fewer_columns_do_not_need_become_empty() -> None:
    names = [f"{'wide' * 20}_{i}" for i in range(300)]
    wide = path(f"{LAKE}/orders", *names)
    flow = copy(wide, path("abfss://curated@contosolake.dfs.core.windows.net/totals", *names))
    account = Account()
    first, *more = processes(account.deliver(flow))
    masked = tuple(replace(c, sources=()) for c in flow.columns[:1])
    created, *updated = account.deliver(replace(flow, columns=masked, extent=REPLACED))

    (sent,) = processes([created])
    assert more
    assert mapping(sent) == {("*", CURATED, "*", names[0])}
    for old, body in zip(more, updated, strict=True):
        assert body["type"] == "ENTITY_PARTIAL_UPDATE_V2"
        assert body["entityId"]["uniqueAttributes"] == {"qualifiedName": old["attributes"]["qualifiedName"]}
        assert body["entity"]["entity"]["attributes"]["columnMapping"] == "[]"
    again = account.deliver(replace(flow, columns=masked, extent=REPLACED))
    assert again == []
    back = processes(account.deliver(replace(flow, extent=REPLACED)))
    assert [each["attributes"]["qualifiedName"] for each in back] == [
        each["attributes"]["qualifiedName"] for each in (first, *more)
    ]


def test_path_written_by_the_application_is_a_directory() -> None:
    account = Account()
    file_like = path(f"{LAKE}/orders.parquet", "id")
    (read,) = processes(account.deliver(copy(file_like, TOTALS)))
    (written,) = processes(account.deliver(copy(ORDERS, file_like)))
    (read_again,) = processes(account.deliver(copy(file_like, path(f"{LAKE}/sums", "id"))))

    assert ends(read, "inputs")[0].endswith("/orders.parquet")
    assert ends(read_again, "inputs") == ends(written, "outputs")


@pytest.mark.slow
def test_inputs_beyond_the_size_of_a_message_go_to_further_processes() -> None:
    inputs = [path(f"{LAKE}/{'x' * 480}/n{number:04}q", "id", "amount") for number in range(800)]
    columns = [each for source in inputs for each in copies(source, TOTALS)]
    account = Account()
    made = account.made(process(inputs, [TOTALS], columns))
    found = processes(json.loads(each.value)["message"] for each in made)

    assert max(len(each.value) for each in made) < 900_000
    assert len({each["attributes"]["qualifiedName"] for each in found}) == len(found) > 1
    assert len({name for each in found for name in ends(each, "inputs")}) == 800
    assert len({pair for each in found for pair in mapping(each)}) == 1600
    assert all(set(ends(each, "inputs")) >= {source for source, *_ in mapping(each)} for each in found)


def test_small_limit_of_a_message() -> None:
    inputs = [path(f"{LAKE}/{'y' * 150}/n{number:04}q", "id") for number in range(400)]
    account = Account()
    content = replace(account.context.content, message_max_bytes=250_000)
    account.context = replace(account.context, content=content)
    made = account.made(process(inputs, [TOTALS]))

    assert max(len(each.value) for each in made) <= 250_000
    found = processes(json.loads(each.value)["message"] for each in made)
    assert len({name for each in found for name in ends(each, "inputs")}) == 400
