"""Settings as arguments of `attach`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings, describe
from sac_kafka.settings.arguments import keyword_of, keywords, properties_of
from sac_kafka.settings.files.finding import Places
from sac_kafka.settings.files.reading import read_configuration


def test_every_key_has_a_keyword() -> None:
    keys = [key for each in describe() for key in each.keys]
    assert len({keyword_of(key) for key in keys}) == len(keys)
    assert all(name.isidentifier() for name in keywords())


@pytest.mark.parametrize(
    ("arguments", "properties"),
    [
        ({"job_name": "daily", "client_type": None}, {"atlas.hook.spark.job.name": "daily"}),
        ({"dataset_columns": False}, {"atlas.hook.spark.dataset.columns": "false"}),
        ({"exit_timeout_seconds": 2.5}, {"atlas.hook.spark.exit.timeout.seconds": "2.5"}),
        ({"hook_spool_dir": Path("/x")}, {"atlas.hook.spool.dir": "/x"}),
        ({"kafka_sasl_jaas_config": "x"}, {"atlas.kafka.sasl.jaas.config": "x"}),
        ({"atlas.metadata.namespace": "dev"}, {"atlas.metadata.namespace": "dev"}),
        ({"spark.atlas.metadata.namespace": "dev"}, {"atlas.metadata.namespace": "dev"}),
        ({"path_patterns": ("a", "b")}, {"atlas.hook.spark.path.patterns": "a,b"}),
    ],
)
def test_arguments_are_keys_and_texts(arguments: dict[str, object], properties: dict[str, str]) -> None:
    assert properties_of(arguments) == properties


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"jobname": "x"}, "attach(jobname=…): unknown setting; did you mean job_name?"),
        ({"hook_spark_job_name": "x"}, "attach(hook_spark_job_name=…): unknown setting; did you mean job_name?"),
        ({"atlas_client_type": "x"}, "attach(atlas_client_type=…): unknown setting; did you mean client_type?"),
        ({"namespace": "x"}, "attach(namespace=…): unknown setting; did you mean metadata_namespace?"),
        ({"zzz": "x"}, "attach(zzz=…): unknown setting; pass its full key as **{'atlas.…': …}"),
        ({"job_name": {"a": "secret"}}, "attach(job_name=…): unsupported type dict; pass a str, number, bool, path or list"),
    ],
)  # fmt: skip
def test_unknown_argument_is_reported_without_its_value(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        properties_of(arguments)
    assert str(error.value) == sentence


def test_arguments_count_more_than_spark_and_the_file(tmp_path: Path) -> None:
    file = tmp_path / "atlas-application.properties"
    file.write_text("atlas.hook.spark.job.name=file\natlas.client.type=console\natlas.metadata.namespace=file\n")
    places = Places(
        option=str(file),
        spark_conf={"spark.atlas.hook.spark.job.name": "spark", "spark.atlas.metadata.namespace": "spark"},
        arguments={"atlas.hook.spark.job.name": "call"},
    )
    read = read_configuration(places, {})
    settings = Settings.of(read)

    assert (settings.names.job_name, settings.names.namespace, settings.sink.client_type.value) == (
        "call",
        "spark",
        "console",
    )
    assert read.origins["atlas.hook.spark.job.name"] == "the call of attach"


def test_arguments_are_enough_without_a_file(tmp_path: Path) -> None:
    places = Places(working_directory=str(tmp_path), arguments={"atlas.client.type": "tape"})
    read = read_configuration(places, {})

    with pytest.raises(ConfigurationError, match=r"^the call of attach: atlas\.client\.type = tape: must"):
        Settings.of(read)
