"""The command ``fairlead``: mounts the commands, shows errors, sets exit codes. Commands load when
they are used.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from fairlead import __version__
from fairlead.cli.offers import offering
from fairlead.cli.sparing import sparing
from fairlead.errors import OUR_FAULT, FairleadError, exit_code

_COMMANDS = {
    "score": (
        "score",
        "Measure a saved ranking: chance level, interval, correction for many looks.",
    ),
    "rerank": ("rerank", "Mitigate a saved ranking and write the new one."),
    "check": ("check", "Validate files and report how much is labelled."),
    "list": (
        "listing",
        "List what there is: metrics, rerankers, encoders and more; or all about one.",
    ),
    "embed": (
        "embed",
        "Embed a collection of images; what is killed continues, what is added is appended.",
    ),
    "remove": (
        "remove",
        "Remove items from an embedded collection for good, from its indexes too.",
    ),
    "search": ("search", "Search a collection, and see the mitigated list beside the plain one."),
    "trigger": ("trigger", "Decide whether the list of a query may be diversified, and say why."),
    "index": ("index", "Build an index of a collection and keep it."),
    "annotate": ("annotate", "Say which group items appear to belong to; labels that people give."),
    "audit": ("audit", "Audit a model on a benchmark, plain and mitigated."),
    "frontier": ("frontier", "What each mitigation costs in relevance at each level of bias."),
    "calibrate": ("calibrate", "Hold every metric and reranker against a bias of known dose."),
    "simulate": (
        "simulate",
        "Simulate with known truth: how far off numbers are when labels are wrong.",
    ),
    "train": (
        "train",
        (
            "Train an attribute's classifier, a projection or a mitigated encoder; the "
            "phantom and lite again."
        ),
    ),
    "reproduce": ("reproduce", "Compute the published numbers of the four source papers, live."),
    "demo": (
        "demo",
        "Audit and mitigate a small image search of known bias: the product in one command.",
    ),
    "completion": ("completion", "Print the shell completion script."),
}


class _Lazy(click.Group):
    """A group whose commands are imported when they are run, so that ``--help`` is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            from fairlead.errors import unknown_name

            raise click.UsageError(str(unknown_name("command", cmd_name, _COMMANDS)))
        module = importlib.import_module(f"fairlead.cli.{_COMMANDS[cmd_name][0]}")
        return sparing(offering(module.command))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _COMMANDS.items()])


@click.group(
    cls=_Lazy,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 110,
        "auto_envvar_prefix": "FAIRLEAD",
    },
)
@click.version_option(__version__, prog_name="fairlead")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Audit and mitigate bias in text-image retrieval.

    \b
    Examples:
      fairlead demo
      fairlead check run.csv --groups labels.csv
      fairlead score run.csv --groups labels.csv --metric NDKL@10 --metric AbsBias@10
      fairlead rerank run.csv --groups labels.csv --attribute gender --mitigate pbm -k 20 -o
      mitigated.csv
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run a command and leave with the exit code of the documented table."""
    words = list(sys.argv[1:] if args is None else args)
    asked = (
        _watch() if args is None else []
    )  # in a process of its own, being asked to end cleans up as Ctrl-C does
    try:
        code = cli.main(args=words, prog_name="fairlead", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        if (
            not words or type(error).__name__ == "NoArgsIsHelpError"
        ):  # no command at all: the help is the answer, not an error
            click.echo(error.format_message(), err=True)
            sys.exit(2)
        _tell(words, "usage", error.format_message(), _usage_hint(error))
        sys.exit(2)
    except Exception as error:
        if not asked:
            _leave_with(error, words)
        click.echo(
            "Interrupted.", err=True
        )  # a library may answer an interruption with an error of its own
        sys.exit(128 + asked[0])


def _watch() -> list[int]:
    """The signals by which this process is asked to end, as they come in."""
    asked: list[int] = []

    def interrupted(number: int, _: object) -> None:
        asked.append(number)
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)
    return asked


def _leave_with(error: Exception, words: Sequence[str]) -> NoReturn:
    if isinstance(error, FairleadError):
        if "--debug" in words:
            traceback.print_exc()
        _tell(words, error.kind, error.message, error.hint)
        sys.exit(exit_code(error))
    if isinstance(error, BrokenPipeError):
        sys.stderr.close()
        sys.exit(0)
    if "--debug" in words:  # anything not raised on purpose is our fault
        traceback.print_exc()
    hint = "This is a fault of fairlead. Run with 'fairlead --debug ...' and report it."
    _tell(words, "internal", f"{type(error).__name__}: {error}", hint)
    sys.exit(OUR_FAULT)


def _usage_hint(error: click.ClickException) -> str:
    context: Any = getattr(error, "ctx", None)
    return (
        f"See '{context.command_path} --help'." if context is not None else "See 'fairlead --help'."
    )


def _tell(words: Sequence[str], kind: str, message: str, hint: str) -> None:
    if "--json" in words:
        click.echo(
            json.dumps(
                {"error": {"kind": kind, "message": message, "hint": hint}}, ensure_ascii=False
            )
        )
    else:
        click.echo(f"error: {message}", err=True)
        if hint:
            click.echo(f"  {hint}", err=True)
