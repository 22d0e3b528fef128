// The official TypeScript client of the legacy revisions (@modelcontextprotocol/sdk) against a server on stdio.
//
// usage: legacy_client.mjs PATH_OF_EVERYTHING_SERVER

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';

import { ANSWER_MS, answerOf, main, tap } from './conversation.mjs';

async function open(server) {
  const client = new Client({ name: 'interop', version: '1' });
  const transport = new StdioClientTransport(server.parameters);
  // The library tells its transport, and nobody else, which revision was agreed on.
  let revision;
  transport.setProtocolVersion = agreed => {
    revision = agreed;
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
    close: () => client.close(),
  };
}

await main(open);
