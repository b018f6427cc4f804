"""A query as it is read: its tokens, and the phrases of the lexicon in it.

Longer phrases win, and so do the languages that the query is likely in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from fairlead.trigger.characters import name_in_characters, simplified
from fairlead.trigger.emoji import shown
from fairlead.trigger.endings import SPACED, told_by_ending, vouched
from fairlead.trigger.lexicon import NAMES, Lexicon, Meaning, lexicon
from fairlead.trigger.tokens import Token, tokens
from fairlead.words import LANGUAGES, bank

# From so many words of one language on, a lone word of another one may be there by chance
_FOREIGN = 4
_STRONG = ("gender", "skin", "age", "work", "person", "role")
_WORK = ("work", "person")
# Kinds that say how somebody stands to another, not who it is
_ADDRESS = ("kin", "title")
_ALL = frozenset(LANGUAGES)
_GRAMMAR = frozenset(
    (
        "function",
        "split",
        "link",
        "and",
        "medium",
        "negation",
        "own",
        "mention",
        "feminine_articles",
    )
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of the lexicon in a query, from token ``first`` to before ``last``.

    ``guessed`` says that its meaning was only guessed from its ending.
    """

    first: int
    last: int
    entries: tuple[Meaning, ...]
    words: str
    guessed: bool = False

    @property
    def kinds(self) -> frozenset[str]:
        """All it can mean."""
        return _kinds(self.entries)

    def has(self, *kinds: str) -> bool:
        """Whether it can mean one of these."""
        return not _kinds(self.entries).isdisjoint(kinds)

    def groups(self, kind: str) -> frozenset[str]:
        """The groups it names."""
        return frozenset(entry.group for entry in self.entries if entry.kind == kind)


@lru_cache(maxsize=65536)
def _kinds(entries: tuple[Meaning, ...]) -> frozenset[str]:
    return frozenset(entry.kind for entry in entries)


@lru_cache(maxsize=65536)
def _spoken(entries: tuple[Meaning, ...]) -> frozenset[str]:
    return frozenset(entry.language for entry in entries) & _ALL


@dataclass(frozen=True, eq=False)
class QueryReading:
    """A query as it is read.

    Attributes:
        tokens: Its words.
        marks: Phrases of the lexicon in it, in their order, none over another.
        language: The language most of its words are in; English where nothing tells.
    """

    tokens: tuple[Token, ...]
    marks: tuple[Phrase, ...]
    language: str

    @cached_property
    def at(self) -> dict[int, Phrase]:
        """The mark over each token."""
        return {place: mark for mark in self.marks for place in range(mark.first, mark.last)}

    @cached_property
    def head_first(self) -> bool:
        """Whether what is asked for stands before what describes it."""
        return bank(self.language)["head"] == ("first",)

    @cached_property
    def capitals_tell(self) -> bool:
        """Whether a capital letter says something.

        It does not in a title, nor where everything is in capitals.
        """
        words = [
            t
            for place, t in enumerate(self.tokens)
            if t.kind == "word"
            and t.text[:1].isalpha()
            and not self.is_grammar(place)
            and not (place in self.at and self.at[place].has("title"))
        ]
        large = [t for t in words if len(t.written) > 1 and t.written.isupper()]
        return not (len(words) > 2 and sum(t.capital for t in words) > 0.8 * len(words)) and len(
            large
        ) < max(len(words), 2)

    def is_grammar(self, place: int) -> bool:
        """Whether a token only joins others."""
        mark = self.at.get(place)
        return mark is not None and mark.kinds <= _GRAMMAR

    def touching(self, place: int) -> bool:
        """Whether the token at ``place`` follows the one before it without a break."""
        return 0 < place < len(self.tokens) and not self.tokens[place].apart

    def before(self, place: int) -> Phrase | None:
        """What ends right before the token at ``place``, without a break between them."""
        if not self.touching(place):
            return None
        return self.at.get(place - 1)

    def here(self, place: int) -> Phrase | None:
        """What stands at ``place``, without a break before it."""
        if not self.touching(place):
            return None
        return self.at.get(place)

    def with_kind(self, *kinds: str) -> list[Phrase]:
        """The marks that can mean one of these."""
        if not self._present.isdisjoint(kinds):
            return [mark for mark in self.marks if mark.has(*kinds)]
        return []

    @cached_property
    def _present(self) -> frozenset[str]:
        return frozenset().union(*(mark.kinds for mark in self.marks))


