"""A server of the official Python package of the legacy revisions (mcp 1.28.1), over stdio."""

from __future__ import annotations

import anyio
from mcp.server.fastmcp import Context, FastMCP
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

server = FastMCP("python-legacy", log_level="ERROR")


class Name(BaseModel):
    name: str


@server.tool()
def echo(text: str) -> str:
    return text


@server.tool()
def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def sleep(ms: int) -> str:
    await anyio.sleep(ms / 1000)
    return f"slept {ms} ms"


@server.tool()
async def progress(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
        await anyio.sleep(0.05)
    return "done"


@server.tool()
async def ask(ctx: Context) -> str:
    outcome = await ctx.elicit("Your name?", Name)
    return f"action={outcome.action}"


@server.tool()
async def sample(ctx: Context) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Say something."))
    result = await ctx.session.create_message([message], max_tokens=10)
    return result.content.text


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    return "a text"


@server.resource("test://template/{id}/data")
def templated(id: str) -> str:
    return f"data of {id}"


@server.prompt()
def greet(name: str = "you") -> str:
    return f"Greet {name}."


if __name__ == "__main__":
    server.run()
