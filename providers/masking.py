"""Masking: no key and no address of the operator's network leaves in a text that a provider wrote."""

import re

MASK = "***"

# Every pattern is linear: one literal start, one character class, no nesting.
_SECRETS = (
    (
        re.compile(r"\b(sk|pk|rk|gsk|xai|hf|r8|nvapi|pplx|csk|tgp|or)([-_])[\w*.-]{4,}"),
        rf"\1\2{MASK}",
    ),  # OpenAI and others
    (re.compile(r"\bAIza[\w*-]{4,}"), f"AIza{MASK}"),  # Google
    (re.compile(r"\bya29\.[\w.-]+"), f"ya29.{MASK}"),  # Google access tokens
    (re.compile(r"\beyJ[\w-]{8,}\.[\w.-]+"), f"eyJ{MASK}"),  # JSON web tokens
    (re.compile(r"(?i)\b(bearer|basic)([ +]|%20)[^\s\"',;]{4,}"), rf"\1 {MASK}"),
    (re.compile(r"(?i)\b((?:api[-_]?|access[-_]?|goog[-_]?api[-_]?)?(?:key|token|secret)=)[^&\s\"'<>]+"), rf"\1{MASK}"),
    (re.compile(r"(?i)(://)[^/\s@\"']+@"), rf"\1{MASK}@"),  # user:password in a URL
    # "Incorrect API key provided: 0123abcd.", `"api_key": "..."`: of no known form, but said to be one. With a digit,
    # so that "unexpected token: something" stays.
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
      | \blocalhost\b
      | (?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}
        \.(?:internal|local|localdomain|lan|corp|intra|home|svc|cluster)\b(?:\.[\w-]{1,63}){0,3}
      | (?<=://)[\w-]{1,63}(?=[:/\s"']|$)                              # http://vllm:8000
    )
    (?::\d{1,5})?
    (?:/[^\s"'<>()]*)?
    """
)
_PLACE = "(address removed)"


def masked(text: str) -> str:
    """The text without keys, tokens and addresses that only mean something inside."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return _HOST.sub(_PLACE, text)
