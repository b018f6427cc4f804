"""Write the reference pages from the code, so that they cannot say anything else: metrics,
rerankers, projections, commands.

``python docs/reference.py`` writes docs/reference/*.md; with ``--check`` it exits 1 where a page is
out of date.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import typing
from pathlib import Path
from typing import Any, Literal

from formulas import as_html

from fairlead import errors
from fairlead.protocols.registry import card, entries, load
from fairlead.protocols.spec import format_value

FOLDER = Path(__file__).parent / "reference"
WIDTH = 100
NOTICE = "<!-- Written by docs/reference.py. Do not edit: change the code and run it again. -->"
DIRECTIONS = {
    "lower": "lower",
    "higher": "higher",
    "either": "neither: signed, both sides are worse",
}
NEEDS = {"groups": "labels", "target": "a target", "relevant": "judgements"}
FITTED_ON = {
    "items": "labelled items",
    "prompts": "texts that name the groups",
    "pairs": "sentences for each group",
}
TEXTS = ("prompts", "classes")
"""Parameters that are texts of one's own."""
MUST_NAME = ("positive", "group")
"""Parameters that are empty by default and must name a group."""


def metrics_page() -> str:
    """One section per metric, after a table of all."""
    cards = [card("metric", name) for name in entries("metric")]
    parts = [
        _METRICS_HEAD,
        _overview(cards, ("better", lambda c: c["direction"])),
        *(_metric(c) for c in cards),
    ]
    return _page(parts)


def rerankers_page() -> str:
    """One section per reranker, after a table of all."""
    cards = [card("reranker", name) for name in entries("reranker")]

    def aims(c: dict[str, Any]) -> str:
        return "yes" if load("reranker", c["name"]).uses_target else "no"

    parts = [
        _RERANKERS_HEAD,
        _overview(cards, ("uses the target", aims)),
        *(_reranker(c) for c in cards),
    ]
    return _page(parts)


def projections_page() -> str:
    """One section per projection, after a table of all."""
    cards = [card("projection", name) for name in entries("projection")]

    def fitted_on(c: dict[str, Any]) -> str:
        return " and ".join(
            FITTED_ON[n] for n in FITTED_ON if n in load("projection", c["name"]).needs
        )

    parts = [
        _PROJECTIONS_HEAD,
        _overview(cards, ("fitted on", fitted_on)),
        *(_projection(c, fitted_on(c)) for c in cards),
    ]
    return _page(parts)


def cli_page() -> str:
    """The help text of every command, and the exit codes."""
    import click

    from fairlead.cli.main import cli

    def shown(command: click.Command, name: str, parent: click.Context | None = None) -> str:
        context = click.Context(
            command,
            info_name=name,
            parent=parent,
            terminal_width=WIDTH,
            help_option_names=["-h", "--help"],
        )
        return f"```text\n{command.get_help(context).rstrip()}\n```"

    def sections(group: click.Group, parent: click.Context, words: str, level: str) -> list[str]:
        """A section for each command of a group, and below it for those of its own."""
        parts: list[str] = []
        for name in group.list_commands(parent):
            command = group.get_command(parent, name)
            assert command is not None
            parts += [f"{level} {words} {name}", shown(command, name, parent)]
            if isinstance(command, click.Group):
                parts += sections(
                    command,
                    click.Context(command, info_name=name, parent=parent),
                    f"{words} {name}",
                    "###",
                )
        return parts

    root = click.Context(cli, info_name="fairlead")
    return _page(
        [
            _CLI_HEAD,
            "## fairlead",
            shown(cli, "fairlead"),
            *sections(cli, root, "fairlead", "##"),
            _exit_codes(),
        ]
    )


def python_page() -> str:
    """A section for the function of every verb: what it does, and each parameter."""
    from fairlead.commands.verbs import VERBS

    return _page([_PYTHON_HEAD, *(_function(verb) for verb in VERBS.values())])


def _function(verb: Any) -> str:
    """The function of a verb: what its plan says, an example, a table of its parameters."""
    from fairlead.commands.functions import ordered

    plan = verb.plan
    about, _, example = inspect.cleandoc(plan.__doc__ or "").partition("\n\n>>>")
    head = f"## fairlead.{verb.python}"
    command = f"On the command line: `fairlead {verb.name}`."
    parts = [head, _prose(about), command]
    if example:
        parts.append(f"```pycon\n>>>{example}\n```")
    rows = [_choice(name, field, plan.positional) for name, field in ordered(plan)]
    if rows:
        table = ["| parameter | default | what it says |", "| --- | --- | --- |", *rows]
        parts.append("\n".join(table))
    return "\n\n".join(parts)


