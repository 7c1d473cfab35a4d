"""Recognize what comes from the program's text: the constants of the calling functions, and displays written with them.

A text, a longer number and a tuple are constants if they are the very objects in the code of a function on the stack. Python
shares one object for each small number and each single character, so these are constants only at their place in a display,
`(7, name)`, `{"id": 7}` or `Row(id=7)`, as the bytecode shows it.
"""

from __future__ import annotations

import datetime
import decimal
import sys
import uuid
import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from sac_kafka.spark.calls.displays import UNKNOWN, Display, Signature, displays

MAX_FRAMES = 64
"""Calling functions whose constants are known; those further out are ignored."""
MAX_CONSTANTS = 20_000
"""Constants of one function, with those inside of it."""
MAX_TOGETHER = 30_000
"""Constants and displays of all functions together, the nearest first: further functions are ignored."""
MAX_ELEMENTS = 100
"""Elements of a display whose places are known."""
MAX_INSTRUCTIONS = 20_000
"""Instructions of one function, with those inside of it, that are searched for displays."""
MAX_GLOBALS = 2_000
"""Values of module variables of the calling functions."""
MAX_ALIKE = 8
"""Displays with the same value at the same place."""

_SHARED_BELOW = 10_000
"""Python shares one object for each small integer: up to 256 now, more in later versions."""
_OTHERS = frozenset(
    {"pyspark", "py4j", "sac_kafka", "pandas", "numpy", "IPython", "ipykernel", "tornado", *sys.stdlib_module_names}
)
"""Packages whose functions hold no constants of the program, except `__main__`."""
_SCALARS = frozenset({int, float, complex, str, bytes})
_CELLS = _SCALARS | {bool, type(None)}


def has_own_object(value: Any) -> bool:  # noqa: ANN401 any object
    """Return whether Python creates a separate object for each such value that is read or computed.

    Small whole numbers, empty texts and single characters are one object wherever they come from.

    >>> [has_own_object(each) for each in (7, 123456, "", "E", "EU", 0.5, True, None, (1,), ())]
    [False, True, False, False, True, True, False, False, True, False]
    """
    if type(value) is int:
        return abs(value) >= _SHARED_BELOW
    if type(value) in (str, bytes):
        return len(value) > 1
    if type(value) is tuple:
        return bool(value)
    return value is not None and type(value) is not bool


