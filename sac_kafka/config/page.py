"""Writes docs/configuration.md from the declared settings. Called by `python -m sac_kafka.settings` only."""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.config.declaring import Setting

_HEAD = """\
<!-- Generated from sac_kafka/settings.py: python -m sac_kafka.settings > docs/configuration.md -->
# Configuration

The hook reads `atlas-application.properties`, the file that Atlas' own hooks read. It is looked for in this order:
the JVM system property `atlas.conf` (a directory or a file), the environment variable `ATLAS_CONF` (likewise), the
working directory, Spark's files (`--files`), the file of the same name in `spark.yarn.dist.files` and `spark.files`,
the class path. The driver's log says which file was used.

Every key can be given as Spark configuration too: `spark.` + key overrides the file, as in
`--conf spark.atlas.hook.spark.job.name=daily_orders`. A key without a value counts as not set. A value that is not
allowed is one warning that names the file, the key and what is allowed; the job then runs without lineage.

| Key | Value | Default | Meaning |
|---|---|---|---|
"""

_KAFKA = """\
| `atlas.kafka.*` | settings of Kafka's Java producer | | `bootstrap.servers`, `security.protocol`, `sasl.mechanism`, \
`sasl.jaas.config`, `ssl.truststore.*` and the others, as for every Atlas hook. They are translated for librdkafka; \
what means nothing there is ignored, an unknown key is a warning. |
| `atlas.kafka.librdkafka.*` | settings of librdkafka | | Passed on as they are, after everything else. |
"""


def page(settings: Iterable[Setting]) -> str:
    """Give the page as Markdown."""
    return _HEAD + "".join(map(_row, settings)) + _KAFKA


def _row(setting: Setting) -> str:
    keys = ", else ".join(f"`{key}`" for key in setting.keys)
    default = setting.default if not setting.default or " " in setting.default else f"`{setting.default}`"
    kind = f"{setting.unit}: {setting.kind.name}" if setting.unit else setting.kind.name
    return "| " + " | ".join((keys, kind, default, setting.doc)) + " |\n"
