"""DocumentReader: splits the cited documents of a request into pieces, without delaying other requests."""

from base64 import b64decode
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import groupby
from math import ceil
from typing import Any

from citestream.citation.evidence import MAX_EVIDENCE, FieldError
from citestream.providers.retrieval.excerpts import TARGET_LENGTH, split_excerpts
from citestream.providers.retrieval.readers.isolated import read_document
from citestream.providers.retrieval.readers.part import NoTextError, UnreadableFileError
from citestream.providers.scheduler import Work, scheduler

from ...http.document_queue import DocumentQueue

Fields = dict[str, Any]

LONG_TEXT_CHARACTERS = 20_000  # characters; splitting as many lines takes 11 ms, more than other requests should wait
# Pieces of one request above which they get longer. Pieces are up to a half shorter than their target length, and a
# request may have other evidence.
MANY_PIECES = MAX_EVIDENCE // 2
DECODED_CHARACTERS = 400_000  # characters of base64: 4 ms
CACHED_CHARACTERS = 8_000_000  # total of the latest PDFs: a conversation repeats its documents with every question
OBJECT_CHARACTERS = 300  # the memory of a PDF or piece without its text: 250 to 350 bytes


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a document."""

    text: str
    headings: tuple[str, ...] = ()
    start: int = 0  # offset in a plain text
    page: int = 0  # number in a PDF, from 1


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """A plain text or a PDF of a request, with citations enabled."""

    number: int  # among all documents of the request
    path: str
    data: str  # the text, or the PDF in base64
    is_pdf: bool


class DocumentReader:
    """Reads documents in processes and threads, with a cache of the pieces of PDFs."""

    def __init__(self, queue: DocumentQueue) -> None:
        """`queue`: that of all documents of clients."""
        self._queue = queue
        self._cache: OrderedDict[bytes, list[Piece]] = OrderedDict()
        self._cached_characters = 0

    async def read(self, documents: Sequence[CitedDocument], client: str = "") -> Mapping[int, list[Piece]]:
        """Return the pieces of each document of a client. A PDF without text has none.

        Raises FieldError, and RequestError if too many documents wait.
        """
        pieces = {document.number: await self._pdf(document, client) for document in documents if document.is_pdf}
        texts = {document.number: document.data for document in documents if not document.is_pdf}
        length = max(TARGET_LENGTH, ceil(sum(map(len, texts.values())) / MANY_PIECES))
        work = Work("prepare_evidence")
        for number, text in texts.items():
            if len(text) > LONG_TEXT_CHARACTERS:
                pieces[number] = await scheduler().in_thread(partial(_split, text, length))
                continue
            with work:
                pieces[number] = _split(text, length)
            if work.due:
                await work.pause()
        if sum(map(len, pieces.values())) > MANY_PIECES:
            pieces |= {document.number: _by_page(pieces[document.number]) for document in documents if document.is_pdf}
        return pieces

    async def _pdf(self, document: CitedDocument, client: str) -> list[Piece]:
        try:
            data, key = await scheduler().in_thread(partial(_decode, document.data))
        except ValueError:
            raise FieldError(document.path, "is not base64") from None
        pieces = self._cache.get(key)
        if pieces is None:
            try:
                with self._queue.place(client):
                    async with self._queue.turn(client):
                        entries = await read_document(data, "document.pdf")
            except NoTextError:
                entries = []
            except UnreadableFileError as error:
                raise FieldError(document.path, error.reason) from None
            pieces = [_piece(entry) for entry in entries]
        self._add_to_cache(key, pieces)
        return pieces

    def _add_to_cache(self, key: bytes, pieces: list[Piece]) -> None:
        """Cache the pieces of a document, which another request may have read too. Drop those used longest ago."""
        if key not in self._cache:
            self._cache[key] = pieces
            self._cached_characters += _characters(pieces)
        self._cache.move_to_end(key)
        while self._cached_characters > CACHED_CHARACTERS and len(self._cache) > 1:
            _, oldest = self._cache.popitem(last=False)
            self._cached_characters -= _characters(oldest)


def _decode(data: str) -> tuple[bytes, bytes]:
    """Return the bytes of a document in base64, and their hash. Raises ValueError.

    The document is decoded in pieces, because decoding holds the interpreter's lock: 300 ms for 30 MB.
    """
    decoded, digest, undecoded = bytearray(), sha256(), ""
    for start in range(0, len(data), DECODED_CHARACTERS):
        piece = undecoded + "".join(data[start : start + DECODED_CHARACTERS].split())
        end = len(piece) // 4 * 4  # four characters are three bytes
        content, undecoded = b64decode(piece[:end]), piece[end:]
        decoded += content
        digest.update(content)
    b64decode(undecoded)  # raises an error for characters that are left over
    return bytes(decoded), digest.digest()


def _characters(pieces: Sequence[Piece]) -> int:
    """Return the characters for which the memory of the pieces counts, which is not 0 without any text."""
    return OBJECT_CHARACTERS + sum(OBJECT_CHARACTERS + len(piece.text) for piece in pieces)


def _piece(entry: Fields) -> Piece:
    headings = (entry["title"],) if entry.get("title") else ()
    return Piece(entry["text"], headings, page=entry.get("page_number") or 1)


def _split(text: str, length: int) -> list[Piece]:
    """Return the pieces of a plain text; the whole text if it consists of headings only."""
    whole = [Piece(text)] if text.strip() else []
    return [
        Piece(excerpt.text, excerpt.headings, start=excerpt.start) for excerpt in split_excerpts(text, length)
    ] or whole


def _by_page(pieces: Sequence[Piece]) -> list[Piece]:
    """Return one piece for each page."""
    pages = ((page, [*page_pieces]) for page, page_pieces in groupby(pieces, key=lambda piece: piece.page))
    return [
        Piece("\n".join(piece.text for piece in page_pieces), page_pieces[0].headings, page=page)
        for page, page_pieces in pages
    ]
