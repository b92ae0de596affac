"""Finds functions, classes, methods and constants that no program uses: only tests name them, or nobody.

A definition is used when code that is itself used names it: a function that is called only by an unused one is unused too. What
a module does when it is imported is used. Names are compared without types: every `.close` uses all methods `close`. So some
unused code is missed, and code that is used is hardly ever reported.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

Uses = frozenset[str]
"""`name` where it is used as a variable, `.name` where it is used as an attribute."""
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True, frozen=True, eq=False)
class Definition:
    place: str
    """File and line."""
    name: str
    uses: Uses
    """By its body, for a class without the bodies of its methods."""
    owner: Definition | None = None
    """The class that a method belongs to."""
    always_used: bool = False
    """Python or a library calls it."""

    def __str__(self) -> str:
        return f"{self.place}: {self.owner.name}.{self.name}" if self.owner else f"{self.place}: {self.name}"

    def is_used(self, names: set[str], used: set[Definition]) -> bool:
        if self.owner is not None:
            return self.owner in used and (self.always_used or f".{self.name}" in names)
        return self.always_used or self.name in names or f".{self.name}" in names


def unused(source: Mapping[str, ast.Module], programs: Iterable[ast.Module], named: Iterable[str] = ()) -> list[str]:
    """What `source` (trees by file) defines and neither it nor `programs` use. Names in `named` are used by others."""
    libraries = _library_bases(source.values())
    waiting = [each for file, tree in source.items() for each in _definitions(tree.body, file, libraries)]
    names = {form for name in named for form in (name, f".{name}")}
    names.update(*map(_uses_of_import, source.values()), *map(uses_in, programs))
    used: set[Definition] = set()
    while now := {each for each in waiting if each.is_used(names, used)}:
        used |= now
        names.update(*(each.uses for each in now))
        waiting = [each for each in waiting if each not in now]
    return [str(each) for each in waiting if each.owner is None or each.owner in used]


def _definitions(
    body: list[ast.stmt], file: str, libraries: Mapping[str, set[type]], owner: Definition | None = None
) -> Iterator[Definition]:
    for statement in body:
        place = f"{file}:{statement.lineno}"
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                overrides = owner is not None and any(hasattr(base, name) for base in libraries[owner.name])
                yield Definition(place, name, uses_in(statement), owner, overrides or _is_dunder(name))
            case ast.ClassDef(name=name):
                rest = (each for each in statement.body if not isinstance(each, _FUNCTION | ast.ClassDef))
                itself = Definition(place, name, uses_in(*statement.bases, *rest), owner)
                yield itself
                yield from _definitions(statement.body, file, libraries, itself)
            case ast.If(body=first, orelse=second):
                yield from _definitions([*first, *second], file, libraries, owner)
            case _ if owner is None:
                for name in _assigned(statement):
                    yield Definition(place, name, uses_in(statement))


def _uses_of_import(tree: ast.Module) -> Uses:
    """What a module uses when it is imported: all but the bodies of its functions and classes and the values of its constants."""
    found = _looked_up(tree)
    for statement in tree.body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found |= uses_in(*statement.decorator_list)
            case _ if not _assigned(statement):
                found |= uses_in(statement)
    return found


def uses_in(*nodes: ast.AST) -> Uses:
    """Names in a piece of code, without those of its own variables."""
    return frozenset(use for node in nodes for use in _uses(node, frozenset()))


def _uses(node: ast.AST, variables: frozenset[str]) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name not in variables:
            yield name
        case ast.Attribute(attr=name, ctx=ast.Load()):
            yield f".{name}"
        case ast.MatchClass(kwd_attrs=names):
            yield from (f".{name}" for name in names)
        case ast.alias(name=name, asname=str()):
            yield name
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=str(name)), *_]):
            yield f".{name}"
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias"), value=ast.Constant(value=str(text))):
            yield from uses_in(ast.parse(text))
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            variables |= _variables(node)
    for child in ast.iter_child_nodes(node):
        yield from _uses(child, variables)


def _variables(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """Parameters, and names that the function gives values to."""
    inside = list(ast.walk(function))
    own = {each.arg for each in inside if isinstance(each, ast.arg)}
    own |= {each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return own.difference(*(each.names for each in inside if isinstance(each, ast.Global)))


def _looked_up(tree: ast.Module) -> Uses:
    """A module that calls `getattr` with a computed name: any text in it may be that name."""
    for node in _nodes(tree):
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]) if not isinstance(name, ast.Constant):
                texts = (each.value for each in _nodes(tree) if isinstance(each, ast.Constant))
                return frozenset(f".{text}" for text in texts if isinstance(text, str))
    return frozenset()


def _assigned(statement: ast.stmt) -> list[str]:
    """The module's constants that a statement makes."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if not _is_dunder(name):
            return [name]
        case ast.Assign(targets=[ast.Tuple(elts=targets)]):
            return [each.id for each in targets if isinstance(each, ast.Name)]
    return []


def _library_bases(trees: Iterable[ast.Module]) -> Mapping[str, set[type]]:
    """The library classes above each class, by its name: a library calls the methods that it declares."""
    above: defaultdict[str, set[str]] = defaultdict(set)
    bases: defaultdict[str, set[type]] = defaultdict(set)
    for tree in trees:
        imported = _imported(tree)
        for node in _nodes(tree):
            if isinstance(node, ast.ClassDef):
                for base in node.bases:
                    dotted = ast.unparse(base).split("[")[0]
                    first, _, rest = dotted.partition(".")
                    above[node.name].add(rest or first)
                    bases[node.name] |= _library_class(imported.get(first, ""), rest)
    for _ in range(5):  # deeper than any hierarchy here
        for name, parents in above.items():
            bases[name].update(*(bases[parent] for parent in parents if parent in bases))
    return bases


def _imported(tree: ast.Module) -> dict[str, str]:
    """What the module calls what it imports -> where that is."""
    found: dict[str, str] = {}
    for node in _nodes(tree):
        match node:
            case ast.Import(names=names):
                found |= {each.asname or each.name.split(".")[0]: each.name for each in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {each.asname or each.name: f"{module}.{each.name}" for each in names}
    return found


def _library_class(place: str, rest: str) -> set[type]:
    module, _, name = f"{place}.{rest}".rstrip(".").rpartition(".")
    if not module or place.split(".")[0] in ("muster", "typing"):
        return set()
    found = getattr(import_module(module), name)
    return {found} if isinstance(found, type) else set()


@cache
def _nodes(tree: ast.Module) -> list[ast.AST]:
    return list(ast.walk(tree))


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
