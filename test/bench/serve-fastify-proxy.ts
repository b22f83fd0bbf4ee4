import type { AddressInfo } from 'node:net';
import httpProxy from '@fastify/http-proxy';
import fastify from 'fastify';

// `@fastify/http-proxy` as a plain proxy before the node whose address is the first argument.

const [upstream = ''] = process.argv.slice(2);
const server = fastify({ logger: false });
await server.register(httpProxy, { upstream, undici: { connections: 128, pipelining: 1 } });
await server.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ port: (server.server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit(0));
