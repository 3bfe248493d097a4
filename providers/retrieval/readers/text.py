"""Text and Markdown, read in windows, so that a large file takes no more memory than a small one."""

import codecs
import re
from collections.abc import Iterator
from importlib import import_module

from .front_matter import front_matter
from .part import Part, UnreadableFileError
from .source_file import SourceFile

WINDOW_CHARACTERS = 2**20  # characters in memory; the length of a book
BLOCK_BYTES = 2**18  # bytes per read
SAMPLE_BYTES = 2**16  # bytes from which an encoding is detected
WESTERN = "cp1252"  # the encoding of Windows in Western Europe, which contains Latin-1
# Letters besides ASCII: German, French, Spanish, Portuguese, Italian, Nordic languages, Icelandic
_WESTERN_LETTERS = (
    "äöüßéà",
    "àâæçéèêëîïôœùûüÿ",
    "áéíóúüñïç",
    "áâãàçéêíóôõú",
    "àèéìíîòóùú",
    "åäöæøéüàšž",
    "áéíóúýþæöð",
)
_PUNCTUATION = "\xa0¡«·»¿–—‘’‚“”„†•…€£§©®°×"
# Opening punctuation that follows a letter. In the encodings of DOS, these bytes are the letters é, ä and í.
_MISPLACED = re.compile(r"[^\W\d_][‚„¡]")
_MIN_SHARE = 0.95  # smallest share of the characters besides ASCII; foreign names have others
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield the text in windows that end with a paragraph. The fields of the front matter apply to all of them."""
    encoding = encoding_of(source)
    with source.text(encoding) as file:
        text = file.read(WINDOW_CHARACTERS)
        fields, start = front_matter(text)
        text = text[start:]
        while text:
            more = file.read(WINDOW_CHARACTERS)
            end = len(text) if not more else _last_paragraph(text)
            yield Part(text[:end], start, fields=fields)
            start += end
            text = text[end:] + more


def encoding_of(source: SourceFile) -> str:
    """Return the encoding. Raises UnreadableFileError if the file is not text.

    A byte order mark names it. Text that is valid UTF-8 is UTF-8. Text whose characters besides ASCII are those of one
    Western European language is Windows-1252. Any other encoding is detected.
    """
    with source.binary() as file:
        head = file.read(SAMPLE_BYTES)
        encoding = next((name for mark, name in _BOMS.items() if head.startswith(mark)), "utf-8")
        decoder = codecs.getincrementaldecoder(encoding)()
        last = block = head
        try:
            while block:
                if encoding == "utf-8" and b"\0" in block:
                    _not_text(source)
                decoder.decode(block)
                last, block = block, file.read(BLOCK_BYTES)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            if encoding != "utf-8":
                return _not_text(source)
            return _detect_encoding(source, _sample(block, error.start) if block else last[-SAMPLE_BYTES:])
    return encoding


def _sample(block: bytes, offset: int) -> bytes:
    """Return the bytes from the start of the line at an offset. The text before may be ASCII, which shows nothing."""
    start = max(block.rfind(b"\n", 0, offset) + 1, offset - SAMPLE_BYTES // 2)
    return block[start : start + SAMPLE_BYTES]


def _detect_encoding(source: SourceFile, sample: bytes) -> str:
    encoding = WESTERN if _is_western(sample) else _guess_encoding(source, sample)
    try:
        source.read_text(encoding)
    except UnicodeDecodeError:
        return _not_text(source)
    return encoding


def _is_western(sample: bytes) -> bool:
    """Return whether a sample is text of a Western European language in Windows-1252.

    charset_normalizer prefers other encodings for short German and French texts, and for Spanish, Italian and Swedish
    texts of any length.
    """
    text = sample.decode(WESTERN, "replace").lower()
    if _MISPLACED.search(text):
        return False
    letters = [character for character in text if not character.isascii() and character not in _PUNCTUATION]
    return max(
        sum(map(letters_of_language.count, letters)) for letters_of_language in _WESTERN_LETTERS
    ) >= _MIN_SHARE * len(letters)


def _guess_encoding(source: SourceFile, sample: bytes) -> str:
    best = import_module("charset_normalizer").from_bytes(sample).best()
    return str(best.encoding) if best else _not_text(source)


def _not_text(source: SourceFile) -> str:
    raise UnreadableFileError(source.path, "is not text; give it the suffix of its format")


def _last_paragraph(text: str) -> int:
    """Return the start of the last paragraph or line, the end of a text with neither."""
    for end in (text.rfind("\n\n") + 2, text.rfind("\n") + 1):
        if end > len(text) // 2:
            return end
    return len(text)