def _choice(name: str, field: Any, positional: tuple[str, ...]) -> str:
    """The row of one parameter."""
    shown = f"*{name}" if f"*{name}" in positional else name
    default = "required" if field.is_required() else f"`{field.default!r}`"
    return f"| `{shown}` | {_cell(default)} | {_cell(_prose(field.description))} |"


def _metric(c: dict[str, Any]) -> str:
    made = load("metric", c["name"])()
    low, high = c["range"]
    facts = {
        "Text form": f"`{_text_form(c)}`",
        "Better": DIRECTIONS[c["direction"]],
        "Range": f"{_bound(low, '−∞')} to {_bound(high, '∞')}",
        "Needs": " and ".join(NEEDS[n] for n in NEEDS if n in made.needs),
        "Looks at": _looks_at(made),
        "Queries add up by": {
            "mean": "the mean of their values",
            "pooled": "pooling: sum over sum",
        }[made.aggregate],
        "Source": _prose(c["source"]),
        "Cannot see": _prose(c["blind_spot"]),
    }
    formula = f'<p class="formula">{as_html(c["formula"])}</p>'
    return "\n\n".join(
        [
            f"## {c['name']}",
            _documentation(type(made)),
            formula,
            _facts(facts),
            *_parameters(type(made)),
        ]
    )


def _reranker(c: dict[str, Any]) -> str:
    thing = load("reranker", c["name"])
    facts = {
        "Text form": f"`{_text_form(c)}`",
        "Promises": _prose(c["promise"]),
        "Uses the target": "yes" if thing.uses_target else "no",
        "Reads": "soft labels as expected counts"
        if getattr(thing, "reads_shares", False)
        else "one hard label per item",
        **(
            {"Swept by `fairlead frontier`": f"`{thing.knob[0]}`"} if hasattr(thing, "knob") else {}
        ),
        **(
            {"Needs the extra": f"`{entries('reranker')[c['name']].extra}`"}
            if entries("reranker")[c["name"]].extra
            else {}
        ),
        "Source": _prose(c["source"]),
        "Cannot see": _prose(c["blind_spot"]),
    }
    rule = inspect.cleandoc(inspect.getmodule(thing).__doc__ or "").partition("\n\n")[2]
    return "\n\n".join(
        [
            f"## {c['name']}",
            _documentation(thing),
            _facts(facts),
            *_parameters(thing),
            "**The rule.**",
            _prose(rule),
        ]
    )


def _projection(c: dict[str, Any], fitted_on: str) -> str:
    thing = load("projection", c["name"])
    facts = {
        "Text form": f"`{c['name']}`",
        "Promises": _prose(c["promise"]),
        "Fitted on": fitted_on,
        "Source": _prose(c["source"]),
        "Cannot see": _prose(c["blind_spot"]),
    }
    rule = inspect.cleandoc(inspect.getmodule(thing).__doc__ or "").partition("\n\n")[2]
    return "\n\n".join(
        [
            f"## {c['name']}",
            _documentation(thing),
            _facts(facts),
            *_parameters(thing),
            "**The rule.**",
            _prose(rule),
        ]
    )


def _looks_at(metric: Any) -> str:
    if "groups" not in metric.needs:
        return "relevance"
    return {
        "set": "counts within the cut-off",
        "order": "the order",
        "roles": "who wins each trial",
    }[metric.shape]


def _bound(value: float | None, infinite: str) -> str:
    return infinite if value is None else f"{value:g}".replace("-", "−")


def _text_form(c: dict[str, Any]) -> str:
    named = ",".join(f"{name}=GROUP" for name in MUST_NAME if c["parameters"].get(name) == "")
    return c["name"] + (f"({named})" if named else "") + ("@k" if "k" in c["parameters"] else "")


def _documentation(thing: Any) -> str:
    return _prose(inspect.cleandoc(thing.__doc__))


def _facts(facts: dict[str, str]) -> str:
    return "\n".join(
        ["| | |", "| --- | --- |", *(f"| {name} | {_cell(text)} |" for name, text in facts.items())]
    )


