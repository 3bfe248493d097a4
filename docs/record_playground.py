"""Record the pictures of the playground, in Chromium with a real server: an animation and two screenshots.

    .venv/bin/python docs/record_playground.py

A local server replays the model's answer token by token. The answer has a wrong number and a wrong citation. The
markers, the support and the references are those of Citestream. The program needs the extra `dev` and Chromium.
"""

import asyncio
import io
import json
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web
from PIL import Image
from playwright.async_api import Page, async_playwright, expect

ANSWER = (
    "The Saturn V had three stages and was 110.6 metres tall [3]. It flew fifteen times [1]. "
    "Apollo 12 was struck by lightning twice during the first minute of its flight [2]. "
    "Apollo 13 did not land on the Moon, because an oxygen tank exploded [3]."
)
IMAGES = Path(__file__).parent / "images"
TOKEN_SECONDS = 0.08
FRAME_MS = 120
SIZE = {"width": 1000, "height": 560}
COLORS = 128  # with fewer, the background changes its tint; the file stays below 200 kB


async def complete(request: web.Request) -> web.StreamResponse:
    """Stream ANSWER as a chat completion, at the pace of a hosted model."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    deltas = [{"content": token} for token in re.findall(r"\s*\S{1,6}", ANSWER)]
    for delta, finish in [*((delta, None) for delta in deltas), ({}, "stop")]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "model", "choices": [choice]}
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
        await asyncio.sleep(TOKEN_SECONDS)
    await response.write(b"data: [DONE]\n\n")
    return response


async def models(_: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [{"id": "model", "object": "model"}]})


@asynccontextmanager
async def model_server() -> AsyncIterator[str]:
    """Yield the address of the server that replays the answer."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/v1/models", models)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def citestream(model: str) -> AsyncIterator[str]:
    """Yield the address of a Citestream server that asks `model`."""
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0"]
    environment = {**os.environ, "OPENAI_BASE_URL": model, "OPENAI_API_KEY": "none"}
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, env=environment)
    try:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        async for line in process.stdout:
            if b" listening on " in line:
                yield line.decode().split(" listening on ")[1].strip()
                break
    finally:
        process.terminate()
        await process.wait()


async def frames(page: Page) -> list[tuple[Image.Image, int]]:
    """Ask, and return the pictures of the page with the milliseconds that each is shown."""
    taken: list[tuple[Image.Image, int]] = []

    async def take(milliseconds: int = FRAME_MS) -> None:
        taken.append((Image.open(io.BytesIO(await page.screenshot())).convert("RGB"), milliseconds))

    await page.click("#example")
    await page.select_option("#model", "openai/model")
    await page.locator("#release").evaluate("node => { node.value = 'live' }")  # the element is in a closed dialog
    await take(1500)
    await page.click("#go")
    while not await page.locator(".actions").is_visible():
        await take()
    await take(3000)
    await page.hover(".marker >> nth=0")
    await expect(page.get_by_role("dialog")).to_be_visible()  # the window has no room for the panel
    await take(4000)
    return taken


def merge_equal(taken: list[tuple[Image.Image, int]]) -> list[tuple[Image.Image, int]]:
    """Return the frames with runs of equal pictures merged into one that is shown for longer."""
    merged: list[tuple[Image.Image, int]] = []
    for image, milliseconds in taken:
        if merged and merged[-1][0].tobytes() == image.tobytes():
            merged[-1] = (image, merged[-1][1] + milliseconds)
        else:
            merged.append((image, milliseconds))
    return merged


async def save_screenshots(page: Page) -> None:
    """Ask the embedded provider, and save pictures of an opened marker and of the inspector."""
    await page.set_viewport_size({"width": 1180, "height": 760})
    await page.evaluate("localStorage.clear()")  # the chosen model
    await page.goto(page.url.partition("#")[0])  # a new chat
    await expect(page.locator("#model")).to_have_value("extractive")
    await page.click("#example")
    await page.click("#go")
    await expect(page.locator(".actions")).to_be_visible()
    await page.click(".marker >> nth=0")
    await page.screenshot(path=IMAGES / "passage.png")
    await page.keyboard.press("Escape")
    await page.click(".inspect")
    await page.locator("#inspector details").first.evaluate("node => { node.open = true }")
    await page.screenshot(path=IMAGES / "inspector.png")


async def record() -> list[tuple[Image.Image, int]]:
    """Return the frames of one recording."""
    async with model_server() as model, citestream(model) as url, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = await browser.new_page(viewport=SIZE)
        await page.goto(url)
        await expect(page.locator("#model")).to_have_value("extractive")  # the page has its options
        taken = merge_equal(await frames(page))
        await save_screenshots(page)
        await browser.close()
    return taken


def write(taken: list[tuple[Image.Image, int]], output: Path) -> None:
    """Write the frames as an animated GIF with one palette."""
    both = Image.new("RGB", (SIZE["width"], 2 * SIZE["height"]))  # the palette needs the colors of page and dialog
    for index in (0, 1):
        both.paste(taken[index - 2][0], (0, index * SIZE["height"]))
    palette = both.quantize(COLORS, method=Image.Quantize.MAXCOVERAGE)
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image, _ in taken]
    times = [milliseconds for _, milliseconds in taken]
    images[0].save(output, save_all=True, append_images=images[1:], duration=times, loop=0, optimize=True)
    print(f"{output}: {len(images)} frames, {output.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    write(asyncio.run(record()), IMAGES / "playground.gif")
