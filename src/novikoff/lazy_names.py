"""Lazy names: a package imports a name's module when somebody first asks for the name."""

import sys
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


class LazyNames:
    """The names of a package, by the module that holds each; a stub says the same to type checkers.

    A package says ``__getattr__ = LazyNames(__name__, {"module": "Name Other"}).get``.
    """

    def __init__(self, package: str, names: Mapping[str, str]) -> None:
        self.package = package
        self.homes = {name: home for home, some in names.items() for name in some.split()}

    def get(self, name: str) -> object:
        """Import a name and keep it in its package, which then asks no more."""
        if name not in self.homes:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{self.package}.{self.homes[name]}"), name)
        setattr(sys.modules[self.package], name, found)
        return found

    def all(self) -> list[str]:
        """Return the names in order."""
        return sorted(self.homes)


class Kinds(MutableMapping[str, type[T]]):
    """The classes with one base, by name; those of the package are imported when asked for.

    If two share a name, the package's own is the one that loads, or else the first.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._found: WeakValueDictionary[str, type[T]] = WeakValueDictionary()
        self._whole = False

    def add(self, kind: type[T]) -> None:
        """Take a class that has just been made."""
        if not kind.__module__.startswith("novikoff."):
            self._load()
        self._found.setdefault(kind.__name__, kind)

    def _load(self) -> None:
        """Import all classes of the package."""
        if not self._whole:
            package = import_module(self._package)
            for name in package.__all__:
                getattr(package, name)
            self._whole = True

    def __getitem__(self, name: str) -> type[T]:
        if name not in self._found and not self._whole:
            package = import_module(self._package)
            if name in package.__all__:
                getattr(package, name)
            else:
                self._load()
        return self._found[name]

    def __setitem__(self, name: str, kind: type[T]) -> None:
        self._found[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(list(self._found))

    def __len__(self) -> int:
        self._load()
        return len(self._found)
