"""Recognise files that are probably not meant as evidence: keys, passwords and files without a suffix.

A folder of documents often contains them by mistake, and a client of the server could search for them. `--include`
names those that are meant.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import PurePosixPath

from ..readers import SourceFile

# Names of documents without a suffix; any other such file may be a program, a key or a configuration
_PROSE = """
    ABOUT AUTHORS CHANGELOG CHANGES CONTRIBUTING CONTRIBUTORS COPYING COPYRIGHT CREDITS FAQ HISTORY INSTALL LICENCE
    LICENSE MAINTAINERS NEWS NOTICE README RELEASE SECURITY THANKS
"""
_SECRETS = """
    apikey apikeys credential credentials creds htpasswd key keys keyring keystore kubeconfig passphrase passphrases
    passwd password passwords pwd secret secrets shadow token tokens
"""
# Words that only tell which secret it is. A name with any other word, such as "key-findings", is that of a document.
_QUALIFIERS = """
    access account admin adc api app application auth authorized aws azure backup bot client cloud config copy data db
    default dev dsa ecdsa ed gcloud gcp git github gitlab google host http id json legacy list live local login master
    my mysql new oauth old openai personal postgres priv private prod production pub public recovery refresh rsa service
    session signing slack ssh ssl stage staging stripe test tls user users web
"""
PROSE, SECRETS, QUALIFIERS = (frozenset(words.split()) for words in (_PROSE, _SECRETS, _QUALIFIERS))
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_IDENTIFIERS = re.compile(r"(?:client_secret|service[-_]account|id_(?:rsa|dsa|ecdsa|ed25519))", re.IGNORECASE)
_PRIVATE_KEY = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d")
# A text that explains such files does not begin like one
_KEY_FILE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:-----BEGIN |Bag Attributes|PuTTY-User-Key-File)")
HEAD_BYTES = 2**16  # bytes in which a private key is searched for; it may follow certificates


def private_reason(name: str, include: Sequence[str]) -> str:
    """Return why a file is skipped because of its name, "" if it is read."""
    path = PurePosixPath(name)
    if is_included(name, include):
        return ""
    if not path.suffix:
        if path.name.upper() in PROSE:
            return ""
        return _advice("has no suffix", path)
    return _advice("may contain a secret", path) if _names_secret(path.stem) else ""


def contains_private_key(source: SourceFile) -> bool:
    """Return whether a file consists of a private key and its certificates, whatever its name."""
    with source.binary() as content:
        head = content.read(HEAD_BYTES)
    return bool(_KEY_FILE.match(head) and _PRIVATE_KEY.search(head))


def is_included(name: str, include: Sequence[str]) -> bool:
    """Return whether a pattern names the file, or its path in the folder."""
    return any(fnmatch(name, pattern) or fnmatch(PurePosixPath(name).name, pattern) for pattern in include)


def _names_secret(stem: str) -> bool:
    words = [word.lower() for word in _WORD.findall(stem)]
    telling_words = [word for word in words if word not in QUALIFIERS and not word.isdigit()]
    return bool(_IDENTIFIERS.match(stem)) or (bool(telling_words) and all(word in SECRETS for word in telling_words))


def _advice(reason: str, path: PurePosixPath) -> str:
    return f"{reason}; --include '{path.name}' reads it"
