"""Project files other than code: valid workflows, hooks without downloads, valid links."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

from tests.helpers.every_row import every_row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(p for folder in (".", ".github") for p in (ROOT / folder).glob("*.md")),
    *(p for folder in ("docs", "benchmarks", "demo", "tests") for p in (ROOT / folder).rglob("*.md")),
]
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


def test_a_workflow_is_valid_and_runs_what_a_developer_runs() -> None:
    files = sorted((ROOT / ".github" / "workflows").iterdir())
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-workflows",
        *map(str, files),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    jobs = {file.name: yaml.safe_load(file.read_text("utf-8"))["jobs"].values() for file in files}
    commands = {
        name: [step["run"] for job in them for step in job["steps"] if "run" in step] for name, them in jobs.items()
    }
    assert commands == {"ci.yml": [".ci/run"], "release.yml": ["make release-check"]}
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_hooks_are_the_checks_and_fetch_nothing() -> None:
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [each["repo"] for each in repositories] == ["local"]
    programs = {hook["entry"].split()[0] for hook in repositories[0]["hooks"]}
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ncheck:")[2].partition("\nrecord:")[0]
    assert programs == set(re.findall(r"\$\(BIN\)/([\w-]+)", recipe))
    assert {hook["language"] for hook in repositories[0]["hooks"]} == {"system"}


def test_tests_have_the_packages_of_all_extras_and_the_wheel_has_none() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    made_by_make = {"spark"}
    of_extras = {each for name, them in extras.items() if name not in made_by_make for each in them}
    assert of_extras <= set(project["dependency-groups"]["dev"])
    needed = {re.split(r"[<>=; ]", each)[0] for each in project["project"]["dependencies"]}
    assert needed == {"confluent-kafka", "fastavro", "tomli"}


@every_row("page", PAGES, label=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    lost = [link for link in _LINK.findall(text) if "://" not in link and not _is_there(page, link)]
    assert lost == []


def _is_there(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# What's here\n")
    assert [_is_there(page, link) for link in ("#whats-here", "page.md", "#gone", "gone.md")] == [
        True,
        True,
        False,
        False,
    ]
