"""What each client says to the server, and what must come back."""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio

from witness import Checks, RemoteServer, Server, WatchedServer

# For everything together. Each step takes milliseconds; the limit turns a hanging server into a failure.
LIMIT_SECONDS = 30
# For one answer.
ANSWER_SECONDS = 10
# For an answer after a call was cancelled, which would otherwise have taken 5 s.
PROMPT_SECONDS = 1

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

# Two bytes, three bytes, a sequence of joined emoji, line ends of several kinds, and what JSON must escape.
TEXT = 'Grüße, 世界!\nsecond line\r\n\ttab "quoted" \\ \u2028 👩\u200d🚀 🎉'
TOOLS = {"echo", "add", "sleep", "progress", "fail", "panic"}


@dataclass(frozen=True)
class Answer:
    """The result of a tool."""

    is_error: bool
    texts: list[str]


class Refused(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code} {message}")
        self.code = code


class Client(Protocol):
    """What the two client libraries have in common, under one name."""

    revision: str
    expected_revision: str
    handshake: str
    server_name: str

    async def tools(self) -> set[str]: ...

    async def call(
        self, name: str, arguments: dict, on_step: Callable[[float], None] | None = None
    ) -> Answer: ...

    async def call_and_cancel(self, name: str, arguments: dict, when: Callable[[], Awaitable[None]]) -> None:
        """Calls, waits for `when`, and takes the call back."""


Opened = AbstractAsyncContextManager[Client]


async def converse(client: Client, checks: Checks) -> None:
    checks.equal(
        "client and server agree on the revision",
        client.revision,
        client.expected_revision,
        seen=f"{client.revision}, by {client.handshake}",
    )
    checks.equal("the server says who it is", client.server_name, "everything-server")
    found = await client.tools()
    checks.equal("tools/list names the tools", TOOLS - found, set(), seen=f"{len(found)} tools")

    await expect(checks, client, "echo gives back text of several scripts and lines", "echo", {"text": TEXT}, TEXT)
    await expect(checks, client, "add adds", "add", {"a": 19, "b": 23}, "42")
    await expect_refused(checks, client, "an unknown tool is an error", "no-such-tool", INVALID_PARAMS)
    failed = await client.call("fail", {})
    checks.holds("a failing tool is a result that says so", failed.is_error, f"{failed}")
    await expect_refused(checks, client, "a panicking tool is an internal error", "panic", INTERNAL_ERROR)
    await expect(checks, client, "the call after a panic is answered", "echo", {"text": "still here"}, "still here")

    await expect_progress(checks, client)
    await expect_cancelled(checks, client)
    await expect_many(checks, client)


async def expect(checks: Checks, client: Client, what: str, tool: str, arguments: dict, text: str) -> None:
    answer = await client.call(tool, arguments)
    checks.equal(what, answer, Answer(is_error=False, texts=[text]), seen=repr(text))


async def expect_refused(checks: Checks, client: Client, what: str, tool: str, code: int) -> None:
    try:
        answer = await client.call(tool, {})
        checks.fail(what, f"it was answered with {answer}")
    except Refused as refused:
        checks.equal(what, refused.code, code, seen=str(refused))


async def expect_progress(checks: Checks, client: Client) -> None:
    seen: list[object] = []
    answer = await client.call("progress", {"steps": 5}, on_step=seen.append)
    seen.append(answer.texts)
    # What is told after the result would be missing here.
    checks.equal("progress tells 5 steps in order before its result", seen, [1, 2, 3, 4, 5, ["made 5 steps"]])


async def expect_cancelled(checks: Checks, client: Client) -> None:
    async def server_has_it() -> None:
        # A server on stdio reads in order: when it answers this call, the earlier one is with it. Over HTTP the earlier
        # one was sent on a connection of its own, a whole round trip ago.
        await client.call("echo", {"text": "later"})

    begun = time.monotonic()
    await client.call_and_cancel("sleep", {"ms": 5000}, when=server_has_it)
    answer = await client.call("echo", {"text": "next"})
    took = time.monotonic() - begun
    checks.equal("the call after a cancelled one is answered", answer.texts, ["next"])
    checks.holds("a cancelled call holds nothing up", took < PROMPT_SECONDS, f"all took {took * 1000:.0f} ms")


async def expect_many(checks: Checks, client: Client) -> None:
    wrong = []

    async def one(number: int) -> None:
        text = f"call {number} " + "é" * number
        answer = await client.call("echo", {"text": text})
        if answer.texts != [text]:
            wrong.append((text, answer))

    async with anyio.create_task_group() as calls:
        for number in range(50):
            calls.start_soon(one, number)
    checks.equal("50 calls at once are each answered right", wrong, [], seen="50 answers")


def server_at(place: str, notes: Path) -> Server:
    return RemoteServer(place) if place.startswith("http://") else WatchedServer(place, notes)


def main(open_client: Callable[[Server], Opened]) -> None:
    """Runs the conversation against the program or URL named on the command line, and exits 0 or 1."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} PATH_OR_URL_OF_EVERYTHING_SERVER")
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        server = server_at(sys.argv[1], Path(folder))

        async def limited() -> None:
            with anyio.fail_after(LIMIT_SECONDS):
                async with open_client(server) as client:
                    await converse(client, checks)

        try:
            anyio.run(limited)
        except Exception as error:
            traceback.print_exc()
            checks.fail("the conversation ends in order", f"{type(error).__name__}: {error}")
        server.check_end(checks)
        if checks.failed:
            server.print_stderr()
    sys.exit(1 if checks.failed else 0)
