"""What every reranker says of itself."""

from __future__ import annotations

from typing import ClassVar

from fairlead.protocols.spec import Configured


class DescribedReranker(Configured):
    """A reranker's card: what the reference, tables and reports say of it, and what the engine asks
    before it calls. The members that the engine asks for are explained in ``protocols.Reranker``.
    """

    source: ClassVar[str]
    blind_spot: ClassVar[str]
    promise: ClassVar[str]
    uses_target: ClassVar[bool] = True
    reads_background: ClassVar[bool] = False
    bounds_prefixes: ClassVar[bool] = False

    @property
    def floor(self) -> float:
        """The share of every list that one group is promised."""
        return 0.0
