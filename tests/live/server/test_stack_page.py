"""The test that docs/local-stack.md shows, run as it stands there."""

from __future__ import annotations

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.project.docs.blocks import ROOT, blocks

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]


def test_the_lineage_page_of_the_server(atlas_server: RunningAtlas) -> None:
    (shown,) = [block for block in blocks(ROOT / "docs" / "local-stack.md") if block.language == "python"]
    names: dict[str, object] = {}
    exec(compile(shown.text, shown.place, "exec"), names)
    test = names["test_it"]
    assert callable(test)
    test(atlas_server)
