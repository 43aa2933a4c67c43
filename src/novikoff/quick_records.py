"""Quick records: frozen dataclasses that an import makes at once.

``dataclass`` writes and compiles the methods of each class whenever its module is imported. That
takes 0.3 to 1.5 ms a class, which a command pays at every start. ``record`` lets ``dataclass`` find
the fields, and gives all classes the same methods. ``fields`` and ``replace`` work as usual.
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, TypeVar

__all__ = ["record"]

T = TypeVar("T")
_SHARED = ("__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__")


def _made(cls: type[T], named: bool) -> type[T]:
    found = dataclass(init=False, repr=False, eq=False)(cls)
    for name in (*_SHARED, "__init__") if named else _SHARED:
        if name not in vars(cls):
            setattr(found, name, vars(_Methods)[name])
    return found


class _Methods:
    """What every record does."""

    def __init__(self, **given: object) -> None:
        found, missing = self.__dict__, []
        for field in fields(self):  # type: ignore[arg-type]
            name = field.name
            if name in given:
                found[name] = given.pop(name)
            elif field.default is not MISSING:
                found[name] = field.default
            elif field.default_factory is not MISSING:
                found[name] = field.default_factory()
            else:
                missing.append(name)
        kind = type(self).__name__
        if missing:
            raise TypeError(f"{kind}: expected {', '.join(missing)} too, got no such argument")
        if given:
            raise TypeError(f"{kind}: expected none of {', '.join(given)}, got such an argument")
        check: Callable[[], None] | None = getattr(self, "__post_init__", None)
        if check is not None:
            check()

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in _values(self).items())
        return f"{type(self).__qualname__}({values})"

    def __eq__(self, other: object) -> bool:
        return _values(self) == _values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(_values(self).values()))

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


def _values(one: object) -> dict[str, object]:
    return {field.name: getattr(one, field.name) for field in fields(one)}  # type: ignore[arg-type]


if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:

    def record(
        *, frozen: bool, kw_only: bool = False, init: bool = True
    ) -> Callable[[type[T]], type[T]]:
        """Make records of classes: with named arguments, or with an ``__init__`` of their own."""
        assert frozen and kw_only is init
        return partial(_made, named=kw_only)
