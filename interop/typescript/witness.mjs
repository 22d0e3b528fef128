// Named checks, and a server whose end is written down.
//
// The client libraries start the server by themselves and keep its exit status to themselves, so the
// server runs below a shell that notes it. When a client has to kill something, it kills the shell:
// then there is no status, and the check fails. A server that is reached by its URL was started by
// somebody else, who looks at its end too.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';

// A process that the client leaves alone has this long to end by itself.
const LEAVE_MS = 5000;

// Each start of the server has files of its own, named for the shell's process id.
const RUN_AND_TAKE_NOTES = `
run="$0/$$"
stdio=$(readlink "/proc/$$/fd/0" "/proc/$$/fd/1")
echo "$stdio" > "$run.stdio"
"$@" --report-file "$run.report" 2> "$run.stderr"
echo "$?" > "$run.status"
`;

/** Prints one line per check and remembers whether all held. */
export class Checks {
  failed = 0;

  equal(what, found, expected, seen = show(found)) {
    if (isDeepStrictEqual(found, expected)) console.log(`ok      ${what}: ${seen}`);
    else this.fail(what, `expected ${show(expected)}, found ${show(found)}`);
  }

  holds(what, held, seen) {
    if (held) console.log(`ok      ${what}: ${seen}`);
    else this.fail(what, seen);
  }

  fail(what, why) {
    this.failed += 1;
    console.log(`FAILED  ${what}: ${why}`);
  }

  /** What the client library does with frames that were right: a finding, no failure of the server. */
  peer(what) {
    console.log(`peer    ${what}`);
  }
}

/** A server that listens at a URL already. Nothing is known of it here but that. */
export class RemoteServer {
  constructor(url) {
    this.url = new URL(url);
    // Whether it is the transport of 2024-11-05 that is served there, HTTP+SSE.
    this.speaksSse = this.url.pathname.endsWith('/sse');
  }

  async checkEnd() {}

  printStderr() {}
}

/** A server on stdio as a command line, and what is known of its runs afterwards. */
export class WatchedServer {
  constructor(program, notes) {
    this.parameters = { command: '/bin/sh', args: ['-c', RUN_AND_TAKE_NOTES, notes, program, '--stdio'] };
    this.notes = notes;
  }

  /** What the server looks like from outside after the client has closed the session of process `pid`. */
  async checkEnd(checks, pid) {
    const runs = this.#files('.stdio').map(file => file.slice(0, -'.stdio'.length));
    const reports = new Map();
    for (const run of runs) reports.set(run, await readReport(run));
    const left = [...reports.values()].filter(inOrder).length;
    checks.holds(
      'each server process that was started left in order',
      runs.length > 0 && left === runs.length,
      `${runs.length} started, ${left} left in order`,
    );

    const run = join(this.notes, String(pid));
    const report = reports.get(run);
    if (!report) return;
    const kinds = readFileSync(`${run}.stdio`, 'utf8').split(/\s+/).filter(Boolean).map(link => link.split(':')[0]);
    checks.holds(
      "the server's stdin and stdout are pipes or sockets",
      kinds.every(kind => kind === 'pipe' || kind === 'socket'),
      kinds.join(' and ') || 'unknown, there is no /proc',
    );
    checks.equal("the server's report has one cancelled request and no loose end", looseEnds(report), EXPECTED);
    const status = existsSync(`${run}.status`) ? readFileSync(`${run}.status`, 'utf8').trim() : 'none, it was killed';
    checks.equal("the server's exit status after close is 0", status, '0');
  }

  printStderr() {
    for (const file of this.#files('.stderr')) {
      console.log(`-- what the server wrote on stderr (${file})\n${readFileSync(file, 'utf8')}`);
    }
  }

  #files(ending) {
    return readdirSync(this.notes).filter(name => name.endsWith(ending)).sort().map(name => join(this.notes, name));
  }
}

const EXPECTED = { reason: 'ReadEnded', cancelled: 1, unanswered: 0, malformed: 0, dropped: {} };

function looseEnds({ reason, requests, malformed, truncated, dropped }) {
  return {
    reason,
    cancelled: requests.cancelled,
    unanswered: requests.received - requests.answered - requests.cancelled,
    malformed: malformed + truncated,
    dropped,
  };
}

function inOrder(report) {
  return report !== undefined && report.tasks_alive === 0 && report.pending_slots === 0;
}

/** The server's own report, which it writes last: when it comes, the server has left in order. */
async function readReport(run) {
  for (const until = Date.now() + LEAVE_MS; Date.now() < until; await wait(10)) {
    const text = existsSync(`${run}.report`) ? readFileSync(`${run}.report`, 'utf8') : '';
    if (text.endsWith('\n')) return JSON.parse(text);
  }
  return undefined;
}

export function show(value) {
  return inspect(value, { breakLength: Infinity, depth: 5 });
}
