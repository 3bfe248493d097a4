"""Mask keys, and addresses of the operator's network, in texts that a provider wrote."""

import re

MASK = "***"
MIN_SECRET_CHARACTERS = 8  # characters of a registered key; a shorter one could be part of any word

_registered: set[str] = set()


def register_secrets(*secrets: str) -> None:
    """Register keys of this process. They are masked wherever a provider repeats them."""
    parts = (part for secret in secrets for part in (secret, secret.rpartition(" ")[2]))  # `ApiKey …`, `Bearer …`
    _registered.update(part for part in parts if len(part) >= MIN_SECRET_CHARACTERS)


# Every pattern is linear: one literal start, one character class, no nesting.
_SECRETS = (
    (re.compile(r"(?<![\w*.-])[\w.-]{0,64}\*{3}[\w*.-]{0,200}"), MASK),  # partly masked by a vendor: na***ys, ****6eA3
    (
        re.compile(r"\b(sk|pk|rk|gsk|xai|hf|r8|nvapi|pplx|csk|tgp|or)([-_])[\w*.-]{4,}"),
        rf"\1\2{MASK}",
    ),  # OpenAI and others
    (re.compile(r"\bAIza[\w*-]{4,}"), f"AIza{MASK}"),  # Google
    (re.compile(r"\bya29\.[\w.-]+"), f"ya29.{MASK}"),  # Google access tokens
    (re.compile(r"\beyJ[\w-]{8,}\.[\w.-]+"), f"eyJ{MASK}"),  # JSON web tokens
    (re.compile(r"(?i)\b(bearer|basic)([ +]|%20)[^\s\"',;]{4,}"), rf"\1 {MASK}"),
    (
        re.compile(
            r"(?i)\b((?:api[-_]?|access[-_]?|goog[-_]?api[-_]?)?(?:key|token|secret|password|sig|signature)=)"
            r"[\"']?[^&\s\"'<>]+[\"']?"
        ),
        rf"\1{MASK}",
    ),
    (re.compile(r"\b[0-9a-fA-F]{40,}\b"), MASK),  # hashes of keys, as LiteLLM shows them
    (re.compile(r"\b(gh[oprsu]|github_pat|glpat|sgp)([-_])\w{8,}"), rf"\1\2{MASK}"),
    (re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{12,}"), rf"\1{MASK}"),  # Amazon
    (re.compile(r"\bAQ\.[\w-]{8,}"), f"AQ.{MASK}"),  # Google's newer keys
    (re.compile(r"(?i)\b(key provided:)\s{0,4}[^\s\"',;]{4,}"), rf"\1 {MASK}"),
    (re.compile(r"(?i)\b(key|token) ([\"']?)(?=[a-z_.-]{0,64}\d)[\w.-]{12,}"), rf"\1 \2{MASK}"),
    # Accounts: OpenAI's organizations, projects and users, Google's projects
    (re.compile(r"\b(org-|proj_|user-)(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{12,}"), rf"\1{MASK}"),
    (re.compile(r"\b(projects/|resource project )[\w:.-]{1,64}"), rf"\1{MASK}"),
    (re.compile(r"(?i)(://)[^/\s@\"']+@"), rf"\1{MASK}@"),  # user:password in a URL
    # "Incorrect API key provided: 0123abcd.", `"api_key": "..."`: a key of unknown form, but called one. A digit is
    # required, so that "unexpected token: something" is not masked.
    (
        re.compile(
            r"(?i)(?<![^\W_])(key|token|secret|password)((?: provided)?[\"']?\s{0,4}:\s{0,4}[\"']?)"
            r"(?=[A-Z_.~+/-]{0,64}\d)[\w.~+/-]{8,}"
        ),
        rf"\1\2{MASK}",
    ),
)
_HOST = re.compile(
    r"""(?ix)
    (?:\b[a-z][a-z0-9+.-]{0,15}://)?
    (?:
        (?:\d{1,3}\.){3}\d{1,3}                                        # IPv4
      | \[[0-9a-f:.%]{2,45}\]                                          # IPv6 in brackets
      | (?<![\w:.])(?=[0-9a-f:]{0,37}::|(?:[0-9a-f]{1,4}:){7})(?=[0-9a-f]{0,4}:)              # IPv6
        [0-9a-f:]{2,39}(?:\.\d{1,3}){0,3}(?:%\w{1,16})?
      | \blocalhost\b
      | (?<=\blookup\ )[\w.-]{1,253} | (?<=\bhost\ )[\w.-]{1,253}(?=:\d) | (?<=\bhost=')[\w.-]{1,253}
      | (?<=\bconnect\ to\ )[\w-]{1,63}(?=:\d)
      | (?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}
        \.(?:internal|local|localdomain|lan|corp|intra|home|svc|cluster)\b(?:\.[\w-]{1,63}){0,3}
      | (?<=://)[\w-]{1,63}(?=[:/\s"']|$)                              # http://vllm:8000
    )
    (?::\d{1,5})?
    (?:/[^\s"'<>()]*)?
    """
)
_READ_FACTOR = 4  # characters that are read for each one that is returned: masks are shorter than what they replace
_MAX_CUT_SECRET_CHARACTERS = 1_000  # characters of the longest secret in a known form
_PLACE = "(address removed)"
_PATH = re.compile(
    r"(?<![\w/.:])(?:[A-Za-z]:\\|/(?:root|home|Users|usr|var|opt|etc|srv|mnt|data|app|tmp|run|workspace)/)[^\s\"'<>():,;]{1,500}"
)
_FILE = "(path removed)"


class KeyFilter:
    """Masks the registered keys in a stream of bytes. A key may be split between pieces."""

    def __init__(self) -> None:
        self._keys = [key.encode() for key in _registered]
        self._ends = frozenset(byte for key in self._keys for byte in key[:-1])
        self._held = b""  # the possible beginning of a key

    def feed(self, data: bytes) -> bytes:
        """Return the bytes that can be sent on."""
        data = self._held + data
        for key in self._keys:
            if key in data:
                data = data.replace(key, MASK.encode())
        held = self._key_prefix(data) if data and data[-1] in self._ends else 0
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def flush(self) -> bytes:
        """Return the held bytes at the end of the stream."""
        held, self._held = self._held, b""
        return held

    def _key_prefix(self, data: bytes) -> int:
        """Return the length of the longest end of the data with which a key begins."""
        return max((size for key in self._keys for size in range(1, len(key)) if data.endswith(key[:size])), default=0)


def mask_start(text: str, length: int) -> str:
    """Return the start of the masked text, at most `length` characters.

    Masking takes a microsecond per character, and a provider's message may have megabytes, so only the start is read.
    """
    read = _READ_FACTOR * length + _MAX_CUT_SECRET_CHARACTERS
    if len(text) > read:  # the end may be a part of a secret that is not recognised without the rest
        cut = max(0, read - max(_MAX_CUT_SECRET_CHARACTERS, *map(len, _registered), 0))
        text = text[: text.rfind(" ", 0, cut) if " " in text[:cut] else cut]
    return mask(text)[:length]


def mask(text: str) -> str:
    """Return the text without keys, tokens, and internal addresses and paths."""
    for secret in _registered:
        text = text.replace(secret, MASK)
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return _PATH.sub(_FILE, _HOST.sub(_PLACE, text))
