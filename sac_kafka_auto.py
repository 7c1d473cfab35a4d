"""Attaches the hook to every SparkContext of this process, where `SAC_KAFKA_AUTO` or Spark's configuration asks for it.

`sac_kafka_auto.pth` beside it has every interpreter import it when it starts, so it loads nothing: what it does until Spark
is loaded is to compare the names of modules that are imported. It waits for the module that has the class SparkContext,
and wraps the method of it that makes a context. Nothing here may raise: most processes have nothing to do with Spark.

PYTEST_DONT_REWRITE: the wheel has a plug-in for pytest, which would else warn that this module was imported before it.
"""

import os
import sys
from _thread import get_ident  # threading would have to be loaded

TYPE_CHECKING = False  # as that of typing, which costs more to load than all that this does
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

VARIABLE = "SAC_KAFKA_AUTO"
CONF = "spark.atlas.spark.enabled"
ON = ("1", "true", "yes", "on")
OFF = ("0", "false", "no", "off")
MODULES = ("pyspark.core.context", "pyspark.context")
"""Where SparkContext is: since Spark 4.0, and before."""
WATCHERS: "list[Callable[[Any], None]]" = []
"""Called with the class SparkContext once it is there, by who has started this job."""
MADE: "list[Callable[[Any], None]]" = []
"""Called with every SparkContext that is made, whether or not the hook is asked for: a test watches those of its job."""
_is_asked = False


def chosen(environ: "Mapping[str, str]") -> "bool | str":
    """Give what `SAC_KAFKA_AUTO` says: True, False, "" where it says nothing, else its text, which is none of ours."""
    text = environ.get(VARIABLE, "").strip()
    return True if text.lower() in ON else False if text.lower() in OFF else text


class Finder:
    """Finds the module that has SparkContext as it would be found without it, and sees that it is watched."""

    def __init__(self) -> None:
        self._asking: set[int] = set()

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        """Give its spec; None, as for what it does not know, where no other finder has it."""
        thread = get_ident()
        if name not in MODULES or thread in self._asking:  # others may ask all finders, too
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
    """Stands before the loader of one module; an object of its own, because a zip file has one loader for all modules."""

    def __init__(self, inner: "Any") -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> "Any":
        if name == "_inner":  # a copy has none yet
            raise AttributeError(name)
        return getattr(self._inner, name)

    def create_module(self, spec: "Any") -> "Any":
        """Make it as without this."""
        return self._inner.create_module(spec)

    def exec_module(self, module: "Any") -> None:
        """Run it as without this, and see that the class is watched."""
        module.__spec__.loader = module.__loader__ = self._inner
        self._inner.exec_module(module)
        watch(module)


def watch(module: "Any") -> None:
    """Have `context_made` called for every SparkContext that the module's class makes. Idempotent."""
    kind = getattr(module, "SparkContext", None)
    make = getattr(kind, "_do_init", None)  # and not __init__: who has called that is what Spark tells of a context
    if kind is None or make is None or hasattr(make, "is_watched"):  # wrappers of others have what they wrap
        return
    from sac_kafka.frames import followed

    _do_init = followed(make, lambda context, *_args, **_kwargs: context_made(context))
    _do_init.is_watched = True  # type: ignore[attr-defined]
    kind._do_init = _do_init
    for watcher in WATCHERS:
        watcher(kind)


def context_made(context: "Any") -> None:
    """Attach the hook to a new SparkContext, if it is asked for; what goes wrong is one warning."""
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
    except Exception as e:  # noqa: BLE001 the job goes on
        _warn(f"{type(e).__name__}: {e}")


def _warn(why: str) -> None:
    import logging

    logger = logging.getLogger("sac_kafka")
    said = f"not attached, the job runs on without lineage: {why}"
    logger.warning("%s", said if logger.hasHandlers() else f"sac_kafka: {said}")


def ask() -> None:
    """Attach from now on, unless `SAC_KAFKA_AUTO` switches that off."""
    global _is_asked
    _is_asked = True
    install()


def install() -> None:
    """Watch for Spark from now on. Idempotent."""
    if not any(isinstance(each, Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, Finder())
        for name in MODULES:  # whoever is late
            watch(sys.modules.get(name))


if chosen(os.environ) is not False:
    install()
