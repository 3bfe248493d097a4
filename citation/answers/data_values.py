"""Claims in structured text that is not in a fence: JSON, CSV, YAML, XML and code. The text itself is not changed."""

import re
from collections.abc import Iterator

from ..markers import MarkerNames
from ..text.segmentation import DATA, Kind, Sentence
from .draft import Draft
from .json_values import JsonValues
from .value_claims import ValueClaims

MIN_WORDS = 4  # words of a field of CSV, or a comment or string of code, that makes a claim of its own
MAX_HEADER_WORDS = 3  # words of the name of a column


class DataValues:
    """The values of the structured blocks of one answer."""

    def __init__(self, names: MarkerNames, question: str = "") -> None:
        """Create the state before the answer. The parameters are those of ValueClaims."""
        self.is_whole_answer = False  # whether the answer has values, and no other text than thoughts
        self._has_other_text = False
        self._names = names
        self._question = question
        self._kind: Kind | None = None  # the open block
        self._json: JsonValues | None = None
        self._claims = ValueClaims(names, question)
        self._line: list[str] = []  # pieces of an incomplete line
        self._line_start = 0
        self._is_first_line = True
        self._separator = ""

    def feed(self, sentence: Sentence) -> list[Draft]:
        """Add the next sentence of the answer. Return the claims of the values that it completes."""
        drafts: list[Draft] = []
        if sentence.kind not in DATA and sentence.kind is not Kind.THOUGHT and sentence.text.strip():
            self._has_other_text, self.is_whole_answer = True, False
        if sentence.kind is not self._kind:
            drafts += self.finish()
            if sentence.kind not in DATA:
                return drafts
            self._begin(sentence)
        if self._json:
            self._json.feed(sentence.text)
            return [*drafts, *_joined(self._json.drafts_in_parts(final=False))]
        if not self._line:
            self._line_start = sentence.start
        self._line.append(sentence.text)
        return drafts + self._end_line() if sentence.text.endswith("\n") else drafts

    def finish(self, *, complete: bool = True) -> list[Draft]:
        """Return the claims of the last values, because the block ends.

        `complete`: False if the answer was cut, so that an incomplete last line makes no claim.
        """
        drafts: list[Draft] = []
        if self._json:
            drafts = _joined(self._json.drafts_in_parts())
        elif self._line and complete:
            drafts = self._end_line()
        self._kind, self._json, self._line = None, None, []
        return drafts

    def _begin(self, sentence: Sentence) -> None:
        self.is_whole_answer = not self._has_other_text
        self._kind = sentence.kind
        self._claims = ValueClaims(self._names, self._question, sentence.kind)
        self._is_first_line = True
        if sentence.kind is Kind.JSON:
            self._json = JsonValues(self._names, None, self._question, Kind.JSON, sentence.start)

    def _end_line(self) -> list[Draft]:
        line, self._line = "".join(self._line), []
        is_first, self._is_first_line = self._is_first_line, False
        match self._kind:
            case Kind.CSV:
                return self._of_row(line, is_first)
            case Kind.YAML:
                return self._of_yaml(line)
            case Kind.UNFENCED_CODE:
                spans = [match.span(match.lastgroup or 0) for match in _CODE_TEXT.finditer(line)]
                long = [span for span in spans if len(line[slice(*span)].split()) >= MIN_WORDS]
                return [draft for span in long for draft in self._of_text(line, *span)]
            case _:
                values = (match.span() for match in _XML_TEXT.finditer(line))
                return [draft for span in values for draft in self._of_text(line, *span)]

    def _of_row(self, line: str, is_first: bool) -> list[Draft]:
        row = line.rstrip()
        if is_first:
            separators = _SEPARATOR.findall(row)
            self._separator = max(",;\t", key=separators.count)
        fields = [field for field in _FIELDS[self._separator].finditer(row) if field[0]]
        if is_first and all(_is_column_name(field["text"] or field["quoted"] or "") for field in fields):
            return []
        spans = [field.span("quoted" if field["quoted"] is not None else "text") for field in fields]
        long = [span for span in spans if len(row[slice(*span)].split()) >= MIN_WORDS]
        if long:
            return [draft for span in long for draft in self._of_text(line, *span)]
        text = ", ".join(row[slice(*span)] for span in spans)
        return self._claims.claim(text, self._line_start, self._line_start + len(row), Kind.TABLE_ROW)

    def _of_yaml(self, line: str) -> list[Draft]:
        value = _YAML_VALUE.match(line)
        if value is None or not value["value"]:
            return []
        begin, end = value.span("value")
        if line[begin] == line[end - 1] == '"' and end - begin > 1:
            return _joined(self._claims.of_string(line[begin + 1 : end - 1], self._line_start + begin + 1))
        return self._of_text(line, begin, end)

    def _of_text(self, line: str, begin: int, end: int) -> list[Draft]:
        return _joined(self._claims.of_text(line[begin:end], self._line_start + begin))


_SEPARATOR = re.compile("[,;\t]")
_FIELDS = {
    separator: re.compile(rf'"(?P<quoted>(?:[^"]|"")*)"|(?P<text>[^{separator}"]+)') for separator in (",", ";", "\t")
}
_YAML_VALUE = re.compile(
    r"""\s*(?:-\s+)*(?:(?:[\w .-]{1,60}|"[^"\n]*"|'[^'\n]*'):\s+)?(?:[|>][-+\d]*\s*\Z|#.*|---\s*\Z|"""
    r"""(?P<value>[^\s#](?:.*\S)?))?"""
)
# Comments and strings, also those of several lines
_CODE_TEXT = re.compile(
    r"""(?:(?:\A|\s)(?:#|//|--)+\s|\A\s*/?\*+\s)\s*(?P<comment>[^\n]*?)(?:\s*\*/)?\s*\Z"""
    r"""|(?P<quotes>\"{3}|'{3}|["'`])(?P<string>[^"'`\n]+)(?P=quotes)"""
)
_XML_TEXT = re.compile(r"(?<![^<>\n])[^<>\n]+(?=<|\n|\Z)(?![^<>\n]*>)")


def _is_column_name(field: str) -> bool:
    return len(field.split()) <= MAX_HEADER_WORDS and not any(character.isdigit() for character in field)


def _joined(parts: Iterator[list[Draft]]) -> list[Draft]:
    return [draft for part in parts for draft in part]
