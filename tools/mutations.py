"""List the small changes that `mutants.py` makes to the arithmetic of a module, and make one of them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
NUMBERS = {0: 1, 1: 2, 2: 1, 0.5: 1.0}
_PAIRS = [("max", "min"), ("maximum", "minimum"), ("argmax", "argmin"), ("fmax", "fmin"), ("any", "all")]
NAMES = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}


@dataclass(frozen=True)
class Mutation:
    """The `change`-th change of the `place`-th node of a module; `was` and `now` are its code."""

    path: str
    line: int
    place: int
    change: int
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.was}  ->  {self.now}"


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Each change of one node, as a node that takes its place."""
    match node:
        case ast.BinOp() | ast.AugAssign() | ast.BoolOp() if type(node.op) in OPERATORS:
            yield _with(node, op=OPERATORS[type(node.op)]())
        case ast.Compare(ops=[op]):
            for other in COMPARISONS[type(op)]:
                yield _with(node, ops=[other()])
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert()):
            yield copy.deepcopy(node.operand)
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if number in NUMBERS:
                yield _with(node, value=type(number)(NUMBERS[number]))
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            yield _with(node, func=ast.Name(NAMES[name], ast.Load()))
        case ast.Call(func=ast.Attribute(attr=name)) if name in NAMES:
            yield _with(node, func=_with(node.func, attr=NAMES[name]))


def mutations(path: str, source: str) -> list[Mutation]:
    """All changes of a module."""
    found = []
    for place, (node, around) in enumerate(_arithmetic(ast.parse(source))):
        for i, other in enumerate(changes(node)):
            was, now = ast.unparse(around), ast.unparse(_replaced(around, node, other))
            found.append(Mutation(path, node.lineno, place, i, was, now))  # type: ignore[attr-defined]
    return found


def mutated(source: str, mutation: Mutation) -> ast.Module:
    """The module with one change."""
    tree = ast.parse(source)
    node, _ = list(_arithmetic(tree))[mutation.place]
    return ast.fix_missing_locations(_replaced(tree, node, list(changes(node))[mutation.change]))


def _arithmetic(node: ast.AST, around: ast.AST | None = None) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each node that may be changed, and the smallest statement or condition about it, to be shown."""
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.expr) and around is None:
        around = node
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr):
        around = node
    if any(True for _ in changes(node)):
        yield node, around or node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _arithmetic(child, around)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _replaced(tree: Any, old: ast.AST, new: ast.AST) -> Any:
    """A copy of a tree in which one node is another."""
    if tree is old:
        return new

    def of(value: object) -> object:
        if isinstance(value, list):
            return [of(one) for one in value]
        return _replaced(value, old, new) if isinstance(value, ast.AST) else value

    return _with(tree, **{field: of(value) for field, value in ast.iter_fields(tree)})
