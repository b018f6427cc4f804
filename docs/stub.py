"""Write ``src/fairlead/__init__.pyi`` from the table of verbs: what editors and type checkers show
of the public functions.

``python docs/stub.py`` writes it; with ``--check`` it exits 1 where the file is out of date.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import fairlead
from fairlead.commands.functions import documentation, signature_of
from fairlead.commands.verbs import VERBS, Verb

PLACE = Path(fairlead.__file__).parent / "__init__.pyi"
HEAD = '''"""{about}"""

# Written by docs/stub.py from the table of verbs. Do not edit: change a plan and run it again.
'''
_DOTTED = re.compile(r"\b(?:[a-z_]\w*\.)+[A-Za-z_]\w*")


def stub() -> str:
    """The whole file."""
    functions, spaces = [], dict[str, list[str]]()
    needed = set[str]()
    for verb in VERBS.values():
        space, _, name = verb.python.rpartition(".")
        text = function(verb, name, needed, is_static=bool(space))
        if space:
            spaces.setdefault(space, []).append(text)
        else:
            functions.append(text)
    for space, inner in spaces.items():
        body = textwrap.indent("\n".join(inner), "    ")
        functions.append(f"class {space}:\n{body}")
    head = HEAD.format(about=(fairlead.__doc__ or "").strip())
    parts = [head, *imports(needed), "", "__version__: str", "__all__: list[str]", ""]
    return "\n".join(parts) + "\n" + "\n".join(functions)


def imports(needed: set[str]) -> Iterator[str]:
    """The modules that types name, and everything public that is no verb."""
    yield from (f"import {module}" for module in sorted({"typing", *needed}))
    yield ""
    for module, names in fairlead._HOMES.items():
        yield f"from {module} import ("
        yield from (f"    {name} as {name}," for name in names)
        yield ")"


def function(verb: Verb, name: str, needed: set[str], *, is_static: bool) -> str:
    """The signature of a verb's function, with its docstring."""
    signature = signature_of(verb.plan, verb.run)
    lines = ["@staticmethod"] if is_static else []
    lines.append(f"def {name}(")
    is_keyword = False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            is_keyword = True
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
            lines.append("    *,")
            is_keyword = True
        lines.append(f"    {_parameter(parameter, needed)},")
    returned = _type(get_type_hints(verb.run)["return"], needed)
    lines.append(f") -> {returned}:")
    text = documentation(verb.plan).replace("\\", "\\\\")
    body = textwrap.indent(f'"""{text}\n"""', "    ")
    return "\n".join([*lines, body, ""])


def _parameter(parameter: inspect.Parameter, needed: set[str]) -> str:
    stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
    text = f"{stars}{parameter.name}: {_type(parameter.annotation, needed)}"
    if parameter.default is parameter.empty:
        return text
    return f"{text} = {parameter.default!r}"


def _type(annotation: Any, needed: set[str]) -> str:
    """A type as it is written, and the modules that it needs."""
    text = inspect.formatannotation(annotation)
    if annotation.__class__.__name__ in ("_LiteralGenericAlias", "_UnionGenericAlias"):
        text = str(annotation)
    text = re.sub(r"(?<![\w.])(Optional|Literal|Union|Any)\b", r"typing.\1", text)
    text = re.sub(r"pathlib\._local\.Path", "pathlib.Path", text)
    needed.update(name.rpartition(".")[0] for name in _DOTTED.findall(text))
    return text


def main(arguments: list[str]) -> int:
    """Write the stub, or check it."""
    text = stub()
    if arguments == ["--check"]:
        is_same = PLACE.is_file() and PLACE.read_text(encoding="utf-8") == text
        if not is_same:
            print("src/fairlead/__init__.pyi is out of date. Run: python docs/stub.py")
        return 0 if is_same else 1
    PLACE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
