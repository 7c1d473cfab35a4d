"""`sac-kafka pack`: pack this virtual environment into an archive for Spark jobs on a cluster.

Packs the virtual environment in which this command is installed, without pyspark, which spark-submit provides, and prints the
complete command that submits a job with the archive to YARN: with the configuration, the files that it names, Kafka's Java client
and the keytab.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from sac_kafka.errors import NoConfigurationError, SacKafkaError
from sac_kafka.spark.installation import spark_to_submit
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.configured import Configured, add_options, read_with_options
from sac_kafka.tools.cli.output import print_masked, print_masked_json
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.cli.yarn_submission import CLIENT, CLUSTER, Submission, java_command, notes, python_command

SUFFIXES = (".tar.gz", ".tgz")
"""Spark and YARN choose how to unpack a file by its suffix."""
FROM_THE_CLUSTER = "pyspark"
"""Package that is not packed: it has hundreds of megabytes of jars, and `spark-submit` provides its own."""

PACKAGE = Path(__file__).resolve().parents[2]
DEFAULT_FILE = Path("env.tar.gz")


def check(prefix: Path) -> None:
    """Check that this environment is relocatable.

    Raises:
        SacKafkaError: It is not.
    """
    if (prefix / "conda-meta").is_dir():
        raise SacKafkaError(f"{prefix} is a conda environment: pack it with conda-pack -o env.tar.gz")
    if prefix == Path(sys.base_prefix) or not (prefix / "pyvenv.cfg").is_file():
        raise SacKafkaError(
            f"{prefix} is not a virtual environment: create one with python3 -m venv env, install sac_kafka and the job's "
            "packages into it, and run env/bin/sac-kafka pack"
        )
    if not PACKAGE.is_relative_to(prefix.resolve()):
        raise SacKafkaError(
            f"sac_kafka is in {PACKAGE.parent}, not in {prefix}: install it there, and unset PYTHONPATH"
        )
    for name in _editable(prefix):
        raise SacKafkaError(
            f"{name} is an editable install, so its code is not in the environment: install it without -e"
        )


def pack(prefix: Path, file: Path) -> int:
    """Write the archive atomically and return its size in bytes.

    Raises:
        SacKafkaError: The file cannot be written, or has an unsupported suffix.
    """
    if not file.name.endswith(SUFFIXES):
        raise SacKafkaError(f"{file}: unsupported suffix for Spark; use {' or '.join(SUFFIXES)}")
    folder = file.absolute().parent
    if not folder.is_dir():
        raise SacKafkaError(f"{file} cannot be written: the folder {folder} does not exist; create it first")
    own = os.path.realpath(file)  # unlike Path.resolve, it accepts circular links
    try:
        members = [*_members(prefix)]
        with _replacing(file) as temporary:
            with tarfile.open(temporary, "w:gz", compresslevel=6) as archive:
                for member in members:
                    if os.path.realpath(member) != own:
                        archive.add(member, member.relative_to(prefix), recursive=False)
            return temporary.stat().st_size
    except OSError as error:
        place = Path(error.filename or file)
        if error.filename2 is not None or place.name.startswith(_temporary_prefix(file)):
            raise SacKafkaError(f"{file} cannot be written: {error.strerror}; name another file with -o") from error
        raise SacKafkaError(f"{place} cannot be packed: {error.strerror}") from error


def _temporary_prefix(file: Path) -> str:
    return f".{file.name}."


@contextlib.contextmanager
def _replacing(file: Path) -> Iterator[Path]:
    """Yield a temporary file in the same folder that replaces `file` on success."""
    descriptor, name = tempfile.mkstemp(prefix=_temporary_prefix(file), dir=file.absolute().parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _members(prefix: Path) -> Iterator[Path]:
    """Yield all files and links in a stable order."""
    for folder, folders, files in os.walk(prefix, onerror=_fail):
        at = Path(folder)
        folders[:] = sorted(each for each in folders if not _is_excluded(at / each))
        links = [each for each in folders if (at / each).is_symlink()]
        yield from (at / each for each in sorted([*files, *links]))


def _fail(error: OSError) -> None:
    raise error


def _is_excluded(folder: Path) -> bool:
    return folder.name == FROM_THE_CLUSTER and folder.parent.name == "site-packages"


def _editable(prefix: Path) -> Iterator[str]:
    """Yield the editable distributions of an environment (PEP 610)."""
    for place in sorted(prefix.glob("lib/python*/site-packages")):
        for distribution in metadata.distributions(path=[str(place)]):
            with contextlib.suppress(ValueError, TypeError, LookupError):  # no or other metadata: not editable
                if json.loads(distribution.read_text("direct_url.json") or "{}")["dir_info"]["editable"]:
                    yield str(distribution.metadata["Name"])


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    command = add_command(
        commands, write_archive, "pack this Python environment for a cluster", "pack --output env.tar.gz"
    )
    add(command, "-o --output FILE", "the archive to write (default: %(default)s)", type=Path, default=DEFAULT_FILE)
    add(
        command,
        "--deploy-mode",
        "where the driver of the printed commands runs: on the cluster, or here (default: %(default)s)",
        choices=(CLUSTER, CLIENT),
        default=CLUSTER,
    )
    add(command, "--json", "print the archive and how to submit a job as JSON")
    add_options(command, has_destination=False)


def write_archive(arguments: argparse.Namespace) -> int:
    """Pack the environment and print how to use the archive."""
    prefix = Path(sys.prefix)
    interpreter = (prefix / "bin" / "python").resolve()  # every node needs it
    check(prefix)
    submission = _submission(arguments, prefix)
    with show_progress(f"packing {prefix}"):
        size = pack(prefix, arguments.output)
    version = ".".join(map(str, sys.version_info[:3]))
    python, java = python_command(submission), java_command(submission)
    if arguments.json:
        facts = {"prefix": str(prefix), "interpreter": str(interpreter), "python": version}
        submit = {"submit": " ".join(python), "submit_jar": " ".join(java), "notes": [*notes(submission)]}
        print_masked_json({"path": str(arguments.output), "bytes": size, **facts, **submit})
        return 0
    print_masked(f"{arguments.output}: {size / 1e6:.0f} MB, {prefix} without pyspark")
    print_masked(f"Every node needs {interpreter} (Python {version}), the base interpreter. Submit a job:\n")
    print_masked(" \\\n  ".join(python))
    print_masked("\nA main in Scala or Java:\n")
    print_masked(" \\\n  ".join(java))
    for note in notes(submission):
        print_masked(f"\n{note}")
    return 0


def _submission(arguments: argparse.Namespace, prefix: Path) -> Submission:
    """Return what the commands depend on; without a configuration on this machine they name its usual file."""
    configured: Configured | None = None
    try:
        configured = read_with_options(arguments)
    except NoConfigurationError:
        if arguments.conf_dir or arguments.conf_file:
            raise
    return Submission(
        archive=arguments.output,
        python=prefix / "bin" / "python",
        mode=arguments.deploy_mode,
        configured=configured,
        spark=spark_to_submit(),
    )
