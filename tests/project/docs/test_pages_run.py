"""Examples of pages are run as by a reader: the blocks of a page in order, in one folder, without a Spark or a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.emitting.session import close_all
from sac_kafka.hook.recording import recorded_application
from sac_kafka.tools.cli.main import main
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION
from tests.project.docs.blocks import PAGES, ROOT, Block, blocks
from tests.project.docs.commands import missing, shown, words

HERE = ("runs", "file")
RUN = [page for page in PAGES if any(b.mark and b.mark.kind == "runs" and not b.mark.argument for b in blocks(page))]


def prepare(folder: Path) -> None:
    """Make what every page may use: a recorded batch, and its messages, one per line."""
    batch = (BATCHES / owed()[1] / "join.txt").read_text("utf-8")
    (folder / "batch.txt").write_text(f"{recorded_application(APPLICATION)}\n{batch}", "utf-8")


@pytest.fixture
def ended_sessions() -> Iterator[None]:
    """End what a page has emitted: `sac_kafka.flush` of a later test would see it."""
    yield
    close_all()


@pytest.mark.usefixtures("ended_sessions")
@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    prepare(tmp_path)
    assert main(["replay", "batch.txt", "--json"]) == 0
    (tmp_path / "messages.jsonl").write_text(capsys.readouterr().out, "utf-8")
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.mark is None or block.mark.kind not in HERE or (block.mark.kind == "runs" and block.mark.argument):
            continue
        if block.mark.kind == "file":
            file = Path(block.mark.argument)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, "utf-8")
        elif block.language == "python":
            exec(compile(block.text, block.place, "exec"), names)
        else:
            run(block, capsys)


def run(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the commands of a block. The output must have the lines of a console in this order; `…` stands for anything."""
    for each in shown(block.text, is_console=block.language == "console"):
        status, printed = run_command(each.command, capsys)
        assert status in (0, 1), f"{block.place}: {each.command}: {printed}"
        assert missing(each, printed.replace(f"{Path.cwd()}/", "")) == [], f"{block.place}: {printed}"


def run_command(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command in this process: `sac-kafka …`, with `> FILE` or `| head` behind it, and nothing else."""
    found = words(command)
    assert found[0] == "sac-kafka", f"only sac-kafka is run here, not {command}"
    end = next((i for i, word in enumerate(found) if word in (">", "|")), len(found))
    status = main(found[1:end])
    captured = capsys.readouterr()
    if status not in (0, 1):
        return status, captured.err
    match found[end:]:
        case []:
            return status, captured.out
        case [">", name]:
            Path(name).write_text(captured.out, "utf-8")
            return status, ""
        case ["|", "head", *number]:
            most = int(number[0].lstrip("-n")) if number else 10
            return status, "\n".join(captured.out.splitlines()[:most])
        case rest:
            raise AssertionError(f"{' '.join(rest)}: > FILE or | head, no more")
