"""Universes of ids."""

import os

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.store import ids
from fairlead.store.ids import IdEncoder, Universe

EXAMPLES = 500 if os.environ.get("FAIRLEAD_BARS") == "full" else 60
words = st.lists(st.text("abc", max_size=3).map(lambda word: f"x{word}"), max_size=20)


@given(words, words)
@settings(max_examples=EXAMPLES, deadline=None)
def test_universe_extended_keeps_rows_and_finds_all(first: list[str], second: list[str]) -> None:
    one = Universe.of(first)
    two, rows = one.extend(second)
    assert list(one) == list(dict.fromkeys(first))
    assert list(two) == list(dict.fromkeys(first + second))
    assert [two[int(row)] for row in rows] == second
    assert one.rows(second).tolist() == [
        list(one).index(word) if word in list(one) else -1 for word in second
    ]


@given(st.lists(words, max_size=6), st.integers(0, 10))
@settings(max_examples=EXAMPLES, deadline=None)
def test_encoder_block_by_block_is_as_if_at_once(blocks: list[list[str]], pending: int) -> None:
    encoder = IdEncoder()
    before, ids._PENDING_BYTES = ids._PENDING_BYTES, pending
    try:
        for block in blocks:
            encoder.add(pa.array(block, pa.string()))
    finally:
        ids._PENDING_BYTES = before
    universe, rows = encoder.finish()
    flat = [word for block in blocks for word in block]
    assert list(universe) == list(dict.fromkeys(flat))
    assert [universe[int(row)] for row in rows] == flat


def test_universe_is_a_sequence_of_text() -> None:
    items = Universe.of(["a", "b", "c", "a"])
    assert (items[0], items[-1], items[1:], len(items)) == ("a", "c", ("b", "c"), 3)
    assert "b" in items and "z" not in items and 7 not in items
    assert list(reversed(items)) == ["c", "b", "a"] and items.index("b") == 1
    assert (
        items == Universe.of("abc")
        and items != Universe.of("ab")
        and hash(items) == hash(Universe.of("abc"))
    )
    assert repr(items) == "Universe(3 ids)"
    with pytest.raises(IndexError):
        items[3]
