"""Make the relative links of a Markdown file absolute, because a package index shows it outside the repository.

`python docs/absolute_links.py README.md https://HOST/OWNER/NAME v1.2.3` changes the file in place. The workflow of a
release calls it before the build. The addresses are those of GitHub: pages under `blob/TAG/`, images under `raw/TAG/`.
"""

import re
import sys
from pathlib import Path

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]+)\)")
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|#|/", re.IGNORECASE)  # an address, a heading of the same page


def absolute_links(text: str, repository: str, tag: str) -> str:
    """Return the text of a file in the top folder of the repository with absolute links."""

    def replaced(link: re.Match[str]) -> str:
        if _ABSOLUTE.match(link["target"]):
            return link[0]
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['text']}]({repository}/{kind}/{tag}/{link['target']})"

    return _LINK.sub(replaced, text)


if __name__ == "__main__":
    file, repository, tag = Path(sys.argv[1]), sys.argv[2].rstrip("/"), sys.argv[3]
    file.write_text(absolute_links(file.read_text("utf-8"), repository, tag), "utf-8")