def read(text: str) -> QueryReading:
    """Read a query."""
    words = lexicon()
    text_tokens = _segmented(tokens(text), words)
    marks = _matched(text_tokens, words)
    votes = _votes(marks)
    language = max(
        (code for code in LANGUAGES if votes[code]), key=lambda code: votes[code], default="en"
    )
    marks = _told_by_endings(text_tokens, marks, words, votes)
    return QueryReading(tuple(text_tokens), _told_apart(_likely(marks, votes, language)), language)


def _segmented(text_tokens: list[Token], words: Lexicon) -> list[Token]:
    """Runs of unspaced writing, cut into the longest words of the lexicon.

    What the lexicon does not know stays together.
    """
    if all(token.kind != "cjk" for token in text_tokens):
        return text_tokens
    cut: list[Token] = []
    for token in text_tokens:
        text = token.text
        at = 0
        for part in (token.text,) if token.kind != "cjk" else _parts(text, words):
            cut.append(
                token if part == text else Token(part, part, "cjk", apart=token.apart and not at)
            )
            at += len(part)
    return cut


def _parts(text: str, words: Lexicon) -> Iterator[str]:
    """Names by their form first, then the longest known words, then what is left between them."""
    start = rest = 0
    common = simplified(text)
    while start < len(text):
        name = name_in_characters(text, start)
        longest = min(words.longest_unspaced, len(text) - start)
        ends = range(start + longest, start, -1)
        known = next(
            (
                end
                for end in ends
                if text[start:end] in words.unspaced or common[start:end] in words.unspaced
            ),
            start,
        )
        size = len(name) or known - start
        if size:
            if rest < start:
                yield text[rest:start]
            yield text[start : start + size]
            rest = start + size
        start += size or 1
    if rest < len(text):
        yield text[rest:]


def _matched(text_tokens: list[Token], words: Lexicon) -> list[Phrase]:
    """Leftmost longest phrases."""
    marks: list[Phrase] = []
    place = 0
    while place < len(text_tokens):
        size, entries = _longest(text_tokens, place, words)
        if entries:
            if text_tokens[place].inclusive:
                without_gender = tuple(e for e in entries if e.kind != "gender")
                known = any(e.kind in ("work", "person") for e in without_gender)
                if known:
                    entries = without_gender
                else:
                    entries = (*without_gender, Meaning(entries[0].language, "person"))
            if size == 1:
                written = text_tokens[place].written
            else:
                written = " ".join(t.written for t in text_tokens[place : place + size])
            marks.append(Phrase(place, place + size, entries, written))
        place += size
    return marks


def _longest(
    text_tokens: list[Token], place: int, words: Lexicon
) -> tuple[int, tuple[Meaning, ...]]:
    """The longest phrase that begins at a token: how many tokens it has, and what it can mean."""
    token = text_tokens[place]
    if token.kind == "cjk":
        known = words.of_characters(token.text)
        if name_in_characters(token.text) == token.text:
            known = (*known, Meaning(NAMES, "name"))
        return 1, known
    if token.kind == "emoji":
        return 1, tuple(Meaning("emoji", kind, group) for kind, group in shown(token.text))
    for size in range(min(words.longest.get(token.text, 1), len(text_tokens) - place), 1, -1):
        part = text_tokens[place : place + size]
        entries = words.phrases.get(tuple(t.text for t in part))
        if entries and not any(t.apart or t.kind != "word" for t in part[1:]):
            return size, tuple(entries)
    return 1, words.words.get(token.text, ())


