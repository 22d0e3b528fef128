// What each client says to the server, and what must come back.
//
// A client is `{ revision, expectedRevision, handshake, serverName, pid, tools(), call(), close(), frames, refusal }`:
// what the two client libraries have in common, under one name. `frames` is what came from the server, in the order
// of the wire; `refusal` is the class of the errors that are JSON-RPC errors of the server.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { Checks, RemoteServer, WatchedServer, show } from './witness.mjs';

// For everything together. Each step takes milliseconds; the limit turns a hanging server into a failure.
const LIMIT_MS = 30_000;
// For one answer.
export const ANSWER_MS = 10_000;
// For an answer after a call was cancelled, which would otherwise have taken 5 s.
const PROMPT_MS = 1000;

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

// Two bytes, three bytes, a sequence of joined emoji, line ends of several kinds, and what JSON must escape.
const TEXT = 'Grüße, 世界!\nsecond line\r\n\ttab "quoted" \\ \u2028 👩\u200d🚀 🎉';
const TOOLS = ['echo', 'add', 'sleep', 'progress', 'fail', 'panic'];

async function converse(client, checks) {
  checks.equal(
    'client and server agree on the revision',
    client.revision,
    client.expectedRevision,
    `${client.revision}, by ${client.handshake}`,
  );
  checks.equal('the server says who it is', client.serverName, 'everything-server');
  const found = await client.tools();
  checks.equal('tools/list names the tools', TOOLS.filter(tool => !found.includes(tool)), [], `${found.length} tools`);

  await expect(checks, client, 'echo gives back text of several scripts and lines', 'echo', { text: TEXT }, TEXT);
  await expect(checks, client, 'add adds', 'add', { a: 19, b: 23 }, '42');
  await expectRefused(checks, client, 'an unknown tool is an error', 'no-such-tool', INVALID_PARAMS);
  const failed = await client.call('fail', {});
  checks.holds('a failing tool is a result that says so', failed.isError === true, show(failed));
  await expectRefused(checks, client, 'a panicking tool is an internal error', 'panic', INTERNAL_ERROR);
  await expect(checks, client, 'the call after a panic is answered', 'echo', { text: 'still here' }, 'still here');

  await expectProgress(checks, client);
  await expectCancelled(checks, client);
  await expectMany(checks, client);
}

async function expect(checks, client, what, tool, args, text) {
  const answer = await client.call(tool, args);
  checks.equal(what, answer, { isError: false, texts: [text] }, show(text));
}

async function expectRefused(checks, client, what, tool, code) {
  try {
    checks.fail(what, `it was answered with ${show(await client.call(tool, {}))}`);
  } catch (error) {
    if (!(error instanceof client.refusal)) throw error;
    checks.equal(what, error.code, code, `${error.code} ${error.message}`);
  }
}

async function expectProgress(checks, client) {
  const what = 'progress tells 5 steps in order before its result';
  const before = client.frames.length;
  const told = [];
  const answer = await client.call('progress', { steps: 5 }, { onprogress: ({ progress }) => told.push(progress) });
  const seen = client.frames.slice(before).map(frame => (frame.method ? frame.params.progress : 'result'));
  checks.equal(what, [...seen, answer.texts], [1, 2, 3, 4, 5, 'result', ['made 5 steps']]);
  if (told.length < 5) {
    checks.peer(`of these 5 steps the library handed ${show(told)} to its caller; interop/README.md tells why`);
  }
}

async function expectCancelled(checks, client) {
  const begun = performance.now();
  const no = new AbortController();
  const sleep = client.call('sleep', { ms: 5000 }, { signal: no.signal });
  const rejected = sleep.then(answer => `answered with ${show(answer)}`, error => error);
  // A server on stdio reads in order: when it answers this call, the earlier one is with it. Over HTTP the earlier
  // one was sent on a connection of its own, a whole round trip ago.
  await client.call('echo', { text: 'later' });
  no.abort('no longer needed');
  const outcome = await rejected;
  const answer = await client.call('echo', { text: 'next' });
  const took = performance.now() - begun;
  if (!(outcome instanceof Error)) checks.fail('a cancelled call ends for its caller', outcome);
  checks.equal('the call after a cancelled one is answered', answer.texts, ['next']);
  checks.holds('a cancelled call holds nothing up', took < PROMPT_MS, `all took ${took.toFixed(0)} ms`);
}

async function expectMany(checks, client) {
  const texts = Array.from({ length: 50 }, (_, number) => `call ${number} ${'é'.repeat(number)}`);
  const answers = await Promise.all(texts.map(text => client.call('echo', { text })));
  const wrong = texts.filter((text, number) => answers[number].texts[0] !== text);
  checks.equal('50 calls at once are each answered right', wrong, [], `${answers.length} answers`);
}

async function run(open, server, checks) {
  const client = await open(server);
  try {
    await converse(client, checks);
  } finally {
    await client.close();
  }
  return client.pid;
}

/** Runs the conversation against the program or URL named on the command line, and exits 0 or 1. */
export async function main(open) {
  if (process.argv.length !== 3) {
    console.error(`usage: ${process.argv[1]} PATH_OR_URL_OF_EVERYTHING_SERVER`);
    process.exit(2);
  }
  const checks = new Checks();
  const notes = mkdtempSync(join(tmpdir(), 'interop-'));
  const place = process.argv[2];
  const server = place.startsWith('http://') ? new RemoteServer(place) : new WatchedServer(place, notes);
  try {
    const late = wait(LIMIT_MS, undefined, { ref: false }).then(() => {
      throw new Error(`not done in ${LIMIT_MS} ms`);
    });
    const pid = await Promise.race([run(open, server, checks), late]);
    await server.checkEnd(checks, pid);
  } catch (error) {
    console.error(error);
    checks.fail('the conversation ends in order', `${error}`);
  }
  if (checks.failed > 0) server.printStderr();
  rmSync(notes, { recursive: true });
  process.exit(checks.failed > 0 ? 1 : 0);
}

/** Notes down the frames of a transport that is connected already, before the library looks at them. */
export function tap(transport) {
  const frames = [];
  const handOver = transport.onmessage;
  transport.onmessage = (frame, ...rest) => {
    frames.push(frame);
    handOver(frame, ...rest);
  };
  return frames;
}

/** The part of a tool's result that the checks look at. */
export function answerOf({ isError = false, content }) {
  return { isError, texts: content.filter(({ type }) => type === 'text').map(({ text }) => text) };
}
