"""``fairlead completion``."""

from __future__ import annotations

import click

from fairlead.cli.saying import say


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a SHELL.

    It completes commands, options, and the names of metrics, mitigations, trainings, models,
    benchmarks and annotators.

    \b
    Example:
      eval "$(fairlead completion bash)"
    """
    from click.shell_completion import get_completion_class

    # Only now: main mounts this command, and at the top each would import the other.
    from fairlead.cli.main import cli

    completion = get_completion_class(shell)
    assert completion is not None
    say(completion(cli, {}, "fairlead", "_FAIRLEAD_COMPLETE").source())