def _votes(marks: Iterable[Phrase]) -> Counter[str]:
    """How many words speak for each language."""
    votes: Counter[str] = Counter()
    for mark in marks:
        for code in _spoken(mark.entries):
            votes[code] += mark.last - mark.first
    return votes


def _likely(marks: list[Phrase], votes: Counter[str], language: str) -> list[Phrase]:
    """The marks in the likely languages of the query; names stay.

    Meanings in less likely languages go.
    """
    # words that the main language does not have speak for another one
    alone = _votes(m for m in marks if language not in _spoken(m.entries))
    return [_in_language(mark, votes, language, alone) for mark in marks]


def _in_language(mark: Phrase, votes: Counter[str], language: str, alone: Counter[str]) -> Phrase:
    spoken = _spoken(mark.entries)
    if not spoken or (len(spoken) == 1 and language in spoken):
        return mark
    most = max(votes[code] for code in spoken)
    tied = [code for code in LANGUAGES if code in spoken and votes[code] == most]
    best = next(
        (
            code
            for code in tied
            if any(e.language == code and e.kind not in _ADDRESS for e in mark.entries)
        ),
        tied[0],
    )
    meanings = tuple(e for e in mark.entries if e.language not in spoken or e.language == best)
    if any(e.kind in _WORK for e in meanings) and any(
        {e.kind for e in mark.entries if e.language == code} == {"thing"} for code in tied
    ):
        # a person in one language and a thing in another, and nothing tells which is spoken
        meanings = (Meaning(best, "maybe"),)
    if (
        language not in spoken
        and votes[language] >= _FOREIGN
        and max(alone[code] for code in spoken) < 2
    ):
        # one word of another language: by chance if it is a weak one, or if the sentence is long
        strong = mark.has(*_STRONG) and most * _FOREIGN >= votes[language] - 1
        if strong:
            meanings = meanings
        else:
            meanings = tuple(e for e in meanings if e.language == NAMES) or (
                Meaning("", "foreign"),
            )
    if meanings == mark.entries:
        return mark
    return Phrase(mark.first, mark.last, meanings, mark.words, mark.guessed)


def _told_apart(marks: list[Phrase]) -> tuple[Phrase, ...]:
    """Words such as model or guide, as a person or as a thing.

    They are a person where a group is named beside them, and may be a thing elsewhere.
    """
    beside = ("gender", "skin", "colour", "people", "age", "age_adjective", "own", "trait")
    kind = "setting"
    if any(m.has(*beside) for m in marks):
        kind = "person"
    return tuple(_also(m, kind) for m in marks)


def _also(mark: Phrase, kind: str) -> Phrase:
    """A mark that may be two things, with one of them among its meanings; any other as it is."""
    if not mark.has("maybe"):
        return mark
    meanings = (*mark.entries, Meaning(mark.entries[0].language, kind))
    return Phrase(mark.first, mark.last, meanings, mark.words, mark.guessed)


def _told_by_endings(
    text_tokens: list[Token], marks: list[Phrase], words: Lexicon, votes: Counter[str]
) -> list[Phrase]:
    """The marks, and one for each unknown word whose ending tells what it is."""
    known = {place: mark for mark in marks for place in range(mark.first, mark.last)}
    # endings count in the languages that most words speak for
    most = max((votes[code] for code in SPACED), default=0)
    spoken = [code for code in SPACED if votes[code] == most]
    more = []
    for place, token in enumerate(text_tokens):
        if place in known or len(token.text) < 2:
            continue
        entries = told_by_ending(token, spoken, words)
        near = [known[at].kinds for at in (place - 1, place + 1) if at in known]
        # what is only guessed counts as work where its neighbours are said of people
        if entries and entries[0].kind == "guess" and vouched(place, text_tokens, near):
            entries = (Meaning(entries[0].language, "work"),)
        if entries:
            more.append(Phrase(place, place + 1, entries, token.written, guessed=True))
    return sorted([*marks, *more], key=lambda mark: mark.first)
