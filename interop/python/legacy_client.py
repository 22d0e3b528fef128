"""The official Python client of the legacy revisions (mcp 1.28.1) against a server.

usage: legacy_client.py PATH_OR_URL_OF_EVERYTHING_SERVER

A path is started and spoken to over stdio. A URL that ends with /sse is spoken to over HTTP+SSE, others over
Streamable HTTP.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta

import anyio
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from conversation import ANSWER_SECONDS, Answer, Refused, main
from witness import Server, WatchedServer


class LegacyClient:
    expected_revision = "2025-11-25"
    handshake = "initialize"

    def __init__(self, session: ClientSession, opened: types.InitializeResult) -> None:
        self._session = session
        self.revision = opened.protocolVersion
        self.server_name = opened.serverInfo.name

    async def tools(self) -> set[str]:
        return {tool.name for tool in (await self._session.list_tools()).tools}

    async def call(self, name: str, arguments: dict, on_step: Callable[[float], None] | None = None) -> Answer:
        async def progress(step: float, total: float | None, message: str | None) -> None:
            on_step(step)

        try:
            result = await self._session.call_tool(name, arguments, progress_callback=progress if on_step else None)
        except McpError as error:
            raise Refused(error.error.code, error.error.message) from error
        return Answer(result.isError, [block.text for block in result.content if block.type == "text"])

    async def call_and_cancel(self, name: str, arguments: dict, when: Callable[[], Awaitable[None]]) -> None:
        # The library tells the server nothing when a call is abandoned, and does not say which id a call
        # has: this is the id that it gives to the next one.
        request_id = self._session._request_id
        async with anyio.create_task_group() as calls:
            there = anyio.Event()

            async def watch() -> None:
                await when()
                there.set()

            calls.start_soon(self.call, name, arguments)
            calls.start_soon(watch)
            await there.wait()
            cancelled = types.CancelledNotificationParams(requestId=request_id, reason="no longer needed")
            await self._session.send_notification(
                types.ClientNotification(types.CancelledNotification(params=cancelled))
            )
            calls.cancel_scope.cancel()


def connect(server: Server) -> AbstractAsyncContextManager[tuple]:
    if isinstance(server, WatchedServer):
        return stdio_client(StdioServerParameters(command=server.command, args=server.args))
    return sse_client(server.url) if server.speaks_sse else streamable_http_client(server.url)


@asynccontextmanager
async def open_client(server: Server) -> AsyncIterator[LegacyClient]:
    limit = timedelta(seconds=ANSWER_SECONDS)
    async with (
        connect(server) as (read, write, *_),
        ClientSession(read, write, read_timeout_seconds=limit) as session,
    ):
        yield LegacyClient(session, await session.initialize())


if __name__ == "__main__":
    main(open_client)
