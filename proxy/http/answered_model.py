"""Let an answer that is passed through name the model that the client requested.

Clients of Anthropic's API compare the two names: Claude Code leaves the thinking of "another" model out of the next
request, so that the model loses what it thought between its tool calls.
"""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from citestream.providers.events import Relayed
from citestream.providers.wire.json_text import dumps

# Anthropic's first event has about 1 KB, and its content is empty. Content that has begun can contain any field. A
# stream of another server may begin with content.
MAX_HELD_BYTES = 64 * 2**10
_MODEL = re.compile(rb'"model"\s*:\s*("(?:[^"\\]|\\.)*")')
_CONTENT = re.compile(rb'"content"\s*:\s*\[\s*[^\]\s]|"type"\s*:\s*"(?:content_block|message_delta|message_stop|error)')


async def renamed(relayed: Relayed, model: str) -> AsyncGenerator[bytes, None]:
    """Yield the body of an answer in which the model before the content is replaced by this one.

    It is unchanged otherwise, and altogether if the model is not named before the content. Bytes that arrived before an
    error are yielded before it is raised.
    """
    held = b""
    is_done = relayed.status >= 400
    async with aclosing(relayed.body) as body:
        try:
            async for data in body:
                if is_done or not data:
                    yield data
                    continue
                held += data
                content = _CONTENT.search(held)
                match = _MODEL.search(held, 0, content.start() if content else len(held))
                is_done = match is not None or content is not None or len(held) > MAX_HELD_BYTES
                if is_done:
                    yield held[: match.start(1)] + dumps(model) + held[match.end(1) :] if match else held
                    held = b""
        except Exception:
            if held:
                yield held
            raise
    if held:
        yield held
