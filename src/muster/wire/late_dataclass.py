"""`dataclass` for modules that a starting server imports: the same to mypy and to its users, written later.

The standard one runs the compiler up to six times a class while its module is imported, 0.45 ms in all: of the 130 ms that a
server took to start, 34 were 75 such classes. Here methods are shared by all classes, and `__init__` is written when a class
makes its first object. Knows only what our classes use: slots always, frozen or not, defaults, no inheritance.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, slots: bool, frozen: bool = False, eq: bool = True) -> Callable[[type], type]:
        assert slots

        def decorate(plain: type) -> type:
            return _with_slots(plain, frozen, eq)

        return decorate


def _with_slots(plain: type, frozen: bool, eq: bool) -> type:
    """The class again, with its fields as slots: the one that has their defaults as attributes cannot have them."""
    names = tuple(plain.__annotations__)
    defaults: dict[str, Any] = {}
    body: dict[str, Any] = {"__qualname__": plain.__qualname__}
    for name, value in vars(plain).items():
        if name in names:
            defaults[name] = value
        elif name not in _COME_BY_THEMSELVES:
            body[name] = value
    body |= {"__slots__": names, "__match_args__": names, "__dataclass_fields__": _Fields(plain)}
    methods: dict[str, Any] = {
        "__init__": _FirstInit(names, defaults, frozen),
        "__repr__": _repr,
        "__reduce__": _reduce,
    }
    if eq:
        methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    return type(plain.__name__, plain.__bases__, methods | body)


class _FirstInit:
    """Stands for `__init__` until the first object is made."""

    __slots__ = ("_defaults", "_frozen", "_made", "_names")

    def __init__(self, names: tuple[str, ...], defaults: dict[str, Any], frozen: bool) -> None:
        self._names = names
        self._defaults = defaults
        self._frozen = frozen

    def __set_name__(self, made: type, name: str) -> None:
        self._made = made

    def __get__(self, instance: object, owner: type) -> Any:
        init = self._written()
        self._made.__init__ = init  # type: ignore[misc]
        return init.__get__(instance, owner)

    def _written(self) -> Any:
        known: dict[str, Any] = {"_later": _LATER}
        parameters, lines = ["self"], []
        for name in self._names:
            default, value = self._defaults.get(name, _NONE), name
            if isinstance(default, dataclasses.Field):
                known[f"_make_{name}"] = default.default_factory
                parameters.append(f"{name}=_later")
                value = f"_make_{name}() if {name} is _later else {name}"
            elif default is not _NONE:
                known[f"_default_{name}"] = default
                parameters.append(f"{name}=_default_{name}")
            else:
                parameters.append(name)
            if self._frozen:
                known[f"_set_{name}"] = getattr(self._made, name).__set__
                lines.append(f"    _set_{name}(self, {value})")
            else:
                lines.append(f"    self.{name} = {value}")
        exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines), known)  # noqa: S102 - names of fields, from our own source
        init = known["__init__"]
        init.__qualname__ = f"{self._made.__qualname__}.__init__"
        return init


class _Fields:
    """What `dataclasses.fields`, `replace` and `asdict` look for: asked of the standard decorator when they do."""

    __slots__ = ("_fields", "_plain")

    def __init__(self, plain: type) -> None:
        self._plain = plain
        self._fields: Any = None

    def __get__(self, instance: object, owner: type) -> Any:
        if self._fields is None:
            standard: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(self._plain)
            self._fields = standard.__dataclass_fields__
        return self._fields


_COME_BY_THEMSELVES = ("__dict__", "__weakref__")
_NONE = object()
_LATER = object()


@recursive_repr()
def _repr(self: Any) -> str:
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({inside})"


def _values(self: Any) -> tuple[object, ...]:
    return tuple([getattr(self, name) for name in self.__match_args__])


def _eq(self: object, other: object) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(_values(self))


def _reduce(self: Any) -> tuple[object, ...]:
    return type(self), _values(self)


def _refuse_to_set(self: object, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
