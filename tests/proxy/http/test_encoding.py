"""JSON responses of any size have the length of their body, and are written in parts."""

from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.http.encoding import WRITTEN_BYTES, json_response_in_steps

BODIES: dict[str, Any] = {"small": {"a": [1, 2]}, "large": {"a": ["text"] * WRITTEN_BYTES}}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_a_body_of_any_size_arrives_with_its_length(body: Any) -> None:
    async def handler(_: web.Request) -> web.Response:
        return await json_response_in_steps(body)

    app = web.Application()
    app.router.add_get("/", handler)
    async with TestClient(TestServer(app)) as client, client.get("/") as response:
        data = await response.read()
        assert int(response.headers["Content-Length"]) == len(data)
        assert "Transfer-Encoding" not in response.headers
        assert response.content_type == "application/json"
        assert await response.json() == body
