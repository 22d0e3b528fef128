// The official TypeScript client of the modern revision (@modelcontextprotocol/client) against a server on stdio.
//
// usage: modern_client.mjs PATH_OF_EVERYTHING_SERVER

import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { ANSWER_MS, answerOf, main, tap } from './conversation.mjs';

async function open(server) {
  // The mode "auto" asks a process of its own with `server/discover`, and would fall back to `initialize`.
  const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StdioClientTransport(server.parameters);
  await client.connect(transport);
  return {
    revision: client.getNegotiatedProtocolVersion(),
    expectedRevision: '2026-07-28',
    handshake: client.getProtocolEra() === 'modern' ? 'server/discover' : 'initialize',
    serverName: client.getServerVersion()?.name,
    pid: transport.pid,
    frames: tap(transport),
    refusal: ProtocolError,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, options) =>
      answerOf(await client.callTool({ name, arguments: args }, { timeout: ANSWER_MS, ...options })),
    close: () => client.close(),
  };
}

await main(open);
