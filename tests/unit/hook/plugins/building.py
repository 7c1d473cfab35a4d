"""Build plug-ins and connectors: packages as pip installs them, Java classes as in a jar."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from stack import compiling
from stack.java import find_java

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs" / "plugins.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r'^\[project\.entry-points\."(.+)"\]\n(.+)$', re.MULTILINE)
COMPILED = ROOT / "build" / "connectors"


def blocks(language: str) -> list[str]:
    """Return the code blocks of the page in a language."""
    return [text for of, text in _BLOCK.findall(PAGE.read_text("utf-8")) if of == language]


def install(folder: Path, module: str, code: str, *, name: str, entry: str, group: str = "sac_kafka.plugins") -> None:
    """Put a package where `folder` is on the path: its one module, and what pip notes of it."""
    noted = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    noted.mkdir(parents=True)
    (noted / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (noted / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
    (folder / f"{module}.py").write_text(code)


def install_the_example(folder: Path) -> None:
    """Install the package of the page."""
    project, (code, _) = blocks("toml")[0], blocks("python")
    found = _ENTRY.search(project)
    assert found is not None
    install(folder, "acme_lineage", code, name="acme-lineage", group=found[1], entry=found[2].replace('"', ""))


def connector(name: str, class_path: Iterable[Path] = ()) -> Path:
    """Compile a connector of `java/` and return the folder of its classes."""
    import pyspark

    jars = [*(Path(pyspark.__file__).parent / "jars").glob("*.jar"), *class_path]
    sources = sorted((Path(__file__).parent / "java" / name).rglob("*.java"))
    joined, kind = os.pathsep.join(map(str, jars)), f"{name}-{pyspark.__version__}-"
    return compiling.compiled(
        f"the connector {name}", sources, COMPILED, java=find_java().path, class_path=joined, kind=kind
    )
