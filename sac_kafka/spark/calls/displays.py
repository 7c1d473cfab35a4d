"""Read displays in the bytecode of a function: the elements of tuples, lists, sets, dicts and calls that are constants."""

from __future__ import annotations

import dis
from collections.abc import Iterator, Sequence, Set
from types import CodeType

Signature = int | tuple[str, ...]
"""The number of elements of a display, or their names."""


class _Unknown:
    """An element of a display that is no constant."""


UNKNOWN = _Unknown()
Display = tuple[object, ...]

_Operation = tuple[int, int, bool]
"""An instruction, its argument, and whether it is the target of a jump."""
_CODES = dis.opmap
_IGNORED = frozenset(_CODES[name] for name in ("CACHE", "NOP", "RESUME") if name in _CODES)
_LOAD, _LOAD_SMALL = _CODES["LOAD_CONST"], _CODES.get("LOAD_SMALL_INT", -1)
_KEYWORDS = _CODES.get("KW_NAMES", -1)
_JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))
_WITH_ARGUMENT = frozenset(getattr(dis, "hasarg", range(dis.HAVE_ARGUMENT, 256)))
_BUILDS = {_CODES[name] for name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET")}
_CALLS = {_CODES[name] for name in ("CALL", "CALL_FUNCTION", "CALL_METHOD") if name in _CODES}
_NAMED_CALLS = {_CODES[name] for name in ("CALL_KW", "CALL_FUNCTION_KW") if name in _CODES}
_MAPS = {_CODES[name] for name in ("BUILD_CONST_KEY_MAP",) if name in _CODES}
_PRECALL = _CODES.get("PRECALL", -1)


def displays(code: CodeType) -> Iterator[tuple[Signature, Display]]:
    """Yield displays of tuples, lists, sets and dicts, the arguments of calls, and values that are set by a key."""
    labels = frozenset(dis.findlabels(code.co_code))  # type: ignore[arg-type] # it takes the bytes
    operations = tuple(_operations(code.co_code, labels))
    left = [10 * len(operations)]
    for at, (operation, argument, _) in enumerate(operations):
        if operation in _BUILDS:
            yield argument, _elements(code, operations, at, argument, left)
        elif operation in _CALLS:
            yield from _call(code, operations, at, argument, left)
        elif operation in _MAPS or operation in _NAMED_CALLS:
            *values, names = _elements(code, operations, at, argument + 1, left)
            if type(names) is tuple:
                yield names, tuple(values[len(values) - len(names) :])
        elif operation == _CODES["BUILD_MAP"]:
            pairs = _elements(code, operations, at, 2 * argument, left)
            if pairs and all(type(name) is str for name in pairs[::2]):
                yield pairs[::2], pairs[1::2]  # type: ignore[misc] # names
        elif operation == _CODES["STORE_SUBSCR"]:
            value, _, name = _elements(code, operations, at, 3, left)
            if type(name) is str:
                yield (name,), (value,)


def _call(
    code: CodeType, operations: Sequence[_Operation], at: int, count: int, left: list[int]
) -> Iterator[tuple[Signature, Display]]:
    while at and operations[at - 1][0] in (_PRECALL, _KEYWORDS):
        at -= 1
    arguments = _elements(code, operations, at, count, left)
    if operations[at][0] == _KEYWORDS:
        names = code.co_consts[operations[at][1]]
        yield names, arguments[len(arguments) - len(names) :]
    else:
        yield count, arguments


def _operations(text: bytes, labels: Set[int]) -> Iterator[_Operation]:
    more, is_target = 0, False
    for at in range(0, len(text) - 1, 2):
        operation = text[at]
        is_target = is_target or at in labels
        if operation in _IGNORED:
            continue
        argument = text[at + 1] | more
        more = argument << 8 if operation == dis.EXTENDED_ARG else 0
        if operation != dis.EXTENDED_ARG:
            yield operation, argument, is_target
            is_target = False


def _elements(code: CodeType, operations: Sequence[_Operation], at: int, count: int, left: list[int]) -> Display:
    """Return the `count` values that are on top of the stack before an instruction: constants, or unknown ones.

    Each is a run of instructions before it that adds one value. `left` holds how many more instructions are looked at.
    """
    found: list[object] = []
    added, is_single, is_target = 0, True, operations[at][2]
    while len(found) < count and at and left[0] > 0 and not is_target:
        at -= 1
        left[0] -= 1
        operation, argument, is_target = operations[at]
        if operation in _JUMPS:
            break
        if is_single and operation in (_LOAD, _LOAD_SMALL):
            found.append(code.co_consts[argument] if operation == _LOAD else argument)
            continue
        is_single = False
        added += dis.stack_effect(operation, argument if operation in _WITH_ARGUMENT else None, jump=False)
        if added > 0:
            found.extend([UNKNOWN] * added)
            added, is_single = 0, True
    found = found[:count]
    found.extend([UNKNOWN] * (count - len(found)))
    return tuple(reversed(found))