def _parameters(thing: Any) -> list[str]:
    """The table of parameters with their defaults and the words they accept."""
    hints = typing.get_type_hints(thing)
    rows = [_parameter(item, hints[item.name]) for item in dataclasses.fields(thing)]
    head = ["| parameter | default | accepts |", "| --- | --- | --- |"]
    return ["\n".join([*head, *rows])] if rows else ["No parameters."]


def _parameter(item: dataclasses.Field[Any], hint: Any) -> str:
    if item.name == "k":
        return "| `@k` | whole list | the cut-off: a whole number from 1 |"
    default = (
        "none named"
        if item.default == ""
        else f"`{item.default if isinstance(item.default, str) else format_value(item.default)}`"
    )
    if item.name in TEXTS:
        return f"| `{item.name}` | our own | texts, as `one|two` |".replace("one|two", "one\\|two")
    return f"| `{item.name}` | {default} | {_accepts(hint, item.default)} |"


def _accepts(hint: Any, default: Any) -> str:
    if typing.get_origin(hint) is Literal:
        return ", ".join(f"`{word}`" for word in typing.get_args(hint))
    options = [h for h in typing.get_args(hint) if h is not type(None)]
    if options:
        return f"{_accepts(options[0], default)}, or `none`"
    words = {
        bool: "`true`, `false`",
        int: "a whole number",
        float: "a number",
        str: "the name of a group",
    }
    return words[hint] + (f", or `{default}`" if hint is str and default == "auto" else "")


def _overview(cards: list[dict[str, Any]], column: tuple[str, Any]) -> str:
    name, value = column
    rows = [
        f"| [{c['name']}](#{c['name'].lower()}) | {_cell(_prose(c['summary']))} | {value(c)} |"
        for c in cards
    ]
    return "\n".join([f"| name | what it is | {name} |", "| --- | --- | --- |", *rows])


def _exit_codes() -> str:
    meanings = {
        errors.OK: "fine; also where a program that reads the output ends early",
        errors.CHECK_FAILED: "a check failed: coverage below the asked share, or a published number that differs",
        errors.INCONCLUSIVE: "inconclusive: too few repetitions to say (`calibrate --seeds`)",
        errors.OUR_FAULT: "a fault of fairlead: please report it",
    } | {
        code: f"{kind.kind}: {(kind.__doc__ or '').strip().rstrip('.').lower()}"
        for kind, code in errors.EXIT_CODES.items()
    }
    rows = [f"| {code} | {meanings[code]} |" for code in sorted(meanings)]
    return "\n".join(["## Exit codes", "", "| code | meaning |", "| --- | --- |", *rows])


def _prose(text: str) -> str:
    """Docstring text as Markdown: code in single backticks, nothing else taken for markup."""
    parts = re.split(r"(``.+?``|^ {4}.*$)", text, flags=re.MULTILINE)
    return "".join(_span(p) for p in parts)


def _span(text: str) -> str:
    if text.startswith("``"):
        return text[1:-1]
    return text if text.startswith("    ") else re.sub(r"([*<])", r"\\\1", text)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _page(parts: list[str]) -> str:
    return "\n\n".join([parts[0].replace("\n", f"\n\n{NOTICE}\n", 1), *parts[1:]]) + "\n"


_METRICS_HEAD = """# Metrics

A metric turns a ranking with its labels into one number per query. This page is written from the code.
`fairlead list metrics` prints the short form of it.

The text form is the same everywhere: on the command line, in Python, in tables and in JSON.
`NDKL(over=relevant)@100` is the metric `NDKL` with one parameter changed and the cut-off 100.
A parameter that is not written has its default. Defaults follow the source named beside the metric, where it states a convention.

In the formulas, *t* is the target, *k* the cut-off, *n*<sub>g</sub> the number of items of group *g* shown, *Q* the shares of the groups
in the first *k*, *D*<sub>n</sub> and *p*<sub>i</sub> the shares in the first *n* or *i* items, *d*(i) the weight of rank *i*,
*V*<sub>k</sub> the first *k* items and *V*<sup>∗</sup> the relevant ones. ln is the natural logarithm.

A list drawn by chance does not reach the best value of most of these metrics, and how far it stays away depends on *k* and on the
number of groups. So read the excess over the chance level: see [statistics](../statistics.md)."""

