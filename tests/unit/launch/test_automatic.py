"""Start-up of every interpreter that has the wheel installed: it costs nothing, breaks nothing, and detects SparkContext."""

from __future__ import annotations

import copy
import functools
import importlib
import logging
import os
import subprocess
import sys
import types
import zipfile
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sac_kafka_auto
from sac_kafka.hook import hook
from tests.unit.launch.starting import INSTALLED

PTH = INSTALLED / "sac_kafka_auto.pth"
CONTEXT = """
class SparkContext:
    '''Makes contexts.'''
    def __init__(self, *args, **kwargs):
        self._do_init(*args, **kwargs)
    def _do_init(self, conf=None, fails=False):
        '''Make one.'''
        if fails:
            raise ValueError("no master")
        self._conf = dict(conf or {})
"""


def started(folder: Path, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start an interpreter whose site-packages are `folder`."""
    start = f"import site, sys; before = set(sys.modules); site.addsitedir({str(folder)!r}); {code}"
    known = {key: value for key, value in os.environ.items() if key not in ("SAC_KAFKA_AUTO", "PYTHONPATH")}
    command = [sys.executable, "-S", "-c", start]
    return subprocess.run(command, env=known | variables, capture_output=True, text=True, check=True, cwd=folder)


def copied(folder: Path, module: str | None) -> Path:
    """Create a folder with the start-up line of every interpreter and a module with the given text."""
    (folder / PTH.name).write_text(PTH.read_text())
    if module is not None:
        (folder / "sac_kafka_auto.py").write_text(module)
    return folder


def test_interpreter_loads_only_one_module(tmp_path: Path) -> None:
    folder = copied(tmp_path, Path(sac_kafka_auto.__file__).read_text())

    done = started(folder, "print(*sorted(set(sys.modules) - before))")

    loaded = {each for each in done.stdout.split() if not each.startswith("encodings.")}  # which ones is the locale's
    assert loaded == {"sac_kafka_auto"}
    assert done.stderr == ""


@pytest.mark.parametrize("module", [None, "import nothing_of_this_name", "raise OSError('gone')", "def half("])
def test_remains_of_an_uninstalled_wheel_break_no_interpreter(module: str | None, tmp_path: Path) -> None:
    done = started(copied(tmp_path, module), "print('runs')")

    assert (done.stdout, done.stderr) == ("runs\n", "")


@pytest.mark.parametrize("off", ["0", "false", "No", " off "])
def test_switched_off_nothing_is_watched(off: str, tmp_path: Path) -> None:
    folder = copied(tmp_path, Path(sac_kafka_auto.__file__).read_text())
    code = "print([each for each in sys.meta_path if 'sac_kafka' in str(each)])"

    assert started(folder, code, SAC_KAFKA_AUTO=off).stdout == "[]\n"
    assert started(folder, code).stdout != "[]\n"


Attached = list[Any]


@pytest.fixture
def attached(monkeypatch: pytest.MonkeyPatch) -> Iterator[Attached]:
    """Collect the contexts that are attached to; forget the modules of the test's PySpark afterwards."""
    contexts: Attached = []
    monkeypatch.setattr(hook, "attach_automatically", contexts.append)
    monkeypatch.delenv("SAC_KAFKA_AUTO", raising=False)
    monkeypatch.setattr(sys, "meta_path", [each for each in sys.meta_path if type(each).__name__ != "Finder"])
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "pyspark"}
    yield contexts
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        del sys.modules[name]
    sys.modules.update(kept)


