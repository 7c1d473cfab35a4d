"""`sac-kafka check`: see whether lineage would get through: settings, connection, log-in, topic, permission, types.

No message is sent. The exit status is 1 where something is wrong, the configuration included, and 2 where that cannot be
told: only a Spark driver could connect.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from sac_kafka.atlas.types.comparison import Cure, differences
from sac_kafka.atlas.types.definitions import types_def
from sac_kafka.atlas.types.sent import SENT
from sac_kafka.cli.configured import Configured, add_options, complaining, read_configured
from sac_kafka.cli.help_texts import description
from sac_kafka.cli.places_on_disk import problems_on_disk
from sac_kafka.cli.purview_server import PurviewServer
from sac_kafka.cli.rest import TYPEDEFS, Server, server_of
from sac_kafka.cli.saying import say, without_log
from sac_kafka.cli.seconds import seconds
from sac_kafka.config.choices import ProcessTypes
from sac_kafka.dialects import check_dialect, is_purview
from sac_kafka.errors import ConfigurationError, SacKafkaError, WrongValuesError
from sac_kafka.purview.types.comparison import account_differences
from sac_kafka.purview.types.definitions import OWN, built_in
from sac_kafka.settings import Settings
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.sinks.purview import data_map_of
from sac_kafka.transport.sinks.sink import Finding, Peer, Verdict
from sac_kafka.transport.spool.directory import found_directory

WRONG = 1
UNTOLD = 2
_SHOWN = 4


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    check = commands.add_parser(
        "check", help="whether lineage would get through, step by step", description=description(__doc__)
    )
    add_options(check)
    check.add_argument(
        "--timeout",
        type=seconds,
        default=15.0,
        metavar="SECONDS",
        help="how long a server may take to answer (default: %(default)g)",
    )
    check.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write a line for each step, as soon as it is done."""
    verdicts = set()
    with without_log():
        for step in _all_steps(arguments):
            verdicts.add(step.verdict)
            say(f"{step.verdict.value:<5} {step.name:<14} {step.text}")
    return WRONG if Verdict.WRONG in verdicts else UNTOLD if Verdict.UNTOLD in verdicts else 0


def _all_steps(arguments: argparse.Namespace) -> Iterator[Finding]:
    doubts: list[str] = []
    try:
        configured = read_configured(arguments, doubts.append)
        with configured.settings.source.placing(), complaining(configured.doubts, doubts.append):
            asking = _asking(configured.settings, arguments.timeout)
    except ConfigurationError as error:
        yield from (Finding(Verdict.DOUBT, "configuration", doubt) for doubt in doubts)
        sentences = error.sentences if isinstance(error, WrongValuesError) else (str(error),)
        yield from (Finding(Verdict.WRONG, "configuration", each) for each in sentences)
        return
    yield from _steps(configured, asking, arguments.timeout)


def _asking(settings: Settings, timeout_seconds: float) -> Iterator[Finding]:
    """What is found at the sink; what is wrong with its settings is told before the first of it."""
    if not settings.sink.enabled:
        return iter(())
    check_dialect(settings)
    sink = sink_of(settings)
    if sink.check is not None:
        return sink.check(settings, timeout_seconds)
    make_transport(settings)
    return iter((Finding(Verdict.GOOD, "sink", sink.shown(settings)),))


def _steps(configured: Configured, asking: Iterator[Finding], timeout_seconds: float) -> Iterator[Finding]:
    settings = configured.settings
    yield Finding(Verdict.GOOD, "configuration", settings.source.text)
    yield from (Finding(Verdict.DOUBT, "configuration", doubt) for doubt in configured.doubts)
    if not settings.sink.enabled:
        yield Finding(Verdict.WRONG, "configuration", "atlas.spark.enabled = false switches the hook off; remove it")
        return
    yield _names(settings)
    yield from _spool(settings)
    peer = sink_of(settings).peer
    try:
        for step in asking:
            yield step
            if step.verdict is Verdict.WRONG and peer in {Peer.ATLAS, Peer.PURVIEW}:
                return  # the types are asked of the same server
        if peer is Peer.PURVIEW:
            yield _account_types(settings, timeout_seconds)
            return
        if is_purview(settings):
            yield _types_of_purview(settings)  # what atlas.rest.address names has other types, or is the account
            return
        server = server_of(configured, timeout_seconds)
    except ConfigurationError as error:
        yield Finding(Verdict.WRONG, "configuration", settings.source.placed(str(error)))
        return
    if server is not None:
        yield _types(server)
    elif peer is Peer.BROKER:
        yield Finding(Verdict.SKIPPED, "types", "not looked at: set atlas.rest.address to have them compared")


def _names(settings: Settings) -> Finding:
    if settings.names.namespace_is_default:
        text = "atlas.metadata.namespace is not set, so names end in @primary; set it to the name of this environment"
        return Finding(Verdict.DOUBT, "names", text)
    whose = "those of Purview's scans; what none scans ends" if is_purview(settings) else "end"
    return Finding(Verdict.GOOD, "names", f"{whose} in @{settings.names.namespace}")


def _spool(settings: Settings) -> Iterator[Finding]:
    problems = problems_on_disk(settings)
    yield from (Finding(Verdict.WRONG, "disk", problem) for problem in problems)
    if not settings.spool.enabled:
        yield Finding(Verdict.DOUBT, "spool", "atlas.hook.spool.enabled = false: what cannot be delivered is lost")
    elif not problems:
        yield Finding(Verdict.GOOD, "spool", f"{found_directory(settings.spool.dir)} can be written")


def _types_of_purview(settings: Settings) -> Finding:
    if settings.purview.process_types is ProcessTypes.OWN:
        text = "not looked at: sac-kafka types diff --account NAME says whether the account has those of processes"
        return Finding(Verdict.SKIPPED, "types", text)
    return Finding(Verdict.SKIPPED, "types", "not looked at: processes have types that every account has")


def _types(server: Server) -> Finding:
    try:
        found = differences(types_def(), server.get(TYPEDEFS))
    except SacKafkaError as error:
        return Finding(Verdict.WRONG, "types", str(error))
    lacking = {each.type_name for each in found if each.cure is Cure.CREATE and each.type_name in SENT}
    return _lacks(server.address, lacking, "add them: sac-kafka types apply")


def _account_types(settings: Settings, timeout_seconds: float) -> Finding:
    """Of built-in types it is known of some only from what others wrote: an account without them is no error by itself."""
    server = data_map_of(settings)
    is_own = settings.purview.process_types is ProcessTypes.OWN
    try:
        theirs = PurviewServer(server, timeout_seconds).get(TYPEDEFS)
        found = account_differences([OWN] if is_own else built_in(), theirs)
    except SacKafkaError as error:
        return Finding(Verdict.WRONG, "types", str(error))
    if is_own:
        return _lacks(server.address, {each.type_name for each in found}, "add them: sac-kafka types apply")
    lacking = {each.type_name for each in found}
    return _lacks(server.address, lacking, "messages with these are set aside", Verdict.DOUBT)


def _lacks(address: str, lacking: set[str], cure: str, verdict: Verdict = Verdict.WRONG) -> Finding:
    if not lacking:
        return Finding(Verdict.GOOD, "types", f"{address} has all of them")
    more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
    return Finding(verdict, "types", f"{address} lacks {', '.join(sorted(lacking)[:_SHOWN])}{more}; {cure}")
