"""The baseline: a process with aiohttp on both sides that forwards every read unchanged."""

import asyncio
import sys

import aiohttp
import uvloop
from aiohttp import web

HEADERS = ("Content-Type", "Authorization")


async def serve(upstream: str) -> None:
    """Serve until killed. Print the port first."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(
        upstream, connector=connector, timeout=aiohttp.ClientTimeout(total=None)
    ) as session:

        async def relay(request: web.Request) -> web.StreamResponse:
            headers = {name: request.headers[name] for name in HEADERS if name in request.headers}
            async with session.post(request.rel_url, data=await request.read(), headers=headers) as answer:
                passed = web.StreamResponse(headers={"Content-Type": answer.headers["Content-Type"]})
                await passed.prepare(request)
                async for data in answer.content.iter_any():
                    await passed.write(data)
                await passed.write_eof()
            return passed

        app = web.Application(client_max_size=2**24)
        app.router.add_post("/{path:.*}", relay)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1]))
