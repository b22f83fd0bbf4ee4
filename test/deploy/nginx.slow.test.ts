import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StreamServiceClient } from '../../generated/stream/service.ts';
import { metadataOf } from '../server/grpc/raw-client.ts';
import { startStreamServer } from '../server/grpc/start-stream-server.ts';
import { type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { CERT } from '../server/self-signed.ts';
import { type Gateway, KEY, RPC_PATH, startGateway } from '../server/start-gateway.ts';
import { createScriptedLedger } from '../gateway/streams/scripted-ledger.ts';
import { freePortPair } from '../support/free-port-pair.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { openSocket } from '../support/socket-client.ts';
import { askProxy, missingProgram, type RunningProxy, startNginx } from './start-proxy.ts';

const MISSING = missingProgram('nginx', 'needs nginx, that of Debian 12 if possible: apt-get install nginx');

const portOf = ({ baseUrl }: Gateway): number => Number(new URL(baseUrl).port);

describe.skipIf(MISSING !== undefined)(
  `nginx with the file of docs/deploy${MISSING === undefined ? '' : ` (${MISSING})`}`,
  () => {
    const directory = useNewDirectory('group');
    const gateways: Gateway[] = [];
    let node: ScriptedNode;
    let nginx: RunningProxy;
    let port = 0;
    let streams = 0;

    beforeAll(async () => {
      node = await startScriptedNode();
      for (const _ of [1, 2])
        gateways.push(await startGateway({ nodeUrls: [node.url], isBehindProxy: true }));
      const ports = gateways.map(portOf);
      port = await freePortPair();
      streams = await freePortPair();
      nginx = await startNginx({
        directory: directory(),
        port,
        gateways: [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`],
        streams: [`127.0.0.1:${streams}`, `127.0.0.1:${streams + 1}`],
      });
    });

    afterAll(async () => {
      await nginx?.stop();
      for (const gateway of gateways) await gateway.close();
      await node?.close();
    });

    const ask = (path: string, body?: string) => askProxy(port, path, body === undefined ? {} : { body });
    const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method });
    const keyed = `${RPC_PATH}?apikey=${KEY}`;

    test('accepts it without a warning, but that newer ones want `http2` in another place', () => {
      const lines = nginx.log().split('\n');
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
      await startStreamServer({ node: createScriptedLedger(100), port: streams });
      const client = new StreamServiceClient(
        `localhost:${port + 1}`,
        credentials.createSsl(Buffer.from(CERT)),
      );
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
  },
);