@dataclass(slots=True, eq=False)
class Constants:
    """The constants of some code; no value is kept that the code does not hold.

    Attributes:
        objects: The identities of the objects that are constants wherever they are.
        displays: Displays by signature, place and the shared object there.
        wholes: Hashes of displays without an unknown element, as tuples.
        named: Hashes of pairs of a name and a shared object.
        codes: The functions whose constants these are, which keeps the identities valid.
    """

    objects: set[int] = field(default_factory=set)
    displays: dict[tuple[Signature, int, object], list[Display]] = field(default_factory=lambda: defaultdict(list))
    wholes: set[int] = field(default_factory=set)
    named: set[int] = field(default_factory=set)
    codes: dict[int, CodeType] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of constants and displays."""
        return len(self.objects) + len(self.wholes) + len(self.displays)

    def update(self, other: Constants) -> None:
        """Add other constants."""
        self.objects |= other.objects
        self.wholes |= other.wholes
        self.named |= other.named
        self.codes |= other.codes
        for place, more in other.displays.items():
            self.displays[place] = [*self.displays.get(place, ()), *more][:MAX_ALIKE]

    # ---- what data is

    def holds(self, value: object) -> bool:
        """Return whether a value is the very object of a constant."""
        return id(value) in self.objects

    def places(self, cells: Sequence[object], names: tuple[str, ...] | None) -> tuple[Set[int], bool]:
        """Return the places of a row, list or dict at which a display of the code has the same shared object.

        Of several displays those with the most constants count, and of these what all agree on. The second value is whether
        an object that only the program has is in all of them: without one, the row may be equal by chance.
        """
        alike: dict[int, Display] = {}
        for signature in (len(cells), names) if names else (len(cells),):
            for place, cell in enumerate(cells):
                if type(cell) in _CELLS and cell is not None and not has_own_object(cell):
                    found = self.displays.get((signature, place, cell), ())
                    alike.update((id(each), each) for each in found if all(map(_agrees, each, cells)))
        known = [{i for i, each in enumerate(display) if each is not UNKNOWN} for display in alike.values()]
        most = max(map(len, known), default=0)
        places = set.intersection(*(places for places in known if len(places) == most)) if known else set()
        return places, any(has_own_object(cells[i]) for i in places)

    def is_literal(self, values: Iterable[object]) -> bool:
        """Return whether the code has a display of values that are equal to these."""
        return hash(tuple(values)) in self.wholes

    def is_named(self, name: object, value: object) -> bool:
        """Return whether the code gives a shared object such a name: `{"flag": 0}`, `flag=0`, `frame["flag"] = 0`."""
        return hash((name, value)) in self.named

    def is_made_of(self, value: object) -> bool:
        """Return whether a call with constants alone makes a value that is equal: `date(2026, 1, 1)`, `Decimal("1.5")`."""
        return any(map(self.is_literal, _arguments(value)))

    # ---- what code has

    def add_constant(self, constant: object, left: list[int]) -> None:
        """Add a constant, with the elements of tuples; `left` holds how many more are added."""
        if type(constant) is tuple and len(constant) <= MAX_ELEMENTS:
            self.add_display(constant, len(constant))  # of a list, too: Python extends an empty one by it
        waiting: list[Any] = [constant]
        objects, wholes = self.objects, self.wholes
        while waiting and left[0] > 0:
            value = waiting.pop()
            kind = type(value)
            left[0] -= 1
            if kind is tuple:
                objects.add(id(value))
                wholes.add(hash(value))
                waiting.extend(value[: left[0]])
            elif kind in _SCALARS and has_own_object(value):
                objects.add(id(value))

    def add_display(self, elements: Display, signature: Signature) -> None:
        """Add a display: the elements of an expression, by their number or their names."""
        elements = tuple(each if type(each) in _CELLS else UNKNOWN for each in elements)
        if UNKNOWN not in elements:
            self.wholes.add(hash(elements))
        for place, each in enumerate(elements):
            if each is None or each is UNKNOWN or has_own_object(each):
                continue
            alike = self.displays[signature, place, each]
            if len(alike) < MAX_ALIKE:
                alike.append(elements)
            if isinstance(signature, tuple):
                self.named.add(hash((signature[place], each)))


def _agrees(constant: object, cell: object) -> bool:
    is_equal = type(constant) is type(cell) and not has_own_object(cell) and constant == cell
    return constant is UNKNOWN or constant is cell or is_equal


def _arguments(value: Any) -> Iterator[tuple[object, ...]]:  # noqa: ANN401 any value
    """Yield the arguments that a program may have made a value of."""
    if isinstance(value, datetime.date):
        yield (value.isoformat(),)
        parts: tuple[int, ...] = (value.year, value.month, value.day)
        if isinstance(value, datetime.datetime):
            more = (value.hour, value.minute, value.second, value.microsecond)
            yield from ((*parts, *more[:length]) for length in range(1, 5) if not any(more[length:]))
            if any(more):
                return
        yield parts
    elif isinstance(value, (decimal.Decimal, uuid.UUID)):
        yield (str(value),)
        if isinstance(value, decimal.Decimal) and value == (whole := int(value)):
            yield (whole,)


# ---- the calling code


def constants_of_callers() -> Constants:
    """Return the constants of the functions that have called this one, and of those that they name.

    The variables of a module count that has been imported completely, as far as a calling function of it names them: its own
    code is gone. Those of a script or a notebook may hold anything.
    """
    found, left = Constants(), [MAX_GLOBALS]
    frames = [frame for frame in _frames(sys._getframe(1)) if _is_of_program(frame.f_globals.get("__name__"))]
    running = {id(each.f_globals) for each in frames if each.f_code.co_name == "<module>"}
    codes: dict[int, CodeType] = {}
    for each in frames:
        codes.setdefault(id(each.f_code), each.f_code)
        is_imported = id(each.f_globals) not in running and _is_imported(each.f_globals)
        for value in _named_by(each):
            if type(value) is not FunctionType:
                if is_imported:
                    _add_variable(found, value, left)
            elif _is_of_program(value.__module__):
                codes.setdefault(id(value.__code__), value.__code__)
                for default in (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()):
                    _add_variable(found, default, left)
    for code, known in reversed([*_nearest(codes.values())]):  # the code of a module has that of its functions
        if id(code) not in found.codes:
            found.update(known)
            found.codes[id(code)] = code
    return found


def _nearest(codes: Iterable[CodeType]) -> Iterator[tuple[CodeType, Constants]]:
    """Yield functions with their constants, as many as are looked at together."""
    left = MAX_TOGETHER
    for code in codes:
        known = _constants_of(code)
        left -= known.size
        yield code, known
        if left <= 0:
            return


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    for _ in range(MAX_FRAMES):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def _is_of_program(module: object) -> bool:
    return not (isinstance(module, str) and module.partition(".")[0] in _OTHERS and module != "__main__")


def _named_by(frame: FrameType) -> Iterator[object]:
    """Yield the module variables that the code of a frame names, also those of other modules and of classes, and its function."""
    variables, names = frame.f_globals, frame.f_code.co_names[:MAX_GLOBALS]
    for name in (*names, frame.f_code.co_name):
        value = dict.get(variables, name)
        if type(value) in (ModuleType, type):
            yield from (value.__dict__.get(other) for other in names)
        elif value is not None:
            yield value


def _is_imported(variables: Mapping[str, Any]) -> bool:
    name, spec = variables.get("__name__"), variables.get("__spec__")
    return name != "__main__" and spec is not None and not getattr(spec, "_initializing", False)


def _add_variable(found: Constants, value: object, left: list[int]) -> None:
    """Add the value of a variable of a module, with its elements if it is a list, a tuple or a dict."""
    waiting = [value]
    while waiting and left[0] > 0:
        left[0] -= 1
        value = waiting.pop()
        elements = tuple(value.values()) if type(value) is dict else value
        if type(elements) in (list, tuple):
            cells = tuple(elements[: left[0]])  # type: ignore[index] # either of them
            waiting.extend(cells)
            names = tuple(value) if type(value) is dict else ()
            if len(cells) <= MAX_ELEMENTS:
                found.add_display(cells, len(cells))
            if names and len(names) <= MAX_ELEMENTS and all(type(name) is str for name in names):
                found.add_display(cells, names)
        if type(value) in _SCALARS | {tuple} and has_own_object(value):
            found.objects.add(id(value))


_KNOWN: dict[int, tuple[weakref.ref[CodeType], Constants]] = {}
_MAX_KNOWN = 1_000


def _constants_of(code: CodeType) -> Constants:
    known = _KNOWN.get(id(code))
    if known is None or known[0]() is not code:
        if len(_KNOWN) >= _MAX_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[id(code)] = (weakref.ref(code), _of_code(code))
    return known[1]


def _of_code(code: CodeType) -> Constants:
    """Return the constants of a function, and of those that are defined in it."""
    found, left, instructions = Constants(), [MAX_CONSTANTS], MAX_INSTRUCTIONS
    waiting = [code]
    while waiting and left[0] > 0:
        inner = waiting.pop()
        if inner is not code:
            found.codes[id(inner)] = inner
        for constant in inner.co_consts:
            if type(constant) is CodeType:
                waiting.append(constant)
            else:
                found.add_constant(constant, left)
        instructions -= len(inner.co_code) // 2
        if instructions > 0:
            for signature, elements in displays(inner):
                found.add_display(elements, signature)
    return found
