import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StreamServiceClient } from '../../generated/stream/service.ts';
import { eventually } from '../../src/base/eventually.ts';
import { metadataOf } from '../server/grpc/raw-client.ts';
import { startStreamServer } from '../server/grpc/start-stream-server.ts';
import { type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { CERT, KEY as TLS_KEY } from '../server/self-signed.ts';
import { type Gateway, KEY, RPC_PATH, startGateway } from '../server/start-gateway.ts';
import { createScriptedLedger } from '../stream/scripted-ledger.ts';
import { freePortPair } from '../support/free-port-pair.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { openSocket } from '../support/socket-client.ts';
import { readDeployFile } from './deploy-files.ts';

const MISSING = 'needs nginx, that of Debian 12 if possible: apt-get install nginx';
const { stderr: version, error } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
const hasNginx = error === undefined;
if (!hasNginx && process.env.CI === 'true') throw new Error(MISSING);

/** What the file names that is another here: files, ports, and the names of the gateways. */
type Places = {
  readonly directory: string;
  readonly port: number;
  readonly gateways: readonly [number, number];
  readonly streams: readonly [number, number];
};

function configOf({ directory, port, gateways, streams }: Places): string {
  const replaced: readonly (readonly [string, string])[] = [
    ['/var/run/nginx.pid', join(directory, 'nginx.pid')],
    ['/etc/nginx/tls/', `${directory}/`],
    ['/dev/stdout', join(directory, 'access.log')],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['listen 50051 ', `listen 127.0.0.1:${port + 1} `],
    ...gateways.map((each, at) => [`gateway-${at + 1}:8080`, `127.0.0.1:${each}`] as const),
    ...streams.map((each, at) => [`gateway-${at + 1}:50051`, `127.0.0.1:${each}`] as const),
  ];
  return replaced.reduce((config, [from, to]) => {
    expect(config).toContain(from);
    return config.replaceAll(from, to);
  }, readDeployFile('nginx.conf'));
}

const portOf = ({ baseUrl }: Gateway): number => Number(new URL(baseUrl).port);

describe.skipIf(!hasNginx)(`${version?.trim() || 'nginx'} with the file of docs/deploy (${MISSING})`, () => {
  const directory = useNewDirectory('group');
  const closing: (() => unknown)[] = [];
  const gateways: Gateway[] = [];
  let node: ScriptedNode;
  let port = 0;

  beforeAll(async () => {
    node = await startScriptedNode();
    for (const _ of [1, 2]) gateways.push(await startGateway({ nodeUrls: [node.url], isBehindProxy: true }));
    const ports = gateways.map(portOf);
    port = await freePortPair();
    const streams = await freePortPair();
    const places = { directory: directory(), port, gateways: [ports[0] ?? 0, ports[1] ?? 0] as const };
    writeFileSync(join(directory(), 'nginx.conf'), configOf({ ...places, streams: [streams, streams + 1] }));
    writeFileSync(join(directory(), 'fullchain.pem'), CERT);
    writeFileSync(join(directory(), 'privkey.pem'), TLS_KEY);
    writeFileSync(join(directory(), 'streams'), String(streams));
    const log = openSync(join(directory(), 'error.log'), 'a');
    const command = ['-c', join(directory(), 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off;'];
    const nginx = spawn('nginx', command, { stdio: ['ignore', log, log] });
    const ended = once(nginx, 'exit');
    closing.push(async () => {
      nginx.kill('SIGQUIT');
      await ended;
    });
    const failed = ended.then(() => {
      throw new Error(`nginx does not start: ${readFileSync(join(directory(), 'error.log'), 'utf8')}`);
    });
    const listens = eventually('nginx listens', async () => {
      const { status } = await ask('/healthz').catch(() => ({ status: undefined }));
      return status;
    });
    await Promise.race([failed, listens]);
  });

  afterAll(async () => {
    for (const close of closing) await close();
    for (const gateway of gateways) await gateway.close();
    await node?.close();
  });

  /** Asks over HTTP/1.1, as `localhost` with its port. */
  async function ask(
    path: string,
    body?: string,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(`https://localhost:${port}${path}`, { method, headers, ca: CERT, family: 4 });
    sent.end(body);
    const [answer] = await once(sent, 'response');
    return { status: answer.statusCode, text: await text(answer) };
  }

  const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method });
  const keyed = `${RPC_PATH}?apikey=${KEY}`;

  test('accepts it without a warning, but that newer ones want `http2` in another place', () => {
    const lines = readFileSync(join(directory(), 'error.log'), 'utf8').split('\n');
    const faults = lines.filter((line) => / \[(?:warn|error|crit|emerg)\] /.test(line));
    expect(faults.filter((line) => !line.includes('http2" directive is deprecated'))).toEqual([]);
  });

  test('serves JSON-RPC, and documents that name the address with its port', async () => {
    expect((await ask(keyed, call('getSlot'))).text).toContain('"result":1');
    const { text: discovered } = await ask(keyed, call('rpc.discover'));
    expect(discovered).toContain(`"https://localhost:${port}${RPC_PATH}?apikey={apikey}"`);
    expect((await ask('/openrpc.json')).text).toContain(
      `"https://localhost:${port}${RPC_PATH}?apikey={apikey}"`,
    );
  });

  test('keeps the state of a gateway to its operator', async () => {
    for (const path of ['/readyz', '/metrics']) expect((await ask(path)).status).toBe(404);
  });

  test('serves HTTP/2, with the address that was asked for', async () => {
    const session = connectHttp2(`https://localhost:${port}`, { ca: CERT });
    const stream = session.request({ ':path': '/openrpc.json' });
    const document = await text(stream);
    expect([session.alpnProtocol, document]).toEqual([
      'h2',
      expect.stringContaining(`"https://localhost:${port}${RPC_PATH}?apikey={apikey}"`),
    ]);
    session.close();
  });

  test('opens WebSockets', async () => {
    const socket = await openSocket(`wss://localhost:${port}${keyed}`, { ca: CERT, family: 4 });
    expect((await socket.call('getSlot')).result).toBe(1);
    const { result } = await socket.call('rpc.discover');
    expect(result).toMatchObject({
      servers: [{ url: `wss://localhost:${port}${RPC_PATH}?apikey={apikey}` }],
    });
    socket.close();
    await socket.closed;
  });

  test('passes on the calls of gRPC', async () => {
    const streams = Number(readFileSync(join(directory(), 'streams'), 'utf8'));
    await startStreamServer({ node: createScriptedLedger(100), port: streams });
    const client = new StreamServiceClient(`localhost:${port + 1}`, credentials.createSsl(Buffer.from(CERT)));
    const topics = await new Promise((resolve, reject) =>
      client.listTopics({}, metadataOf(), (thrown, answer) => (thrown ? reject(thrown) : resolve(answer))),
    );
    client.close();
    expect(topics).toMatchObject({
      topics: expect.arrayContaining([expect.objectContaining({ name: 'slots' })]),
    });
  });

  test('logs no key', () => {
    const log = readFileSync(join(directory(), 'access.log'), 'utf8');
    expect(log).toContain(`"POST ${RPC_PATH}" 200`);
    expect(log).not.toContain(KEY);
  });
});
