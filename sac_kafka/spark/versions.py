"""Compare versions of Spark with the supported range."""

from __future__ import annotations

import re

OLDEST, NEWEST = (3, 5), (4, 3)
"""Range of supported versions; `java/driver/LineageListener.java` has the oldest one, too."""

SPAN = f"{'.'.join(map(str, OLDEST))} to {'.'.join(map(str, NEWEST))}"


def numbers(text: str) -> tuple[int, int]:
    """Return the first two numbers of a version.

    >>> numbers("4.3.0"), numbers("17"), numbers("3.5.1-amzn-0")
    ((4, 3), (17, 0), (3, 5))
    """
    found = [int(each) for each in re.findall(r"\d{1,6}", text[:40])[:2]]
    first, second, *_ = (*found, 0, 0)
    return first, second


def too_old(text: str) -> str | None:
    """Return the error for a version that is not supported, None for a newer one or a text without numbers.

    >>> too_old("3.3.0.3.3.7180.0-274"), too_old("3.5.9")
    ('Spark 3.3.0.3.3.7180.0-274 is too old: use Spark 3.5 to 4.3', None)
    """
    return f"Spark {text} is too old: use Spark {SPAN}" if (0, 0) < numbers(text) < OLDEST else None


def too_new(text: str) -> str | None:
    """Return the warning about a version that is newer than all tested ones, else None.

    >>> too_new("5.0.0"), too_new("4.3.1")
    ('Spark 5.0.0 is newer than the tested versions 3.5 to 4.3', None)
    """
    return f"Spark {text} is newer than the tested versions {SPAN}" if numbers(text) > NEWEST else None


def kafka_connector(spark: str, scala: str) -> str:
    """Return the Maven coordinates of Spark's Kafka connector: a vendor's build can use that of the release.

    >>> kafka_connector("3.5.1.3.5.7191000.0-1", "2.12.18")
    'org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1'
    """
    release = re.match(r"\d+\.\d+\.\d+", spark)
    return f"org.apache.spark:spark-sql-kafka-0-10_{'.'.join(scala.split('.')[:2])}:{release[0] if release else spark}"
