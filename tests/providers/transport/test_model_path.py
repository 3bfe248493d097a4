"""The name of a model in an address cannot change the rest of the path."""

import pytest

from citestream.providers.errors import Rejected
from citestream.providers.events import RelayRequest
from citestream.providers.gemini import GeminiProvider
from citestream.providers.openai import azure_url
from citestream.providers.settings import Settings
from citestream.providers.transport import model_path
from tests.upstreams.wire import Server, sse

PATHS = {
    "gemini-2.5-flash": "gemini-2.5-flash",
    "models/claude@20250514": "models/claude@20250514",
    "a?key=b#c": "a%3Fkey%3Db%23c",
    "a:predict": "a%3Apredict",
    "..a/b..": "..a/b..",
    "%2e%2e/x": "%252e%252e/x",
    "a\\..\\b": "a%5C..%5Cb",
    "ä\r\nHost: x": "%C3%A4%0D%0AHost%3A%20x",
}
OTHER_PATHS = ["..", ".", "", "/", "a//b", "../../admin", "models/../../../files", "a/..", "./a", "//evil.example/x"]


@pytest.mark.parametrize("name", PATHS)
def test_a_name_is_percent_encoded(name: str) -> None:
    assert model_path(name) == PATHS[name]


@pytest.mark.parametrize("name", OTHER_PATHS)
def test_a_name_that_leads_to_another_path_is_not_a_model(name: str) -> None:
    with pytest.raises(Rejected) as raised:
        model_path(name)
    assert (raised.value.status, raised.value.code) == (404, "model_not_found")


@pytest.mark.parametrize("vertex", [False, True])
async def test_gemini_is_requested_only_below_its_base_path(vertex: bool) -> None:
    async with Server(sse(b"{}")) as server:
        base = f"{server.url}/v1/projects/p" if vertex else server.url
        provider = GeminiProvider(Settings(base_url=base, api_key="AIza", vertex=vertex))
        for name in OTHER_PATHS:
            with pytest.raises(Rejected):
                await provider.relay(RelayRequest(b"{}", ":generateContent", name))
        assert server.requests == []
        answer = await provider.relay(RelayRequest(b"{}", ":generateContent", "a?x=/b#"))
        await answer.body.aclose()
        await provider.aclose()
    base_path = "/v1/projects/p" if vertex else "/v1beta"
    assert [request.target for request in server.requests] == [f"{base_path}/a%3Fx=/b%23:generateContent"]


def test_an_azure_deployment_is_one_segment_of_the_path() -> None:
    assert "/deployments/a%2Fb%3Fc/chat" in azure_url("https://r.openai.azure.com", "/chat/completions", "a/b?c", "")
    with pytest.raises(Rejected):
        azure_url("https://r.openai.azure.com", "/chat/completions", "..", "")
