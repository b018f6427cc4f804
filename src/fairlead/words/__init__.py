"""Word banks, written by us, by language.

Their words name a gender, an age, a skin tone or a people; persons, work, things and names. The
trigger and the annotators share them. ``bank`` gives the sections of one language, ``forms`` the
inflected forms of a word, ``gender_words`` every form that names a gender.

The sections of a bank (``data/*.json``), one line a section:

    gender.*, pronouns.*       name a gender; ``other`` is neither female nor male
    age.*, age.adjectives      name an age; adjectives count beside a person only
    skin.people                name a skin tone or a people and can mean nothing but people
    skin.colours, skin.peoples colours and peoples, which count beside a person only
                               (black doctor, not black cat)
    traits.*, hints.*          imply a group: surely (pregnant), perhaps (bald)
    both, range.*              ask for all groups (men and women; of all ages)
    persons, work              people; work is written masculine/feminine where a language has both
    offices, titles, own, kin, single
                               speak of one person (the mayor of Hamburg, Dr., my, brother)
    places, travel             countries, and people who go there
    history.*, revival         people and times of the past, and words that bring them back
                               (reenactment)
    settings, depictions       perhaps people, perhaps not (wedding, hands; statue, robot)
    things, scenes, compounds  no people; scenes may stand beside people (nurse hospital),
                               compounds hide words for people (nurse shark)
    maybe, verbs               people or things (model), things or deeds (a watch, she watches)
    suffixes.*                 endings that tell what an unknown word is, but for the words in
                               ``suffix_exceptions``
    function, split, links, and, medium, mention, negation, nobody, feminine_articles
                               grammar
"""

from fairlead.words.banks import LANGUAGES, bank, gender_words, names
from fairlead.words.forms import forms

__all__ = ["LANGUAGES", "bank", "forms", "gender_words", "names"]
