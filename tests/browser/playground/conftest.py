"""Fixtures: a server whose providers send the answers of these tests, and a page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import completion_events, serve_command, watched_page
from tests.browser.playground.page import OPENED, open_page
from tests.conftest import Launch
from tests.upstreams.wire import Break, serving, sse

HOSTILE = """# Bridges <script>window.pwned = 1</script>

The Harlan bridge was opened on 4 May 1932 [1]. It is **17 lanes** wide. <img src=x onerror="window.pwned = 2">
[innocent](javascript:window.pwned=3) ![stolen](http://127.0.0.1:9/leak?secret) <style>body { display: none }</style>

| bridge | opened |
|---|---|
| Harlan | opened on 4 May 1932 [1] |

```python
lanes[1] = "<b>not a marker</b>"
```

The load is $\\frac{p}{2}$ a metre. The Harlan bridge was opened in May 1932. جسر هارلان افتتح في 4 مايو 1932.
"""
WIDE = f"""The load is low.

```python
print("{"a line of code that is wider than any window " * 5}")
```

| bridge | remarks |
|---|---|
| Harlan | {"a remark that needs some space, as they do. " * 2} |

$$
{"a + " * 80} b
$$

{"https://example.org/" + "path/" * 60}
"""


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("playground")
    unfinished = completion_events(f"{OPENED} {'Then it rained. ' * 9}")[:9]
    with (
        serving(sse(*completion_events(HOSTILE))) as hostile,
        serving(sse(*completion_events(""))) as silent,
        serving(sse(*completion_events(WIDE))) as wide,
        serving(sse(*unfinished, Break.STALL)) as stalled,
    ):
        providers = {
            "extractive": {"kind": "extractive"},
            "hostile": {"kind": "openai", "base_url": f"{hostile.url}/v1", "api_key": "k", "models": ["m"]},
            "silent": {"kind": "openai", "base_url": f"{silent.url}/v1", "api_key": "k", "models": ["m"]},
            "stalled": {"kind": "openai", "base_url": f"{stalled.url}/v1", "api_key": "k", "models": ["m"]},
            "wide": {"kind": "openai", "base_url": f"{wide.url}/v1", "api_key": "k", "models": ["m"]},
        }
        with launch(serve_command(folder, {"providers": providers}), folder / "log") as url:
            yield url


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """Yield the loaded page. Fail if it sent requests to other servers or logged errors."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    with watched_page(context, (server,)) as page:
        open_page(page, server)
        yield page
    context.close()
