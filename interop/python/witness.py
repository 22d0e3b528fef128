"""What both clients need: named checks, and a server whose exit status is written down.

The client libraries start the server by themselves and keep its exit status to themselves, so the
server runs below a shell that notes the status in a file. When the client has to kill the server, it
kills the whole process group: then the file stays empty, and the check fails.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

# For everything together. Each step takes milliseconds; the limit turns a hanging server into a failure.
LIMIT_SECONDS = 60
# For one answer.
ANSWER_SECONDS = 10
# The code for a tool that does not exist, in every revision.
INVALID_PARAMS = -32602

RUN_AND_NOTE_STATUS = '"$@"; echo "$?" > "$0"'


class Checks:
    """Prints one line per check and remembers whether all held."""

    def __init__(self) -> None:
        self.failed = 0

    def equal(self, what: str, found: object, expected: object) -> None:
        if found == expected:
            print(f"ok    {what}")
        else:
            self.failed += 1
            print(f"FAIL  {what}: expected {expected!r}, found {found!r}")

    def fail(self, what: str, why: str) -> None:
        self.failed += 1
        print(f"FAIL  {what}: {why}")


class WatchedServer:
    """A server on stdio as a command line, and the exit status of its run."""

    def __init__(self, program: str, status_file: Path) -> None:
        self.command = "/bin/sh"
        self.args = ["-c", RUN_AND_NOTE_STATUS, str(status_file), program, "--stdio"]
        self._status_file = status_file

    def exit_status(self) -> str:
        """The status as text; says so when the server did not end by itself."""
        if not self._status_file.exists():
            return "none, it was killed"
        return self._status_file.read_text().strip()


def text_of(result: object) -> list[str]:
    """The texts of a tool's result."""
    return [block.text for block in result.content if block.type == "text"]


def main(talk: Callable[[WatchedServer, Checks], Awaitable[None]]) -> None:
    """Runs one conversation against the program named on the command line, and exits 0 or 1."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} PATH_OF_EVERYTHING_SERVER")
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        server = WatchedServer(sys.argv[1], Path(folder) / "status")

        async def limited() -> None:
            with anyio.fail_after(LIMIT_SECONDS):
                await talk(server, checks)

        try:
            anyio.run(limited)
        except Exception as error:
            traceback.print_exc()
            checks.fail("the conversation ends in order", f"{type(error).__name__}: {error}")
        checks.equal("the server exits with 0 after close", server.exit_status(), "0")
    sys.exit(1 if checks.failed else 0)
