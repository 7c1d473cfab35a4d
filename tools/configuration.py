"""Prints docs/configuration.md, from the declared settings: `python -m tools.configuration`."""

from __future__ import annotations

import sys

from sac_kafka.config.declaring import Setting, declared
from sac_kafka.settings import SUBJECTS
from sac_kafka.settings.kafka import Kafka

_HEAD = """\
<!-- Generated from sac_kafka/settings/: python -m tools.configuration > docs/configuration.md -->
# Configuration

The hook reads `atlas-application.properties`, the file that Atlas' own hooks read. It is looked for in this order:

1. what the JVM system property `atlas.properties` names, if there is such a file (a mere name is searched for below);
2. the JVM system property `atlas.conf`: a directory or a file, also as `file:/…` or `dbfs:/…`;
3. the environment variable `ATLAS_CONF`, likewise;
4. the working directory of the driver (`--files` in YARN cluster mode); a file of another user there is passed over, with
   a warning, unless that user is root: it might name code that the driver would load;
5. Spark's files (`--files` in local mode and on a standalone cluster);
6. the file of the same name in `spark.yarn.dist.files` and `spark.files` (YARN client mode), also by `#alias`;
7. the driver's class path, also inside of a jar.

As with Atlas, a directory that `atlas.conf` or `ATLAS_CONF` names excludes the other places. The driver's log says
which file was used and why, or where none was found.

To begin with, in your job's folder: `sac-kafka config --template > atlas-application.properties`. To see whether it is
right, without Spark:

<!-- runs: tests/cli/test_config_command.py, tests/cli/test_doctor_command.py -->
```sh
sac-kafka config [--conf-dir DIR | --file FILE] [--conf KEY=VALUE …] [--all] [--json]
sac-kafka doctor [--conf-dir DIR | --file FILE] [--conf KEY=VALUE …] [--send] [--json] [--timeout SECONDS]
sac-kafka config --explain NAME [--conf-dir DIR | --file FILE] [--conf KEY=VALUE …] [--json]
```

`config` prints what is in force: a summary in one line, each setting with the line that sets it, what the Kafka client is
made with, secrets masked, and warnings. Its exit status is 2 where the hook would not attach, unless it is switched off.
`--explain` says of a dataset, a job or a user whether it is [left out](leaving-out.md), and by which rule.
[`doctor`](doctor.md) goes there, step by step, and says what to do where something is wrong; it sends no message but with
`--send`. Its exit status is 0 where all is well, 1 where something is wrong (the configuration, too), 2 where it cannot tell,
because only a Spark driver could connect (Kerberos, JKS).
`--conf` is that of `spark-submit`; `-Datlas.conf=…` in `spark.driver.extraJavaOptions` counts, too.
`spark-defaults.conf` is not read.

Every key that begins with `atlas.` can be given as Spark configuration too: `spark.` + key overrides the file, as in
`--conf spark.atlas.hook.spark.job.name=daily_orders`; of `${…}` only `${sys:name}` and `${env:NAME}` are replaced there.
A key without a value counts as not set. A value that is not allowed, or that refers to a variable that is not set, is
one warning that names the file, the line, the key and what is allowed; the job then runs without lineage. Anything that
would silently change the connection is such an error, too: a misspelt `security.protocol`, a log-in without a protocol.
What has no effect is a warning with its line, and the key that is probably meant: a key that neither the hook, Kafka's
client, an Atlas server nor another hook of Atlas has, a key in another case or with an invisible character (a byte order
mark, a no-break space), a line without `=`, a last line that ends in a backslash. A value that holds a variable which
nothing has replaced (`$NAME`, `%NAME%`) is a warning, too.

The file is read by the rules of commons-configuration 1.10, as Atlas reads it. The surprising ones: a comma makes a
list, whose elements lose their blanks (`\\,` is a comma); a backslash is written `\\\\`; a comment stands on a line of its
own; `${sys:name}`, `${env:NAME}` and `${key}` are replaced, `$ConnectionString` stays; `include=other.properties` loads
another file. Friendlier than there: the file may be UTF-8, or UTF-16 with a byte order mark, and a variable of the
environment is taken whole, also with commas in it.

A key that is set again, with another value (an included file counts, too):

* A list has the values of all lines: `labels`, `classifications`, `custom.attributes`, `path.kept`, `path.folded`,
  `path.patterns`, `include`, `exclude`, the addresses of `rest`.
* A key with one value is a warning that names the lines and the value that counts: the first, and for
  `atlas.metadata.namespace` and `atlas.cluster.name` the last, as in Atlas.
* `atlas.kafka.*` and `atlas.jaas.*` are an error where they have a part in the connection: Atlas' hooks hand Kafka the
  values joined by a comma, which is no value that anybody has meant.

The same value again is no matter, nor is a line without a value.
"""

_KAFKA_ROWS = """\
| `atlas.kafka.*` | settings of Kafka's Java producer | | `bootstrap.servers`, `security.protocol`, `sasl.mechanism`, \
`sasl.jaas.config`, `ssl.truststore.*` and the others, as for every Atlas hook. They are translated for librdkafka; \
what has no meaning there is ignored, and an unknown key is a warning. |
| `atlas.kafka.librdkafka.*` | settings of librdkafka | | Passed on unchanged, after everything else. |
| `atlas.jaas.KafkaClient.*` | login module, flag, options | | `loginModuleName`, `loginModuleControlFlag` and \
`option.<name>`, used where `atlas.kafka.sasl.jaas.config` is not set; also the indexed form `KafkaClient.0.…`, and \
`ticketBased-KafkaClient.*` where the driver's Hadoop login is by ticket. |
"""
_TABLE = "\n## {title}\n\n| Key | Value | Default | Meaning |\n|---|---|---|---|\n"


def page() -> str:
    """Give the page as Markdown."""
    return _HEAD + "".join(_table(title, subject) for title, subject in SUBJECTS)


def _table(title: str, subject: type) -> str:
    rows = "".join(_row(each) for _, each in declared(subject))
    return _TABLE.format(title=title) + rows + (_KAFKA_ROWS if subject is Kafka else "")


def _row(setting: Setting) -> str:
    keys = ", else ".join(f"`{key}`" for key in setting.keys)
    plain = not setting.default or " " in setting.default or setting.default.startswith("`")
    default = setting.default if plain else f"`{setting.default}`"
    kind = f"{setting.unit}: {setting.kind.name}" if setting.unit else setting.kind.name
    return "| " + " | ".join((keys, kind, default, setting.doc)) + " |\n"


if __name__ == "__main__":
    sys.stdout.write(page())
