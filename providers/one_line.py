"""Text of others, such as the names of files, in messages of one line."""

# Line breaks, which could forge a line, and characters that move the cursor or change the direction of the text:
# controls, the separators of lines and paragraphs, bidirectional controls, and parts of characters (lone surrogates)
_UNSAFE = (
    *range(0x20),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F),
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
)
_ESCAPED = {code: chr(code).encode("unicode_escape").decode("ascii") for code in _UNSAFE}


def one_line(text: str) -> str:
    r"""Return a text in which line breaks and other control characters are visible, such as `\n` and `\x1b`."""
    return text.translate(_ESCAPED)
