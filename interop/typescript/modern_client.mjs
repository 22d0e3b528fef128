// The official TypeScript client of the modern revision (@modelcontextprotocol/client) against a server.
//
// usage: modern_client.mjs PATH_OR_URL_OF_EVERYTHING_SERVER
//
// A path is started and spoken to over stdio, a URL over Streamable HTTP.

import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { ANSWER_MS, answerOf, main, tap } from './conversation.mjs';
import { WatchedServer } from './witness.mjs';

async function open(server) {
  // The mode "auto" asks with `server/discover`, on stdio a process of its own, and would fall back to `initialize`.
  const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport =
    server instanceof WatchedServer
      ? new StdioClientTransport(server.parameters)
      : new StreamableHTTPClientTransport(server.url);
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
