"""The official Python client of the modern revision (mcp 2.3.0) against a server on stdio.

usage: modern_client.py PATH_OF_EVERYTHING_SERVER
"""

from __future__ import annotations

from mcp import Client, MCPError, StdioServerParameters

from witness import ANSWER_SECONDS, INVALID_PARAMS, Checks, WatchedServer, main, text_of


async def talk(server: WatchedServer, checks: Checks) -> None:
    parameters = StdioServerParameters(command=server.command, args=server.args)
    # The mode "auto" asks with `server/discover` and falls back to `initialize`; the revision tells which it was.
    async with Client(parameters, mode="auto", read_timeout_seconds=ANSWER_SECONDS) as client:
        checks.equal("server/discover agrees on the modern revision", client.protocol_version, "2026-07-28")

        tools = {tool.name for tool in (await client.list_tools()).tools}
        checks.equal("tools/list names echo and add", {"echo", "add"} - tools, set())

        echo = await client.call_tool("echo", {"text": "hello"})
        checks.equal("echo answers with its text", (echo.is_error, text_of(echo)), (False, ["hello"]))

        add = await client.call_tool("add", {"a": 19, "b": 23})
        checks.equal("add answers with the sum", (add.is_error, text_of(add)), (False, ["42"]))

        try:
            await client.call_tool("no-such-tool", {})
            checks.fail("an unknown tool is an error", "it was answered with a result")
        except MCPError as error:
            checks.equal("an unknown tool is an error", error.code, INVALID_PARAMS)

        echo = await client.call_tool("echo", {"text": "again"})
        checks.equal("the session goes on after the error", text_of(echo), ["again"])


if __name__ == "__main__":
    main(talk)
