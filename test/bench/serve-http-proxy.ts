import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

// `http-proxy` as a plain proxy before the node whose address is the first argument.

type Proxy = { readonly web: (request: IncomingMessage, response: ServerResponse) => void };
type HttpProxy = { readonly createProxyServer: (options: object) => Proxy };

const [target = ''] = process.argv.slice(2);
const { createProxyServer } = createRequire(import.meta.url)('http-proxy') as HttpProxy;
const agent = new Agent({ keepAlive: true, maxSockets: 128, maxFreeSockets: 128 });
const proxy = createProxyServer({ target, agent });
const server = createServer((request, response) => proxy.web(request, response));
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
process.once('SIGTERM', () => process.exit(0));
