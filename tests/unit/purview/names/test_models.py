"""Models in Purview: a folder in every flow, whatever it contains."""

from __future__ import annotations

import pytest

from sac_kafka.model import ModelDataset
from sac_kafka.purview.names import asset
from sac_kafka.purview.naming_context import NamingContext
from tests.unit.atlas.flows import path, process
from tests.unit.purview.account import LAKE, Account, ends, processes


@pytest.mark.parametrize(
    ("location", "type_name", "qualified_name"),
    [
        (
            "abfss://ml@acct.dfs.core.windows.net/models/churn",
            "azure_datalake_gen2_path",
            "https://acct.dfs.core.windows.net/ml/models/churn/",
        ),
        ("s3a://lake/models/churn", "aws_s3_v2_directory", "s3://lake/models/churn/"),
        ("hdfs://nn1/models/churn", "DataSet", "hdfs://nn1/models/churn@primary"),
    ],
)
def test_a_model_is_a_folder(location: str, type_name: str, qualified_name: str) -> None:
    found = {
        asset(ModelDataset(path=location, is_directory=directory), NamingContext(), is_output=output)
        for directory in (True, False)
        for output in (True, False)
    }
    assert {(each.type_name, each.qualified_name, each.name) for each in found} == {
        (type_name, qualified_name, "churn")
    }


def test_a_training_is_a_flow_to_the_folder_and_a_scoring_one_from_it() -> None:
    location = f"{LAKE}/models/churn"
    model, directory = ModelDataset(path=location), ModelDataset(path=location, is_directory=True)
    orders, scored = path(f"{LAKE}/orders", "id"), path(f"{LAKE}/scored", "id")
    folder = "https://contosolake.dfs.core.windows.net/raw/models/churn/"
    account = Account()
    training = account.deliver(process([orders], [directory, model]))
    scoring = account.deliver(process([model, orders], [scored]))
    assert ends(processes(training)[0], "outputs") == [folder]
    assert folder in ends(processes(scoring)[0], "inputs")
