"""Declare which Spark class a dataclass copies, and which accessors of it are projected.

`@spark_class` makes a frozen dataclass and registers it in `DECLARED`; `accessor` describes a field whose accessor is not its own
name in camel case. `plan.specification` generates the listener's specification from these, `plan.wire` decodes its text.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import reprlib
import sys
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:  # only a hint for type checkers; Python 3.10 has no typing.dataclass_transform

    def dataclass_transform(**_: object) -> Callable[[Any], Any]:  # noqa: D103 not a function of ours
        return lambda decorated: decorated


C = TypeVar("C", bound=type)

DECLARED: dict[str, type] = {}
"""Declared classes by the full name of the Spark class that they copy."""
_OFFERED: dict[type, tuple[str, ...]] = {}
"""Spark class names that plug-ins offer, by plug-in class; a class is declared after it has been checked."""


def accessor(path: str, *, keys: tuple[str, ...] = (), default: Any = dataclasses.MISSING) -> Any:  # noqa: ANN401 as dataclasses.field
    """Declare a field that is read by `path` instead of its name.

    Args:
        path: Method names joined by dots; alternatives for other Spark versions joined by `|`, of which the first that exists is
            used. `#name` reads a private field, `@name` is an accessor of the listener itself (`@sqlText`), `@none` returns null
            on versions without the accessor, `@ownOptions` reads the options that an object of a connector holds.
        keys: For a map, the only keys whose values are projected.
        default: Value for recorded batches without the field.
    """
    return dataclasses.field(metadata={"accessor": path, "keys": keys}, default=default)


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(accessor, dataclasses.field)
)
def spark_class(*names: str) -> Callable[[C], C]:
    """Declare a frozen dataclass as the copy of the Spark classes `names` and of what extends or implements them."""

    def declare(cls: C) -> C:
        made = copied(cls)
        register(made, names)
        return made

    return declare


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(accessor, dataclasses.field)
)
def offered_class(*names: str) -> Callable[[C], C]:
    """Make a frozen dataclass the copy of the classes `names` of a connector, and of what extends or implements them.

    Its fields are the accessors that travel: methods without arguments, called by the field's name in camel case.
    """

    def offer(cls: C) -> C:
        made = copied(cls)
        _OFFERED[made] = names
        return made

    return offer


def offered_names(cls: type) -> tuple[str, ...] | None:
    """Return the classes that an offered class copies; None for a class that is not offered."""
    return _OFFERED.get(cls)


def register(cls: type, names: Iterable[str]) -> None:
    """Declare a class as the copy of Spark classes."""
    DECLARED.update(dict.fromkeys(names, cls))


def declared_name(cls: type) -> str | None:
    """Return the name of the class that this one copies, the first of several; None if it copies none."""
    return next((name for name, each in DECLARED.items() if each is cls), None)


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(accessor, dataclasses.field)
)
def copied(cls: C) -> C:
    """Make a frozen dataclass with slots whose constructor is generated at its first call.

    There are hundreds of these classes and a job needs few: generating the methods of all takes most of the time of `attach`.
    They are compared by identity: equality and hashes of plans of thousands of operators would recurse.
    """
    made: Any = dataclasses.dataclass(slots=True, init=False, repr=False, eq=False, kw_only=True)(cls)

    def first(self: Any, **values: Any) -> None:  # noqa: ANN401 a field's value
        made.__init__ = _constructor(made)
        made.__init__(self, **values)

    made.__init__ = first
    made.__repr__, made.__setattr__, made.__delattr__ = _repr, _frozen, _frozen
    return cast(C, made)


def _constructor(cls: type) -> Callable[..., None]:
    """Return the `__init__` of a copied class."""
    scope: dict[str, Any] = {"set_": object.__setattr__}
    parameters, lines = ["self", *(["*"] if dataclasses.fields(cls) else ())], ["    pass\n"]
    for field in dataclasses.fields(cls):
        parameters.append(field.name)
        if field.default is not dataclasses.MISSING:
            parameters[-1] += f"=default_{field.name}"
            scope[f"default_{field.name}"] = field.default
        lines.append(f"    set_(self, {field.name!r}, {field.name})\n")
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(lines)}", scope)  # noqa: S102 the names of fields
    return cast(Callable[..., None], scope["__init__"])


@reprlib.recursive_repr()
def _repr(self: Any) -> str:  # noqa: ANN401 any copied class
    values = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self))
    return f"{type(self).__qualname__}({', '.join(values)})"


def _frozen(self: object, name: str, *_: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change the field {name!r} of {type(self).__qualname__}")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Accessor:
    """A field in the form that the listener needs; `kind` is identity, expressions or attributes (`spark/java/Specification`)."""

    name: str
    path: str
    kind: str
    keys: tuple[str, ...]
    is_integer: bool
    is_sequence: bool
    has_default: bool


@functools.cache
def accessors(cls: type) -> tuple[Accessor, ...]:
    """Return the accessors of a declared class: its fields, without those of every plan or expression."""
    return tuple(
        _accessor(field, _hint(cls, field)) for field in dataclasses.fields(cls) if not field.metadata.get("base")
    )


def _hint(cls: type, field: dataclasses.Field[Any]) -> object:
    """Return the annotation of a field, of which only those of the class itself are evaluated, not those of all its bases."""
    if not isinstance(field.type, str):
        return field.type
    owner = next(each for each in cls.__mro__ if field.name in getattr(each, "__annotations__", {}))
    return _evaluate(owner.__module__, field.type)


@functools.cache
def _evaluate(module: str, annotation: str) -> object:
    return eval(annotation, vars(sys.modules[module]))  # noqa: S307 the text of an annotation


def base(default: Any = dataclasses.MISSING) -> Any:  # noqa: ANN401 as dataclasses.field
    """Declare a field that the decoder sets, which is not an accessor."""
    return dataclasses.field(metadata={"base": True}, default=default)


def _accessor(field: dataclasses.Field[Any], hint: object) -> Accessor:
    contained = _types_within(hint)
    is_map = Mapping in contained
    keys = tuple(field.metadata.get("keys", ()))
    if is_map != bool(keys):
        raise TypeError(f"{field.name}: a map needs the list of keys that may travel, anything else none")
    return Accessor(
        name=field.name,
        path=field.metadata.get("accessor", _camel(field.name)),
        kind=_kind(contained),
        keys=keys,
        is_integer=int in contained,
        is_sequence=tuple in contained,
        has_default=field.default is not dataclasses.MISSING,
    )


def _kind(contained: frozenset[object]) -> str:
    """Return how the listener projects a value: columns and expressions state it in `travels_as`."""
    kinds = {getattr(t, "travels_as", None) for t in contained}
    return next((kind for kind in ("attributes", "expressions") if kind in kinds), "identity")


@functools.cache
def _types_within(hint: object) -> frozenset[object]:
    """Return the types within an annotation: for `tuple[Expression, ...] | None` Expression, tuple and NoneType."""
    origin = typing.get_origin(hint)
    inner = frozenset[object]().union(*(_types_within(a) for a in typing.get_args(hint)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return frozenset({Mapping})
    return inner | {hint if origin is None else origin}


def _camel(name: str) -> str:
    return re.sub(r"_(.)", lambda m: m[1].upper(), name)
