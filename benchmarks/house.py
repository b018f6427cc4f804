"""How readable the sources are, in numbers.

``python benchmarks/house.py [--only PACKAGE ...] [--by file] [--json]``

Tokens are those of Python's own tokenizer, without line ends, indents, comments and docstrings.
*tokens/line* divides them by all lines that are not blank, *tokens/code line* by the lines with
code on them only. Comment lines (``#``) and conditional expressions are per 1,000 lines of the
file. A function's length leaves out its decorators and its docstring.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "src" / "fairlead"
WIDEST = 100
LONGEST_FUNCTION = 50
LONGEST_FILE = 500
MOST_TOKENS, FEWEST_COMMENTS, MOST_CONDITIONALS = 8.0, 15.0, 15.0
_SILENT = {
    tokenize.ENCODING,
    tokenize.NEWLINE,
    tokenize.NL,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class SourceFile:
    """What is counted in one file."""

    path: str
    lines: int
    filled_lines: int
    code_lines: int
    tokens: int
    comment_lines: int
    conditionals: int
    wide_lines: tuple[str, ...]
    long_functions: tuple[str, ...]
    classes: tuple[str, ...]

    @property
    def package(self) -> str:
        """The folder right below the root, or the file itself where it lies at the root."""
        return self.path.split("/")[0]


@dataclass(frozen=True)
class Row:
    """The counts of one package, one file, or everything."""

    name: str
    lines: int
    tokens_per_line: float
    tokens_per_code_line: float
    comments_per_1000: float
    conditionals_per_1000: float
    wide_lines: int
    long_functions: int
    long_files: int

    @classmethod
    def of(cls, name: str, files: Iterable[SourceFile]) -> Row:
        """The counts of some files together."""
        files = list(files)
        lines = sum(file.lines for file in files)
        tokens = sum(file.tokens for file in files)
        comments = sum(file.comment_lines for file in files)
        conditionals = sum(file.conditionals for file in files)
        return cls(
            name=name,
            lines=lines,
            tokens_per_line=_ratio(tokens, sum(file.filled_lines for file in files)),
            tokens_per_code_line=_ratio(tokens, sum(file.code_lines for file in files)),
            comments_per_1000=_ratio(1000 * comments, lines),
            conditionals_per_1000=_ratio(1000 * conditionals, lines),
            wide_lines=sum(len(file.wide_lines) for file in files),
            long_functions=sum(len(file.long_functions) for file in files),
            long_files=sum(file.lines > LONGEST_FILE for file in files),
        )


def _ratio(count: int, lines: int) -> float:
    """A count per line, of an empty file 0."""
    return round(count / max(lines, 1), 2)


def counted(path: Path, root: Path) -> SourceFile:
    """The counts of one file."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(root).as_posix()
    tree = ast.parse(text)
    docstrings = set(_docstring_lines(tree))
    code: set[int] = set()
    tokens = comments = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _SILENT or token.start[0] in docstrings:
            continue
        if token.type == tokenize.COMMENT:
            comments += 1
            continue
        tokens += 1
        code.update(range(token.start[0], token.end[0] + 1))
    return SourceFile(
        path=name,
        lines=text.count("\n"),
        filled_lines=sum(bool(line.strip()) for line in text.splitlines()),
        code_lines=len(code),
        tokens=tokens,
        comment_lines=comments,
        conditionals=sum(isinstance(node, ast.IfExp) for node in ast.walk(tree)),
        wide_lines=tuple(
            f"{name}:{number}"
            for number, line in enumerate(text.splitlines(), 1)
            if len(line) > WIDEST
        ),
        long_functions=tuple(
            f"{name}:{node.lineno} {node.name}"
            for node in ast.walk(tree)
            if isinstance(node, _FUNCTIONS) and _length(node) > LONGEST_FUNCTION
        ),
        classes=tuple(node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)),
    )


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    """The lines of strings that stand alone: docstrings, and descriptions below constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _is_text(node.value):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its decorators and its docstring."""
    length = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if isinstance(first, ast.Expr) and _is_text(first.value):
        length -= (first.end_lineno or first.lineno) - first.lineno + 1
    return length


def duplicates(files: Iterable[SourceFile]) -> dict[str, list[str]]:
    """Class names that occur more than once, with the files they stand in."""
    places: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for name in file.classes:
            places[name].append(file.path)
    return {name: paths for name, paths in sorted(places.items()) if len(paths) > 1}


def rows_by(files: list[SourceFile], key: str) -> list[Row]:
    """One row for each package or each file, and the total last."""
    parts: dict[str, list[SourceFile]] = defaultdict(list)
    for file in files:
        parts[getattr(file, key)].append(file)
    return [*(Row.of(name, parts[name]) for name in sorted(parts)), Row.of("total", files)]


def main() -> int:
    parser = argparse.ArgumentParser(description="How readable the sources are, in numbers.")
    parser.add_argument("--sources", type=Path, default=SOURCES, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", metavar="PACKAGE", help="only these packages")
    parser.add_argument("--by", choices=("package", "file"), default="package")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    args = parser.parse_args()
    everything = [counted(path, args.sources) for path in sorted(args.sources.rglob("*.py"))]
    files = [f for f in everything if not args.only or f.package in args.only]
    rows = rows_by(files, "path" if args.by == "file" else "package")
    # a name is taken by any file of the whole, not only by those that were asked for
    here = {f.path for f in files}
    twice = {n: p for n, p in duplicates(everything).items() if here & set(p)}
    findings = {
        "wide_lines": [line for f in files for line in f.wide_lines],
        "long_functions": [function for f in files for function in f.long_functions],
        "long_files": [f"{f.path} {f.lines}" for f in files if f.lines > LONGEST_FILE],
        "duplicate_classes": twice,
    }
    if args.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], **findings}, indent=1))
    else:
        _show(rows, findings)
    return 0


def _show(rows: list[Row], findings: dict[str, list[str] | dict[str, list[str]]]) -> None:
    columns = [field.name for field in fields(Row)[1:]]
    width = max(len(row.name) for row in rows)
    print(" " * width, *(name.replace("_", " ") for name in columns), sep="  ")
    for row in rows:
        cells = (f"{getattr(row, name):>{len(name)},}" for name in columns)
        print(f"{row.name:{width}}", *cells, sep="  ")
    print(
        f"aim: tokens per line at most {MOST_TOKENS:g}, comments at least {FEWEST_COMMENTS:g}, "
        f"conditionals at most {MOST_CONDITIONALS:g}, of the rest none"
    )
    for name, values in findings.items():
        print(f"\n{name.replace('_', ' ')}: {len(values)}")
        for value in values:
            places = f": {', '.join(values[value])}" if isinstance(values, dict) else ""
            print(f"  {value}{places}")


if __name__ == "__main__":
    raise SystemExit(main())
