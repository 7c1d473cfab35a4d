"""Attach the hook to every SparkContext of this process if `SAC_KAFKA_AUTO` or Spark's configuration enables it.

`sac_kafka_auto.pth` makes every interpreter import this module at startup, so it imports almost nothing and, until Spark is
loaded, only compares the names of imported modules. When the module with the class SparkContext is loaded, it wraps the method
that creates a context. Nothing here may raise: most processes do not use Spark.

PYTEST_DONT_REWRITE: this module may be imported before pytest finds the plug-in of the wheel, without a warning.
"""

import os
import sys
from _thread import get_ident  # Importing threading would slow down every interpreter start.

TYPE_CHECKING = False  # Defined here, because importing typing takes longer than everything else in this module.
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

VARIABLE = "SAC_KAFKA_AUTO"
CONF = "spark.atlas.spark.enabled"
ON = ("1", "true", "yes", "on")
OFF = ("0", "false", "no", "off")
MODULES = ("pyspark.core.context", "pyspark.context")
"""Modules with the class SparkContext: since Spark 4.0, and before."""
WATCHERS: "list[Callable[[Any], None]]" = []
"""Called with the class SparkContext once it is loaded; the launchers add to it."""
MADE: "list[Callable[[Any], None]]" = []
"""Called with every new SparkContext, whether or not the hook is enabled; the pytest plug-in adds to it."""
_is_asked = False


def chosen(environ: "Mapping[str, str]") -> "bool | str":
    """Return the value of `SAC_KAFKA_AUTO`: True, False, "" if it is not set, else its (invalid) text."""
    text = environ.get(VARIABLE, "").strip()
    return True if text.lower() in ON else False if text.lower() in OFF else text


class Finder:
    """Import finder that delegates to the other finders and wraps the loader of the modules with SparkContext."""

    def __init__(self) -> None:
        self._asking: set[int] = set()

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        """Return the module's spec with a wrapped loader; None for other modules, and if no other finder has it."""
        thread = get_ident()
        if name not in MODULES or thread in self._asking:  # Other finders may delegate to all finders as well.
            return None
        self._asking.add(thread)
        try:
            for finder in list(sys.meta_path):
                find = getattr(finder, "find_spec", None)
                spec = None if find is None else find(name, path, target)
                if spec is not None:
                    if hasattr(spec.loader, "exec_module"):
                        spec.loader = Loader(spec.loader)
                    return spec
        finally:
            self._asking.discard(thread)
        return None


class Loader:
    """Wrapper of one module's loader; not a patch of it, because a zip file has one loader for all modules."""

    def __init__(self, inner: "Any") -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> "Any":
        if name == "_inner":  # not set yet in a copy
            raise AttributeError(name)
        return getattr(self._inner, name)

    def create_module(self, spec: "Any") -> "Any":
        """Create the module with the original loader."""
        return self._inner.create_module(spec)

    def exec_module(self, module: "Any") -> None:
        """Execute the module with the original loader, then wrap its class."""
        module.__spec__.loader = module.__loader__ = self._inner
        self._inner.exec_module(module)
        watch(module)


def watch(module: "Any") -> None:
    """Wrap SparkContext so that `context_made` is called for every new context. Idempotent."""
    kind = getattr(module, "SparkContext", None)
    make = getattr(kind, "_do_init", None)  # Not __init__: Spark records its caller as the call site of the context.
    if (
        kind is None or make is None or hasattr(make, "is_watched")
    ):  # functools.wraps of other wrappers copies the mark.
        return
    from sac_kafka.spark.frames import call_after

    _do_init = call_after(make, lambda context, *_args, **_kwargs: context_made(context))
    _do_init.is_watched = True  # type: ignore[attr-defined]
    kind._do_init = _do_init
    for watcher in WATCHERS:
        watcher(kind)


def context_made(context: "Any") -> None:
    """Attach the hook to a new SparkContext if it is enabled; an error becomes one warning."""
    try:
        for made in MADE:
            made(context)
        auto = chosen(os.environ)
        conf = (context._conf.get(CONF) or "").strip().lower()
        if auto is False or not (auto is True or _is_asked or conf not in ("", "false")):
            if auto:
                _warn(f"{VARIABLE} = {str(auto)[:40]!r}: must be one of {', '.join(ON + OFF)}")
            return
        from sac_kafka.hook.hook import attach_automatically

        attach_automatically(context)
    except Exception as e:  # noqa: BLE001 never fail the job
        _warn(f"{type(e).__name__}: {e}")


def _warn(why: str) -> None:
    try:
        from sac_kafka.log import logger
    except Exception:  # noqa: BLE001 of a broken installation, whose error may name anything
        import logging

        logging.getLogger("sac_kafka").warning(
            "sac_kafka: not attached, its package cannot be imported: install it again"
        )
    else:
        logger.warning("not attached, the job runs on without lineage: %s", why)


def ask() -> None:
    """Enable attaching, unless `SAC_KAFKA_AUTO` disables it."""
    global _is_asked
    _is_asked = True
    install()


def install() -> None:
    """Install the import finder. Idempotent."""
    if not any(isinstance(each, Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, Finder())
        for name in MODULES:  # if already imported
            watch(sys.modules.get(name))


if chosen(os.environ) is not False:
    install()
