"""Settings: the workspace of Databricks whose lineage `sac-kafka bridge --unity-catalog` reads."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.errors import WrongValuesError
from sac_kafka.settings.declarations.declaring import Subject, read_settings, setting
from sac_kafka.settings.declarations.values import NAME, PATH, TEXT, integer, seconds
from sac_kafka.settings.files.reading import Configuration


@dataclass(frozen=True, kw_only=True, repr=False)
class Unity(Subject):
    """Log-in at the workspace, its SQL warehouse, and how often and how far back lineage is read."""

    warehouse: str | None = setting(
        "atlas.bridge.unity.warehouse",
        kind=NAME,
        doc="The id of the SQL warehouse that runs the queries; needed by `sac-kafka bridge --unity-catalog`.",
    )
    token: str | None = setting(
        "atlas.bridge.unity.token",
        kind=TEXT,
        secret=True,
        doc="A personal access token of Databricks.",
    )
    client: str | None = setting(
        "atlas.bridge.unity.client.id",
        kind=NAME,
        doc="The client id of a service principal, instead of a token. Without either, a token of Microsoft Entra ID is "
        "requested by `atlas.hook.spark.entra.*`.",
    )
    client_secret: str | None = setting(
        "atlas.bridge.unity.client.secret",
        kind=TEXT,
        secret=True,
        doc="The OAuth secret of that service principal.",
    )
    ca_file: str | None = setting(
        "atlas.bridge.unity.ca.file",
        kind=PATH,
        documented="what the system trusts",
        doc="A PEM file of the CA certificates to trust for the workspace and the storage of results.",
    )
    schema: str = setting(
        "atlas.bridge.unity.schema",
        kind=NAME,
        default="system.access",
        doc="The schema with `table_lineage` and `column_lineage`: another one has views of them.",
    )
    since_days: int = setting(
        "atlas.bridge.unity.since.days",
        kind=integer(0, 395, "days"),
        default=7,
        doc="How far back the first run reads.",
    )
    overlap_hours: int = setting(
        "atlas.bridge.unity.overlap.hours",
        kind=integer(0, 720, "hours"),
        default=48,
        doc="How long rows that come late are looked for: an hour whose number of rows has changed is read again.",
    )
    delay_seconds: float = setting(
        "atlas.bridge.unity.delay.seconds",
        kind=seconds(0, 86_400),
        default=7_200.0,
        doc="How long after its end an hour is read, as Databricks writes the rows of one statement at different times.",
    )
    interval_seconds: float = setting(
        "atlas.bridge.unity.interval.seconds",
        kind=seconds(1, 86_400),
        default=900.0,
        doc="With `--follow`: the interval at which new rows are looked for.",
    )

    @classmethod
    def of(cls, configuration: Configuration) -> Unity:
        """Read the settings.

        Raises:
            WrongValuesError: Some values are invalid.
        """
        wrong: dict[str, str] = {}
        values = read_settings(
            cls,
            configuration.values,
            configuration.source,
            configuration.origins,
            repeated=configuration.repeated,
            wrong=wrong,
        )
        if wrong:
            raise WrongValuesError(*wrong.values(), keys=[*wrong])
        return cls(**values)
