"""Client keys and other secrets of the server, and the check that no one can guess them."""

import hashlib
import re
from collections.abc import Sequence

from pydantic import Field, model_validator

from .section import Section, read_secret
from .validation_errors import ConfigError

# Characters of a secret. A digest of a shorter one can be searched for offline, and guessed by requests: 16 random
# characters of a key have 80 bits or more.
MIN_SECRET_CHARACTERS = 16
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PLACEHOLDER = re.compile(r"change.?me", re.IGNORECASE)  # a value that examples and templates contain
_PRINTABLE = re.compile(r"[!-~]+( +[!-~]+)*")  # every client can send such a key in a header
_MAKE_KEY = "`citestream make-key` prints one"


def hash_key(key: str) -> str:
    """Return the SHA-256 of a client key in hex."""
    # Header values can contain any byte. aiohttp decodes bytes that are not UTF-8 to lone surrogates.
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


# Hashes of keys that no client can present, or anyone: without a key, the key is empty.
_GUESSED = frozenset(map(hash_key, ("", " ", "\n", "change-me", "change_me", "changeme", "CHANGE-ME", "CHANGE_ME")))


def check_secret(secret: str) -> str:
    """Return a secret. Raise ValueError if it is easy to guess, without quoting it."""
    if len(secret) < MIN_SECRET_CHARACTERS:
        raise ValueError(f"must have at least {MIN_SECRET_CHARACTERS} characters")
    if _PLACEHOLDER.search(secret):
        raise ValueError("is the placeholder of an example")
    return secret


def check_client_key(key: str) -> str:
    """Return a client key. Raise ValueError if it is easy to guess or no client can present it."""
    try:
        check_secret(key)
    except ValueError as error:
        raise ValueError(f"a client key {error}; {_MAKE_KEY}") from None
    if not _PRINTABLE.fullmatch(key):
        raise ValueError(
            "no client can present this key: it must consist of printable ASCII characters, without a space at its ends"
        )
    return key


class ClientKey(Section):
    """A key that clients send as `Authorization: Bearer …`. Exactly one of `key`, `file` and `sha256` is set."""

    name: str = Field(default="", description="name of the client; shown in the access log")
    key: str = Field(
        default="",
        repr=False,
        description=f"the key itself, at least {MIN_SECRET_CHARACTERS} characters; "
        "prefer `${VARIABLE}` to a key in the file",
    )
    file: str = Field(default="", description="file that contains the key")
    sha256: str = Field(default="", description="SHA-256 hash of the key, as `citestream make-key` prints it")

    @model_validator(mode="after")
    def _one_way(self) -> "ClientKey":
        if sum(map(bool, (self.key, self.file, self.sha256))) != 1:
            raise ValueError("give exactly one of key, file and sha256, and not an empty one")
        if self.key:
            check_client_key(self.key)
        if self.sha256 and not _SHA256.fullmatch(self.sha256.strip().lower()):
            raise ValueError("sha256 must be 64 hexadecimal digits: citestream make-key")
        if self.sha256 and self.digest() in _GUESSED:
            raise ValueError(f"sha256 is the hash of an empty key or of a placeholder; {_MAKE_KEY}")
        return self

    def digest(self) -> str:
        """Return the SHA-256 of the key in hex. Raise ConfigError if its file cannot be read or has no such key."""
        if self.sha256:
            return self.sha256.strip().lower()
        if self.key:
            return hash_key(self.key)
        key = read_secret(self.file)
        try:
            return hash_key(check_client_key(key))
        except ValueError as error:
            raise ConfigError(f"{self.file}: {error}") from None


def check_distinct(keys: Sequence[ClientKey], link_secret: str = "") -> None:  # nosec B107 # an empty text is no secret
    """Raise ConfigError if a key is given twice, or is the secret that signs links, which clients must not know."""
    positions: dict[str, int] = {}
    for position, key in enumerate(keys):
        first = positions.setdefault(key.digest(), position)
        if first != position:
            raise ConfigError(
                f"server.keys[{position}] is the same key as server.keys[{first}]: both clients would be one"
            )
    if link_secret and hash_key(link_secret) in positions:
        raise ConfigError("server.link_secret must not be a client key: this client could sign links")
