"""Named checks, and a server whose end is written down.

The client libraries start the server by themselves and keep its exit status to themselves, so the
server runs below a shell that notes it. When a client has to kill the server, it kills the shell too:
then there is no status, and the check fails. A server that is reached by its URL was started by
somebody else, who looks at its end too.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

# A process that the client leaves alone has this long to end by itself.
LEAVE_SECONDS = 5

# Each start of the server has files of its own, named for the shell's process id.
RUN_AND_TAKE_NOTES = """
run="$0/$$"
stdio=$(readlink "/proc/$$/fd/0" "/proc/$$/fd/1")
echo "$stdio" > "$run.stdio"
"$@" --report-file "$run.report" 2> "$run.stderr"
echo "$?" > "$run.status"
"""


class Checks:
    """Prints one line per check and remembers whether all held."""

    def __init__(self) -> None:
        self.failed = 0

    def equal(self, what: str, found: object, expected: object, seen: str | None = None) -> None:
        if found == expected:
            print(f"ok      {what}: {found if seen is None else seen}")
        else:
            self.fail(what, f"expected {expected!r}, found {found!r}")

    def holds(self, what: str, held: bool, seen: str) -> None:
        if held:
            print(f"ok      {what}: {seen}")
        else:
            self.fail(what, seen)

    def fail(self, what: str, why: str) -> None:
        self.failed += 1
        print(f"FAILED  {what}: {why}")


@dataclass(frozen=True)
class RemoteServer:
    """A server that listens at a URL already."""

    url: str

    @property
    def speaks_sse(self) -> bool:
        """Whether it is the transport of 2024-11-05 that is served there, HTTP+SSE."""
        return self.url.endswith("/sse")

    def check_end(self, checks: Checks) -> None:
        """Nothing is known of it here."""

    def print_stderr(self) -> None:
        """Nothing is known of it here."""


class WatchedServer:
    """A server on stdio as a command line, and what is known of its runs afterwards."""

    def __init__(self, program: str, notes: Path) -> None:
        self.command = "/bin/sh"
        self.args = ["-c", RUN_AND_TAKE_NOTES, str(notes), program, "--stdio"]
        self._notes = notes

    def check_end(self, checks: Checks) -> None:
        """What the server looks like from outside after the client has closed the session."""
        runs = sorted(self._notes.glob("*.stdio"))
        reports = [read_report(run) for run in runs]
        checks.holds(
            "each server process that was started left in order",
            len(runs) == 1 and all(in_order(report) for report in reports),
            f"{len(runs)} started, {sum(map(in_order, reports))} left in order",
        )
        if len(runs) != 1 or reports[0] is None:
            return
        [run], [report] = runs, reports
        kinds = [link.split(":")[0] for link in run.read_text().split()]
        checks.holds(
            "the server's stdin and stdout are pipes or sockets",
            set(kinds) <= {"pipe", "socket"},
            " and ".join(kinds) or "unknown, there is no /proc",
        )
        checks.equal("the server's report has one cancelled request and no loose end", loose_ends(report), EXPECTED)
        status = run.with_suffix(".status")
        found = status.read_text().strip() if status.exists() else "none, it was killed"
        checks.equal("the server's exit status after close is 0", found, "0")

    def print_stderr(self) -> None:
        for file in sorted(self._notes.glob("*.stderr")):
            print(f"-- what the server wrote on stderr ({file.stem})\n{file.read_text()}")


Server = WatchedServer | RemoteServer

EXPECTED = {"reason": "ReadEnded", "cancelled": 1, "unanswered": 0, "malformed": 0, "dropped": {}}


def loose_ends(report: dict) -> dict:
    requests = report["requests"]
    return {
        "reason": report["reason"],
        "cancelled": requests["cancelled"],
        "unanswered": requests["received"] - requests["answered"] - requests["cancelled"],
        "malformed": report["malformed"] + report["truncated"],
        "dropped": report["dropped"],
    }


def in_order(report: dict | None) -> bool:
    return report is not None and report["tasks_alive"] == 0 and report["pending_slots"] == 0


def read_report(run: Path) -> dict | None:
    """The server's own report, which it writes last: when it comes, the server has left in order."""
    file = run.with_suffix(".report")
    until = time.monotonic() + LEAVE_SECONDS
    while time.monotonic() < until:
        text = file.read_text() if file.exists() else ""
        if text.endswith("\n"):
            return json.loads(text)
        time.sleep(0.01)
    return None
