"""The name of a model in an address cannot change the rest of the path."""

from urllib.parse import quote

import pytest
from aiohttp.test_utils import TestClient, TestServer
from yarl import URL

from citestream.providers import provider as make_provider
from citestream.providers.errors import Rejected
from citestream.providers.events import RelayRequest
from citestream.providers.gemini import GeminiProvider
from citestream.providers.openai import azure_url
from citestream.providers.settings import Settings
from citestream.providers.transport import model_path
from citestream.providers.transport.session import exact_url
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Server, script, sse, whole

PATHS = {
    "gemini-2.5-flash": "gemini-2.5-flash",
    "claude@20250514": "claude%4020250514",
    "org/model": "org%2Fmodel",
    "a?key=b#c": "a%3Fkey%3Db%23c",
    "a:predict": "a%3Apredict",
    "..a/b..": "..a%2Fb..",
    "%2e%2e/x": "%252e%252e%2Fx",
    "a\\..\\b": "a%5C..%5Cb",
    "ä\r\nHost: x": "%C3%A4%0D%0AHost%3A%20x",
}
OTHER_PATHS = [
    "..",
    ".",
    "",
    "/",
    "a//b",
    "../../admin",
    "models/../../../files",
    "a/..",
    "./a",
    "//evil.example/x",
    "\ud800",
]


@pytest.mark.parametrize("name", PATHS)
def test_a_name_is_percent_encoded(name: str) -> None:
    assert model_path(name) == PATHS[name]


@pytest.mark.parametrize("name", OTHER_PATHS)
def test_a_name_that_leads_to_another_path_is_not_a_model(name: str) -> None:
    with pytest.raises(Rejected) as raised:
        model_path(name)
    assert (raised.value.status, raised.value.code) == (404, "model_not_found")


# Names that the provider gets -> the path of the request below the base address; None: the request is refused.
GEMINI_PATHS = {
    "m": "models/m",
    "models/m": "models/m",
    "tunedModels/t": "tunedModels/t",
    "m:streamGenerateContent?x=/#": None,
    "m:streamGenerateContent": "models/m%3AstreamGenerateContent",
    "m?x=1": "models/m%3Fx%3D1",
    "m@v1": "models/m%40v1",
    "m%3Ax": "models/m%253Ax",
    "models/m:batchDelete": "models/m%3AbatchDelete",
    **dict.fromkeys(["files/abc", "batches/b", "cachedContents/c", "fileSearchStores/s/documents", "corpora/c"]),
    **dict.fromkeys(["tunedModels/t/permissions", "models/m/operations/o", "endpoints/e", "publishers/p/models/m"]),
    **dict.fromkeys(["@127.0.0.1:1/x", "models/", "models/..", "Models/m", "models%2Fm/x", "operations/o", "a?x=/b#"]),
    **dict.fromkeys(OTHER_PATHS),
}
VERTEX_PATHS = {
    "m": "publishers/google/models/m",
    "models/1": "models/1",
    "endpoints/1": "endpoints/1",
    "publishers/anthropic/models/m@1": "publishers/anthropic/models/m%401",
    "m:rawPredict": "publishers/google/models/m%3ArawPredict",
    **dict.fromkeys(["tunedModels/t", "cachedContents/c", "batchPredictionJobs/b", "endpoints/1/operations/2"]),
    **dict.fromkeys(["publishers/google", "publishers/google/notebooks/m", "projects/p/locations/l/endpoints/1"]),
    **dict.fromkeys(OTHER_PATHS),
}


@pytest.mark.parametrize("vertex", [False, True])
async def test_gemini_is_requested_only_for_resources_that_generate_content(vertex: bool) -> None:
    paths = VERTEX_PATHS if vertex else GEMINI_PATHS
    async with Server(sse(b"{}")) as server:
        base = f"{server.url}/v1/projects/p" if vertex else server.url
        provider = GeminiProvider(Settings(base_url=base, api_key="AIza", vertex=vertex))
        for name, path in paths.items():
            del server.requests[:]
            request = RelayRequest(b"{}", ":generateContent", name)
            if path is None:
                with pytest.raises(Rejected):
                    await provider.relay(request)
                assert server.requests == [], name
            else:
                await (await provider.relay(request)).body.aclose()
                start = "/v1/projects/p" if vertex else "/v1beta"
                assert [one.target for one in server.requests] == [f"{start}/{path}:generateContent"], name
        await provider.aclose()


@pytest.mark.parametrize("resource", ["files/abc", "batches/b1", "cachedContents/c1", "fileSearchStores/s", "@host/x"])
async def test_a_client_reads_no_other_resource_of_the_account(resource: str) -> None:
    async with Server(script(whole("200 OK", b'{"uri": "private"}', "Content-Type: application/json"))) as upstream:
        providers = {"g": {"kind": "gemini", "base_url": upstream.url, "api_key": "AIza-operator"}}
        async with TestClient(TestServer(make_app(parse({"providers": providers})))) as client:
            for path in (resource, quote(resource, safe="")):
                described = await client.get(URL(f"/v1beta/models/g/{path}", encoded=True))
                assert "private" not in await described.text()
                for method in ("generateContent", "streamGenerateContent", "countTokens", "embedContent"):
                    address = URL(f"/v1beta/models/g/{path}:{method}", encoded=True)
                    answer = await client.post(address, json={"contents": [{"parts": [{"text": "Hi"}]}]})
                    assert (answer.status, "private" in await answer.text()) == (404, False)
        assert upstream.requests == []


DESCRIBED = {"openai": "/v1/models/", "anthropic": "/v1/models/"}


@pytest.mark.parametrize("kind", DESCRIBED)
async def test_the_name_of_a_described_model_is_one_segment_of_the_path(kind: str) -> None:
    async with Server(script(whole("200 OK", b"{}", "Content-Type: application/json"))) as upstream:
        base = f"{upstream.url}/v1" if kind == "openai" else upstream.url
        provider = make_provider(kind, base_url=base, api_key="k")
        for name in ("org/m", "m:x", "a@b", "m?x=1#y", "m%2fx"):
            await provider.describe(name)
        await provider.aclose()
    names = ["org%2Fm", "m%3Ax", "a%40b", "m%3Fx%3D1%23y", "m%252fx"]
    assert [request.target for request in upstream.requests] == [f"{DESCRIBED[kind]}{name}" for name in names]


ADDRESSES = {
    "http://h/v1/models/a%3Ab%40c": "http://h/v1/models/a%3Ab%40c",
    "http://h:1?api-version=1": "http://h:1/?api-version=1",
    "https://bücher.example/ä b": "https://xn--bcher-kva.example/%C3%A4%20b",
    "http://[::1]:8000/v1": "http://[::1]:8000/v1",
    "http://h": "http://h/",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_sent_as_it_is_written(address: str) -> None:
    url = exact_url(address)
    assert f"{url.origin()}{url.raw_path_qs}" == ADDRESSES[address]


def test_an_azure_deployment_is_one_segment_of_the_path() -> None:
    assert "/deployments/a%2Fb%3Fc/chat" in azure_url("https://r.openai.azure.com", "/chat/completions", "a/b?c", "")
    with pytest.raises(Rejected):
        azure_url("https://r.openai.azure.com", "/chat/completions", "..", "")
