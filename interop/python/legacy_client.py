"""The official Python client of the legacy revisions (mcp 1.28.1) against a server on stdio.

usage: legacy_client.py PATH_OF_EVERYTHING_SERVER
"""

from __future__ import annotations

from datetime import timedelta

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client

from witness import ANSWER_SECONDS, INVALID_PARAMS, Checks, WatchedServer, main, text_of


async def talk(server: WatchedServer, checks: Checks) -> None:
    parameters = StdioServerParameters(command=server.command, args=server.args)
    limit = timedelta(seconds=ANSWER_SECONDS)
    async with (
        stdio_client(parameters) as (read, write),
        ClientSession(read, write, read_timeout_seconds=limit) as session,
    ):
        opened = await session.initialize()
        checks.equal("initialize agrees on the last legacy revision", opened.protocolVersion, "2025-11-25")

        tools = {tool.name for tool in (await session.list_tools()).tools}
        checks.equal("tools/list names echo and add", {"echo", "add"} - tools, set())

        echo = await session.call_tool("echo", {"text": "hello"})
        checks.equal("echo answers with its text", (echo.isError, text_of(echo)), (False, ["hello"]))

        add = await session.call_tool("add", {"a": 19, "b": 23})
        checks.equal("add answers with the sum", (add.isError, text_of(add)), (False, ["42"]))

        try:
            await session.call_tool("no-such-tool", {})
            checks.fail("an unknown tool is an error", "it was answered with a result")
        except McpError as error:
            checks.equal("an unknown tool is an error", error.error.code, INVALID_PARAMS)

        echo = await session.call_tool("echo", {"text": "again"})
        checks.equal("the session goes on after the error", text_of(echo), ["again"])


if __name__ == "__main__":
    main(talk)
