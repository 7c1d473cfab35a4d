"""Print docs/configuration.md, generated from the declared settings: `python -m dev.configuration`."""

from __future__ import annotations

import re
import sys

from sac_kafka.settings import SUBJECTS
from sac_kafka.settings.declarations.declaring import Setting, declared_settings
from sac_kafka.settings.declarations.values import BOOLEAN
from sac_kafka.settings.kafka import Kafka

_HEAD = """\
<!-- Generated from sac_kafka/settings/: python -m dev.configuration > docs/configuration.md -->
# Configuration

The hook reads `atlas-application.properties`, the file that Atlas' own hooks read.
It uses the first file found in these places:

1. the path in the JVM system property `atlas.properties`;
2. the directory or file in the JVM system property `atlas.conf`, also as `file:/…` or `dbfs:/…`;
3. the directory or file in the environment variable `ATLAS_CONF`, likewise;
4. the working directory of the driver (`--files` in YARN cluster mode).
   A file that belongs neither to root nor to the driver's user is ignored, with a warning;
5. Spark's files (`--files` in local mode and on a standalone cluster);
6. the file of the same name in `spark.yarn.dist.files` and `spark.files` (YARN client mode), also by `#alias`;
7. the driver's class path, also inside a JAR.

As in Atlas, if `atlas.conf` or `ATLAS_CONF` is set, only that place is searched.

To start, in your job's folder: `sac-kafka config --template > atlas-application.properties`.
To check the file without Spark:

<!-- runs: tests/unit/tools/cli/test_config_command.py, tests/unit/tools/cli/test_doctor_command.py -->
```sh
sac-kafka config [--conf-dir DIR | --conf-file FILE] [--conf KEY=VALUE …] [--all] [--json]
sac-kafka doctor [--conf-dir DIR | --conf-file FILE] [--conf KEY=VALUE …] [--send] [--json] [--timeout SECONDS]
sac-kafka config --explain NAME [--conf-dir DIR | --conf-file FILE] [--conf KEY=VALUE …] [--json]
```

`config` prints each setting with the line that sets it, the properties of the Kafka client with secrets masked, and warnings.
Its exit status is 2 if the hook would not attach.
`--explain` reports whether a dataset, a job or a user is [excluded](filters.md); [`doctor`](doctor.md) checks the connection.
`--conf` has the syntax of `spark-submit`; `spark-defaults.conf` is not read.

Every key that begins with `atlas.` can also be set in Spark's configuration: `spark.` + key overrides the file, as in
`--conf spark.atlas.hook.spark.job.name=daily_orders`. There, only `${sys:name}` and `${env:NAME}` are replaced.

An empty value counts as not set.
An invalid value, or a misspelt key that would silently change the connection, is reported in one
warning with the file, the line, the key and the fix; the job then runs without lineage.

Warnings name lines without effect, such as misspelt keys, and suspicious values.

The file is parsed by the rules of commons-configuration 1.10, as in Atlas:

* A comma separates the elements of a list, without the blanks around it (`\\,` is a literal comma).
  A backslash is written `\\\\`.
* Comments are on separate lines. `include=other.properties` loads another file.
* `${sys:name}`, `${env:NAME}` and `${key}` are replaced, `$ConnectionString` is not.
* Unlike in Atlas, the file may be UTF-8, or UTF-16 with a byte order mark.

If a key is set several times with different values:

* Lists are joined (the prefix `atlas.hook.spark.` is omitted here): `labels`, `classifications`, `custom.attributes`,
  `catalog.names`, `path.aliases`, `path.kept`, `path.folded`, `path.patterns`, `include`, `exclude`;
  also `atlas.rest.address` and `atlas.hook.rest.notification.address`.
* For a single value, a warning names the lines and the effective value: the first, or, as in Atlas, the last for
  `atlas.metadata.namespace` and `atlas.cluster.name`.
* For `atlas.kafka.*` and `atlas.jaas.*` it is an error if they affect the connection.
"""

_KAFKA_ROWS = """\
| `atlas.kafka.*` | settings of Kafka's Java producer | `bootstrap.servers`, `security.protocol`, `sasl.mechanism`, \
`sasl.jaas.config`, `ssl.truststore.*` and others, as for every Atlas hook ([connecting](connecting.md)) |
| `atlas.kafka.librdkafka.*` | settings of librdkafka | Passed to librdkafka unchanged; they override all other settings. |
| `atlas.jaas.KafkaClient.*` | login module, flag, options | `loginModuleName`, `loginModuleControlFlag` and \
`option.<name>`, used if `atlas.kafka.sasl.jaas.config` is not set; also `KafkaClient.0.…` and \
`ticketBased-KafkaClient.*` ([Kerberos](kerberos.md)). |
"""
_TABLE = "\n## {title}\n\n| Key | Value; default | Meaning |\n|---|---|---|\n"


def page() -> str:
    """Render the page as Markdown."""
    return _HEAD + "".join(_table(title, subject) for title, subject in SUBJECTS)


def _table(title: str, subject: type) -> str:
    rows = "".join(_row(each) for _, each in declared_settings(subject))
    return _TABLE.format(title=title) + rows + (_KAFKA_ROWS if subject is Kafka else "")


def _row(setting: Setting) -> str:
    keys = ", else ".join(f"`{key}`" for key in setting.keys)
    plain = not setting.default or " " in setting.default or setting.default.startswith("`")
    default = setting.default if plain else f"`{setting.default}`"
    name = (
        "boolean"
        if setting.kind is BOOLEAN
        else re.sub("` or `|integer, |number, ", lambda found: "`, `" if "`" in found[0] else "", setting.kind.name)
    )
    kind = f"{setting.kind.unit}: {name}" if setting.kind.unit else name
    return f"| {keys} | {kind}{f'; {default}' if default else ''} | {setting.doc} |\n"


if __name__ == "__main__":
    sys.stdout.write(page())
