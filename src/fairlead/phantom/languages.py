"""Ten real languages: words and captions of the second world, and their share of the web.

Shares are *stylised*: rounded, in the order of a web crawl of spring 2025, the tail raised so that
the smallest languages can be learnt at all, their sum 1. Tiers are those of the published tables,
which go by the crawl itself (5 % is High, 1 % Medium, less Low) and not by the stylised share:
Chinese stands at .09 here and is Medium. Five languages are High or Medium and five Low, so that
the two sides of LBKL are equally long in a balanced gallery. The ten share no word with each other
(``いす``, not ``椅子``): a bare word names its language as well as its concept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from fairlead.errors import unknown_name
from fairlead.phantom.streams import Stream
from fairlead.phantom.things import CONCEPTS

Tier = Literal["High", "Medium", "Low"]


@dataclass(frozen=True)
class Language:
    """A language of the phantom.

    Attributes:
        name: Its English name, in lower case.
        code: ISO 639-1.
        tier: Resource tier.
        share: Stylised share of the text a model is trained on.
        words: The everyday word for each concept.
        phrases: The word as a caption needs it (with an article); the word itself where the
            language needs none.
        templates: Captions with one place for a phrase, grammatical for every phrase.
    """

    name: str
    code: str
    tier: Tier
    share: float
    words: Mapping[str, str]
    phrases: Mapping[str, str]
    templates: tuple[str, ...]


def _language(
    name: str, code: str, tier: Tier, share: float, words: str, templates: str, phrases: str = ""
) -> Language:
    """A language from texts: words in the order of ``CONCEPTS``, and templates, split at " | "."""
    bare = dict(zip(CONCEPTS, words.split(" | "), strict=True))
    dressed = dict(zip(CONCEPTS, phrases.split(" | "), strict=True)) if phrases else bare
    return Language(name, code, tier, share, bare, dressed, tuple(templates.split(" | ")))


LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        _language(
            "english",
            "en",
            "High",
            0.60,
            (
                "house | boat | bread | tea | drum | lamp | bridge | chair | bowl | door | "
                "hat | basket | bicycle | tree | market | umbrella"
            ),
            "a picture of {} | here is {} | the drawing shows {}",
            "a house | a boat | bread | tea | a drum | a lamp | a bridge | a chair | "
            "a bowl | a door | a hat | a basket | a bicycle | a tree | a market | an umbrella",
        ),
        _language(
            "chinese",
            "zh",
            "Medium",
            0.09,
            "房子 | 船 | 面包 | 茶 | 鼓 | 灯 | 桥 | 椅子 | 碗 | 门 | "
            "帽子 | 篮子 | 自行车 | 树 | 市场 | 雨伞",
            "一张{}的图片 | 画里有{} | {}的插画",
        ),
        _language(
            "japanese",
            "ja",
            "Medium",
            0.09,
            "家 | 小舟 | パン | お茶 | 太鼓 | ランプ | 橋 | いす | お椀 | ドア | "
            "ぼうし | かご | 自転車 | 木 | 市場 | 傘",
            "{}の絵 | これは{}です | {}が描かれています",
        ),
        _language(
            "spanish",
            "es",
            "Medium",
            0.08,
            "casa | barco | pan | té | tambor | lámpara | puente | silla | "
            "tazón | puerta | sombrero | canasta | bicicleta | árbol | mercado | paraguas",
            "una imagen de {} | aquí se ve {} | el dibujo muestra {}",
            "una casa | un barco | pan | té | un tambor | una lámpara | un puente | una silla | "
            "un tazón | una puerta | un sombrero | una canasta | una bicicleta | un árbol | "
            "un mercado | un paraguas",
        ),
        _language(
            "french",
            "fr",
            "Medium",
            0.08,
            "maison | bateau | pain | thé | tambour | lampe | pont | chaise | "
            "bol | porte | chapeau | panier | vélo | arbre | marché | parapluie",
            "voici {} | on voit {} sur l’image | le dessin montre {}",
            "une maison | un bateau | du pain | du thé | un tambour | une lampe | un pont | "
            "une chaise | "
            "un bol | une porte | un chapeau | un panier | un vélo | un arbre | un marché | "
            "un parapluie",
        ),
        _language(
            "arabic",
            "ar",
            "Low",
            0.025,
            (
                "بيت | قارب | خبز | شاي | طبل | مصباح | جسر | كرسي | وعاء | باب | قبعة | سلة "
                "| دراجة | شجرة | سوق | مظلة"
            ),
            "صورة {} | في الصورة {} | رسم فيه {}",
        ),
        _language(
            "thai",
            "th",
            "Low",
            0.015,
            (
                "บ้าน | เรือ | ขนมปัง | ชา | กลอง | โคมไฟ | สะพาน | เก้าอี้ | ชาม | ประตู | "
                "หมวก | ตะกร้า | จักรยาน | ต้นไม้ | ตลาด | ร่ม"
            ),
            "ภาพ{} | รูปวาด{} | ในภาพมี{}",
        ),
        _language(
            "hindi",
            "hi",
            "Low",
            0.01,
            (
                "घर | नाव | रोटी | चाय | ढोल | दीपक | पुल | कुर्सी | कटोरा | दरवाज़ा | टोपी "
                "| टोकरी | साइकिल | पेड़ | बाज़ार | छाता"
            ),
            "तस्वीर में {} है | यह {} है | चित्र: {}",
        ),
        _language(
            "swahili",
            "sw",
            "Low",
            0.006,
            "nyumba | mashua | mkate | chai | ngoma | taa | daraja | kiti | "
            "bakuli | mlango | kofia | kikapu | baiskeli | mti | soko | mwavuli",
            "picha ya {} | mchoro wa {} | kwenye picha kuna {}",
        ),
        _language(
            "yoruba",
            "yo",
            "Low",
            0.004,
            "ilé | ọkọ̀ ojú omi | búrẹ́dì | tíì | ìlù | àtùpà | afárá | àga | "
            "abọ́ | ilẹ̀kùn | fìlà | apẹ̀rẹ̀ | kẹ̀kẹ́ | igi | ọjà | agboòrùn",
            "àwòrán {} | {} wà nínú àwòrán yìí | èyí ni {}",
        ),
    )
}
"""By name, largest share first."""


def caption(concept: str, language: str, seed: int) -> str:
    """A caption of a concept in a language. The seed chooses the template, the same number in every
    language.

    >>> caption("umbrella", "english", 1)
    'a picture of an umbrella'
    """
    spoken = _spoken(concept, language)
    # The key leaves out the language: one seed is the same wording in all ten.
    template = spoken.templates[
        Stream(f"caption/{concept}/{seed}").below("template", len(spoken.templates))
    ]
    return template.format(spoken.phrases[concept])


def query(concept: str, language: str) -> str:
    """The bare native word, as somebody would type it.

    >>> query("bread", "swahili")
    'mkate'
    """
    return _spoken(concept, language).words[concept]


def tier(language: str) -> Tier:
    """The resource tier of a language.

    >>> tier("yoruba")
    'Low'
    """
    return _known(language).tier


def _spoken(concept: str, language: str) -> Language:
    if concept not in CONCEPTS:
        raise unknown_name("concept", str(concept), CONCEPTS)
    return _known(language)


def _known(language: str) -> Language:
    if language not in LANGUAGES:
        raise unknown_name("language", str(language), LANGUAGES)
    return LANGUAGES[language]