@pytest.fixture(params=["pyspark/context.py", "pyspark/core/context.py", "zip"])
def context_class(
    request: pytest.FixtureRequest, attached: Attached, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> type:
    """Return the context class of a PySpark in a folder (older or newer form) or zip file, loaded while it is watched for."""
    file = "pyspark/core/context.py" if request.param == "zip" else request.param
    files = {"pyspark/__init__.py": "", "pyspark/core/__init__.py": "", "pyspark/rdd.py": "", file: CONTEXT}
    path = tmp_path
    if request.param == "zip":
        path = tmp_path / "pyspark.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    else:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(path))
    importlib.invalidate_caches()
    sac_kafka_auto.install()
    module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
    importlib.import_module("pyspark.rdd")  # of a zip file the same loader loads it
    assert module.__spec__ is not None
    assert not isinstance(module.__spec__.loader, sac_kafka_auto.Loader)  # removed once its work is done
    return module.SparkContext


def test_context_is_attached_if_the_environment_enables_it(
    context_class: Callable[..., Any], attached: Attached, monkeypatch: pytest.MonkeyPatch
) -> None:
    context_class()
    assert attached == []
    monkeypatch.setenv("SAC_KAFKA_AUTO", "1")

    context = context_class()
    assert attached == [context]
    assert context_class._do_init.__doc__ == "Make one."


@pytest.mark.parametrize(
    ("variable", "conf", "is_attached"),
    [
        (None, None, False),
        (None, "true", True),
        (None, " TRUE ", True),
        (None, "false", False),
        (None, "maybe", True),  # attach reports its error
        ("1", None, True),
        ("TRUE", None, True),
        ("yes", None, True),
        ("on", None, True),
        ("1", "false", True),  # attach finds it switched off
        ("0", "true", False),
        ("off", "true", False),
        ("maybe", None, False),
        ("maybe", "true", True),
        ("", "true", True),
    ],
)
def test_precedence_of_variable_and_setting(
    variable: str | None, conf: str | None, is_attached: bool, attached: Attached, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable is not None:
        monkeypatch.setenv("SAC_KAFKA_AUTO", variable)
    context = SimpleNamespace(_conf={} if conf is None else {"spark.atlas.spark.enabled": conf})

    sac_kafka_auto.context_made(context)

    assert attached == ([context] if is_attached else [])


def test_reports_an_invalid_value(
    attached: Attached, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SAC_KAFKA_AUTO", "jes")
    sac_kafka_auto.context_made(SimpleNamespace(_conf={}))

    (record,) = caplog.records
    assert record.getMessage() == (
        "not attached, the job runs on without lineage: SAC_KAFKA_AUTO = 'jes': "
        "must be one of 1, true, yes, on, 0, false, no, off"
    )


def test_error_is_one_warning_and_the_job_continues(
    attached: Attached, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SAC_KAFKA_AUTO", "1")
    monkeypatch.setattr(hook, "attach_automatically", lambda _: 1 / 0)
    module = types.ModuleType("pyspark.context")
    exec(CONTEXT, module.__dict__)
    sac_kafka_auto.watch(module)
    sac_kafka_auto.watch(module)  # which is one watch still

    assert module.SparkContext()._conf == {}
    (record,) = caplog.records
    assert "not attached, the job runs on without lineage: ZeroDivisionError" in record.getMessage()


class Asking:
    """A third-party finder that calls all others, and is therefore called by ours, too."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        others = (each for each in sys.meta_path if each is not self)
        return next((spec for each in others if (spec := each.find_spec(name, path, target)) is not None), None)


def test_finders_that_call_all_others_terminate(
    attached: Attached, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark/__init__.py").touch()
    (tmp_path / "pyspark/context.py").write_text(CONTEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    sac_kafka_auto.install()
    # A second finder of ours exists if the module was reloaded.
    monkeypatch.setattr(sys, "meta_path", [Asking(), sac_kafka_auto.Finder(), *sys.meta_path])
    monkeypatch.setenv("SAC_KAFKA_AUTO", "1")

    context = importlib.import_module("pyspark.context").SparkContext()

    assert attached == [context]


def test_a_loader_that_others_have_found_can_be_copied() -> None:
    loader = sac_kafka_auto.Loader(SourceFileLoader("pyspark.context", "/pyspark/context.py"))
    assert copy.deepcopy(loader).path == loader.path


def test_class_that_others_wrapped_before_is_watched(attached: Attached, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAC_KAFKA_AUTO", "1")
    module = types.ModuleType("pyspark.context")
    exec(CONTEXT, module.__dict__)
    made = module.SparkContext._do_init
    module.SparkContext._do_init = functools.wraps(made)(lambda *args: made(*args))  # as Sentry does
    sac_kafka_auto.watch(module)

    context = module.SparkContext()
    assert attached == [context]


def test_failed_context_is_not_attached(context_class: Any, attached: Attached) -> None:
    with pytest.raises(ValueError, match="no master"):
        context_class(fails=True)
    assert attached == []


def test_missing_pyspark_stays_missing(attached: Attached, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    sac_kafka_auto.install()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("pyspark.context")
    assert sac_kafka_auto.Finder().find_spec("pyspark.context") is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_wheel_installs_the_start_up_line_in_site_packages(kind: str, tmp_path: Path) -> None:
    if INSTALLED.name == "site-packages":
        assert PTH.is_file()
        return
    code = f"import hatchling.build as b; print(b.build_{kind}({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=INSTALLED, capture_output=True, text=True, check=True)
    names = zipfile.ZipFile(tmp_path / done.stdout.split()[-1]).namelist()
    assert {"sac_kafka_auto.pth", "sac_kafka_auto.py"} <= set(names)


@pytest.fixture(autouse=True)
def warnings_are_seen(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
