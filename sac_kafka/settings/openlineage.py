"""Settings: OpenLineage events as an output."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import TEXT

URL_KEY = "atlas.hook.spark.openlineage.url"
TOKEN_KEY = "atlas.hook.spark.openlineage.token"  # noqa: S105 (the name of a setting)


@dataclass(frozen=True, kw_only=True, repr=False)
class OpenLineageReceiver(Subject):
    """The server that receives events over HTTP, and the names in them."""

    url: str | None = setting(
        URL_KEY,
        kind=TEXT,
        doc="For `atlas.client.type=openlineage`: the receiver, http://marquez.example.org:5000. `/api/v1/lineage` is added to a "
        "URL without a path.",
    )
    token: str | None = setting(
        TOKEN_KEY, kind=TEXT, secret=True, doc="A bearer token (`apiKey` of OpenLineage's clients) for that receiver."
    )
    metastore: str | None = setting(
        "atlas.hook.spark.openlineage.metastore",
        kind=TEXT,
        documented="hive://HOST:PORT of the session's metastore",
        doc="The namespace of tables: hive://HOST:PORT, `arn:aws:glue:REGION:ACCOUNT` or unitycatalog://HOST.",
    )
