"""Provides the Atlas server unpacked in the user's cache: the pinned war is fetched once and unpacked whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from stack import jars
from stack.files import locked

ATLAS = "atlas-2.1.0"
SOLR_CONFIGURATION = "solr/core-template/"


def provide_web_application() -> Path:
    """Return the folder of the unpacked war; it has `WEB-INF` and `solr/core-template`, a Solr core's configuration.

    Raises:
        StackError: The war cannot be had; the message names what failed and the fix.
    """
    folder = jars.cache_folder(f"{ATLAS}-unpacked")
    if not folder.is_dir():
        with locked(folder.with_name(f"{folder.name}.lock"), jars.LOCK_TIMEOUT_SECONDS):
            if not folder.is_dir():  # looked at again: another process may just have unpacked it
                found = jars.provide(ATLAS)
                unpack(found.folder / found.jars[0].file_name, folder)
                if not os.environ.get(jars.GIVEN_FOLDER):
                    shutil.rmtree(found.folder)  # 290 MB that are not needed any more
    return folder


def unpack(war: Path, folder: Path) -> None:
    """Unpack the war and the Solr configuration inside it, into another folder first, then rename."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=folder.parent, ignore_cleanup_errors=True) as place:
        whole = Path(place) / "webapp"
        with zipfile.ZipFile(war) as archive:
            archive.extractall(whole)
        (runner,) = (whole / "WEB-INF" / "lib").glob("atlas-testtools-*.jar")
        with zipfile.ZipFile(runner) as archive:
            archive.extractall(whole, [name for name in archive.namelist() if name.startswith(SOLR_CONFIGURATION)])
        whole.rename(folder)