_RERANKERS_HEAD = """# Rerankers

A reranker turns a ranking with its labels into a new order of at most *k* of its candidates. This page is written from the code.
`fairlead list rerankers` prints the short form of it.

What all of them share:

- They see the order, the scores and the labels. Where the table of a reranker says *one hard label per item*, a soft label acts through
  its most probable group; where more of it is unknown than belongs to any group, it acts as unknown.
- Unknown and not-applicable items form a queue of their own, without bounds. Unless a rule says otherwise they compete by score.
- Bounds such as floor(n t) are counted over labelled items.
- A query without a target keeps its plain order. So do all lists of an attribute with one group, where a reranker reads soft labels:
  there is nothing to balance, and `fairlead rerank` refuses labels that name no other.
- A target that the candidates cannot meet is met as nearly as can be. `fairlead rerank` says in how many queries, and how far at best;
  every answer of `fairlead search` has the same under `reach`.
- Random choices depend on the seed, the query and the text form alone. The same seed gives the same answer in any batch.

Give a reranker *predicted* labels and measure the result with *audit* labels of another source: see
[how we speak of fairness](../speech.md#who-measures-is-not-who-mitigates).

Four of them solve a program for each query, with HiGHS through scipy (the extra `lp`), and take their time. Milliseconds a
query with soft labels, on one core (`python benchmarks/run.py --only rerankers`):

| | 20 of 200, 2 groups | 20 of 200, 8 groups | 100 of 1,000, 2 groups | 100 of 1,000, 8 groups |
| --- | ---: | ---: | ---: | ---: |
| `fairexpec` | 12 | 30 | 21 | 2,200 |
| `fairexpec(delta=0.05)` | 9 | 170 | 8 | 56 |
| `mopr`, 8 groups being intersections | 8 | 210 | 8 | 92 |
| `exposure_lp` | 0.3 | 140 | 0.8 | 300 |
| `noisy_fair` | 6 | 10 | 63 | 840 |
| `noisy_fair(block=5)` | 7 | 21 | 230 | 5,100 |

With hard labels of one attribute, `fairexpec` and `mopr` count instead, in well under 1 ms. Linear programs are solved to rounding.
Whole-numbered ones come with a bound on what any set could be worth. Up to forty candidates the set is the best there is. In the table
above it lies below its bound by at most 5e-5 of two groups and 3e-3 of eight, except for `fairexpec` on 20 of 200 with eight groups: there
delta allows 0.02 items of each group, hardly a set keeps to that, and the bound says no more than 0.1."""

_PROJECTIONS_HEAD = """# Projections

A projection is fitted on reference material and changes the vectors of queries, over the stored index. This page is written from the code.
`fairlead list projections` prints the short form of it; [how they are used](../projections.md) has a page of its own.

In the formulas, *q* is a query, *v* an item, a dash is the transpose, I the matrix that changes nothing."""

_CLI_HEAD = """# Commands

The help text of every command, as `--help` prints it. This page is written from the code.

With `--json` a command prints one JSON object, also for an error: `{"error": {"kind", "message", "hint"}}`.
Every option can also be set by an environment variable: `FAIRLEAD_SCORE_SEED=7` is `fairlead score --seed 7`."""

_PYTHON_HEAD = """# Python

The functions of `fairlead`, one for each command. This page is written from the code.

Parameters and defaults are those of the command line: both are made from the same plan. Parameters in the
first rows may be given by position as far as the signature says; the others have to be named. All functions
take `progress` too, which is called with what is done, how much, and of how much. A parameter that takes several values
takes one alone as well. Where a text names an encoder, an index, a metric, a mitigation, labels or a target,
the object itself may stand. `fairlead.train`, `fairlead.simulate` and `fairlead.human` hold several functions.

The JSON schema of each plan is what `fairlead.commands.verbs.schemas()` returns."""

PAGES = {
    "metrics.md": metrics_page,
    "rerankers.md": rerankers_page,
    "projections.md": projections_page,
    "cli.md": cli_page,
    "python.md": python_page,
}


def stale() -> list[str]:
    """The pages whose words are not those of the code; line breaks do not count."""
    return [name for name, write in PAGES.items() if not _same(FOLDER / name, write())]


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8").split() == text.split()


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        old = stale()
        if old:
            print(
                f"Out of date: {', '.join(f'docs/reference/{name}' for name in old)}. Run: python docs/reference.py",
                file=sys.stderr,
            )
        return 1 if old else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    FOLDER.mkdir(exist_ok=True)
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
