"""The official Python client of the modern revision (mcp 2.3.0) against a server.

usage: modern_client.py PATH_OR_URL_OF_EVERYTHING_SERVER

A path is started and spoken to over stdio, a URL over Streamable HTTP.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import mcp
from mcp import MCPError, StdioServerParameters

from conversation import ANSWER_SECONDS, Answer, Refused, main
from witness import Server, WatchedServer


class ModernClient:
    expected_revision = "2026-07-28"
    handshake = "server/discover"

    def __init__(self, client: mcp.Client) -> None:
        self._client = client
        self.revision = client.protocol_version
        self.server_name = client.server_info.name

    async def tools(self) -> set[str]:
        return {tool.name for tool in (await self._client.list_tools()).tools}

    async def call(self, name: str, arguments: dict, on_step: Callable[[float], None] | None = None) -> Answer:
        async def progress(step: float, total: float | None, message: str | None) -> None:
            on_step(step)

        try:
            result = await self._client.call_tool(name, arguments, progress_callback=progress if on_step else None)
        except MCPError as error:
            raise Refused(error.code, error.message) from error
        return Answer(bool(result.is_error), [block.text for block in result.content if block.type == "text"])

    async def call_and_cancel(self, name: str, arguments: dict, when: Callable[[], Awaitable[None]]) -> None:
        async with anyio.create_task_group() as calls:
            there = anyio.Event()

            async def watch() -> None:
                await when()
                there.set()

            calls.start_soon(self.call, name, arguments)
            calls.start_soon(watch)
            await there.wait()
            # The library tells the server by itself.
            calls.cancel_scope.cancel()


@asynccontextmanager
async def open_client(server: Server) -> AsyncIterator[ModernClient]:
    if isinstance(server, WatchedServer):
        target = StdioServerParameters(command=server.command, args=server.args)
    else:
        target = server.url
    # The mode "auto" asks with `server/discover` and falls back to `initialize`; the revision tells which it was.
    async with mcp.Client(target, mode="auto", read_timeout_seconds=ANSWER_SECONDS) as client:
        yield ModernClient(client)


if __name__ == "__main__":
    main(open_client)
