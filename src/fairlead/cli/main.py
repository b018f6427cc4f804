"""The command ``fairlead``: mounts the commands, shows errors, sets exit codes. Commands load when
they are used.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from fairlead import __version__
from fairlead.cli.interrupts import Interrupts
from fairlead.cli.lazy import LazyGroup
from fairlead.cli.saying import say, warnings_said
from fairlead.commands.verbs import GROUPS, VERBS
from fairlead.errors import OUR_FAULT, FairleadError, exit_code, told

_COMPLETION = "Print the shell completion script."
_MODULES = {"list": "listing"}
"""Commands whose module has another name: it would hide what Python has."""


def _commands() -> dict[str, tuple[str, str]]:
    """Of each command its module, and a line about it, in the order of the table of verbs."""
    about = {name: verb.about for name, verb in VERBS.items()}
    first = dict.fromkeys(name.split()[0] for name in about)
    lines = {name: GROUPS.get(name) or about[name] for name in first}
    lines["completion"] = _COMPLETION
    return {name: (_MODULES.get(name, name), line) for name, line in lines.items()}


@click.group(
    cls=LazyGroup,
    table=_commands(),
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
      fairlead rerank run.csv --groups labels.csv --attribute gender --mitigate pbm -k 20 -o new.csv
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run a command and leave with the exit code of the documented table."""
    words = list(sys.argv[1:] if args is None else args)
    # In a process of its own, being asked to end cleans up as Ctrl-C does. Called from Python, the
    # signals are the caller's.
    interrupts = Interrupts(lambda: _interrupted(words))
    if args is None:
        interrupts.watch()
    output, errors = sys.stdout, sys.stderr
    try:
        # In its standalone mode click would print errors itself and choose the exit code.
        with warnings_said():
            code = cli.main(args=words, prog_name="fairlead", standalone_mode=False)
        # What is still in the buffer is written where a fault of it can be told.
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except SystemExit:
        # Where the reader left early, click wraps the streams and ends with 1, which here means
        # that a check failed.
        if sys.stdout is not output:
            sys.stdout, sys.stderr = output, errors
            _leave_with(BrokenPipeError(), words)
        raise
    except click.exceptions.Abort as error:
        # To click any end of a file is that of the input: also one of a file that is cut off.
        if isinstance(error.__cause__, EOFError):
            _leave_with(error.__cause__, words)
        interrupts.say()
        sys.exit(130)
    except click.ClickException as error:
        # Without a command the help is the answer, not an error.
        if not words or type(error).__name__ == "NoArgsIsHelpError":
            say(error.format_message(), err=True)
            sys.exit(2)
        _tell(words, "usage", error.format_message(), _usage_hint(error))
        sys.exit(2)
    except Exception as error:
        if not interrupts.asked:
            _leave_with(error, words)
        # a library may answer an interruption with an error of its own
        interrupts.say()
        sys.exit(128 + interrupts.asked[0])


def _interrupted(words: Sequence[str]) -> str:
    """That a run was stopped, and how it goes on where it can."""
    # A verb has up to three words (annotate human plan).
    plain = [word for word in words if not word.startswith("-")]
    named = (VERBS.get(" ".join(plain[:count])) for count in (1, 2, 3))
    verb = next((one for one in named if one is not None), None)
    if verb is None and plain[:1] == ["annotate"]:
        verb = VERBS["annotate collection"]
    if verb is None or not verb.goes_on:
        return "Interrupted."
    return "Interrupted. Give the same command again: it goes on with what it has embedded so far."


def _leave_with(error: Exception, words: Sequence[str]) -> NoReturn:
    # The reader left early (| head), which is no fault.
    code = 0
    if not isinstance(error, BrokenPipeError):
        code = _told(error, words)
    # Python flushes once more when it ends, and would complain with an exit code of its own.
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _let_go(sys.stdout)
    sys.exit(code)


def _told(error: Exception, words: Sequence[str]) -> int:
    """Say what went wrong; gives the exit code."""
    if "--debug" in words:
        say("".join(traceback.format_exception(error)), err=True, nl=False)
    if isinstance(error, OSError):
        error = told(error) or error
    if isinstance(error, FairleadError):
        _tell(words, error.kind, error.message, error.hint)
        return exit_code(error)
    # Anything that is not raised on purpose is our fault.
    hint = "This is a fault of fairlead. Run with 'fairlead --debug ...' and report it."
    _tell(words, "internal", f"{type(error).__name__}: {error}", hint)
    return OUR_FAULT


def _usage_hint(error: click.ClickException) -> str:
    context: Any = getattr(error, "ctx", None)
    if context is None:
        return "See 'fairlead --help'."
    return f"See '{context.command_path} --help'."


def _tell(words: Sequence[str], kind: str, message: str, hint: str) -> None:
    # Programs that asked for JSON read standard output alone: there the error is JSON too.
    if "--json" in words:
        fault = {"error": {"kind": kind, "message": message, "hint": hint}}
        try:
            say(json.dumps(fault, ensure_ascii=False))
            return
        except OSError:
            # What cannot be written may be standard output itself.
            _let_go(sys.stdout)
    # Where nobody listens, the exit code alone says it.
    with suppress(OSError):
        say(f"error: {message}", err=True)
        if hint:
            say(f"  {hint}", err=True)


def _let_go(stream: Any) -> None:
    """Send what a stream still holds nowhere."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
