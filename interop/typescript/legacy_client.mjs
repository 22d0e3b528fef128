// The official TypeScript client of the legacy revisions (@modelcontextprotocol/sdk) against a server.
//
// usage: legacy_client.mjs PATH_OR_URL_OF_EVERYTHING_SERVER
//
// A path is started and spoken to over stdio. A URL that ends with /sse is spoken to over HTTP+SSE, others over
// Streamable HTTP.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';

import { ANSWER_MS, answerOf, main, tap } from './conversation.mjs';
import { WatchedServer } from './witness.mjs';

function transportTo(server) {
  if (server instanceof WatchedServer) return new StdioClientTransport(server.parameters);
  return server.speaksSse ? new SSEClientTransport(server.url) : new StreamableHTTPClientTransport(server.url);
}

async function open(server) {
  const client = new Client({ name: 'interop', version: '1' });
  const transport = transportTo(server);
  // The library tells its transport, and nobody else, which revision was agreed on.
  let revision;
  const hearRevision = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = agreed => {
    revision = agreed;
    hearRevision?.(agreed);
  };
  await client.connect(transport);
  return {
    revision,
    expectedRevision: '2025-11-25',
    handshake: 'initialize',
    serverName: client.getServerVersion().name,
    pid: transport.pid,
    frames: tap(transport),
    refusal: McpError,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, options) =>
      answerOf(await client.callTool({ name, arguments: args }, undefined, { timeout: ANSWER_MS, ...options })),
    close: async () => {
      // The library ends a session over HTTP only when it is told to.
      await transport.terminateSession?.();
      await client.close();
    },
  };
}

await main(open);
