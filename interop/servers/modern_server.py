"""A server of the official Python package of the modern revision (mcp 2.3.0), over stdio."""

from __future__ import annotations

from typing import Annotated

import anyio
from mcp.server import MCPServer
from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve, Sample
from mcp_types import CreateMessageResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("python-modern", log_level="ERROR")


class Name(BaseModel):
    name: str


def ask_name() -> Elicit[Name]:
    return Elicit("Your name?", Name)


def say_something() -> Sample:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Say something."))
    return Sample([message], max_tokens=10)


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
async def ask(name: Annotated[ElicitationResult[Name], Resolve(ask_name)]) -> str:
    return f"action={name.action}"


@server.tool()
async def sample(said: Annotated[CreateMessageResult, Resolve(say_something)]) -> str:
    return said.content.text


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
