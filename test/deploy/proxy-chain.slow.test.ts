import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StreamServiceClient } from '../../generated/stream/service.ts';
import type { DevelopmentFile } from '../../src/account/setup/development-file.ts';
import { metadataOf } from '../server/grpc/raw-client.ts';
import { CERT } from '../server/self-signed.ts';
import { freePortPair } from '../support/free-port-pair.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { openSocket } from '../support/socket-client.ts';
import {
  askProxy,
  missingProgram,
  type ProxyPlaces,
  type RunningProxy,
  startCaddy,
  startNginx,
} from './start-proxy.ts';

const MISSING =
  missingProgram('caddy', 'needs Caddy, that of Debian 12 if possible: apt-get install caddy') ??
  missingProgram('nginx', 'needs nginx, that of Debian 12 if possible: apt-get install nginx');

/** A network that is reserved for documents: no client is there. */
const CLIENT = '203.0.113.7';
const OTHER = '203.0.113.8';
/** A client that no proxy trusts; what comes from 127.0.0.1 is from another proxy. */
const STRANGER = '127.0.0.2';

let server: RunningKeyslot;
let access: DevelopmentFile;
beforeAll(async () => {
  if (MISSING !== undefined) return;
  server = await startKeyslot({
    env: { KEYSLOT_BEHIND_PROXY: 'true', KEYSLOT_LOCALNET_EPHEMERAL: 'true' },
  });
  access = JSON.parse(readFileSync(join(server.dataDir, 'dev.json'), 'utf8')) as DevelopmentFile;
});
afterAll(() => server?.stop());

describe.skipIf(MISSING !== undefined).each([
  ['Caddy', false],
  ['Caddy in front of nginx', true],
] as const)(`%s in front of a server${MISSING === undefined ? '' : ` (${MISSING})`}`, (name, isChain) => {
  const directory = useNewDirectory('group');
  const stack: RunningProxy[] = [];
  let port = 0;

  beforeAll(async () => {
    const [own, grpc] = [new URL(server.baseUrl).host, new URL(server.grpcUrl).host];
    let behind: Pick<ProxyPlaces, 'gateways' | 'streams'> = { gateways: [own, own], streams: [grpc, grpc] };
    if (isChain) {
      const next = await freePortPair();
      stack.push(await startNginx({ ...behind, directory: directory(), port: next }, true));
      behind = { gateways: [`localhost:${next}`, ''], streams: [`localhost:${next + 1}`, ''] };
    }
    port = await freePortPair();
    stack.push(await startCaddy({ ...behind, directory: directory(), port }, isChain));
  });
  afterAll(async () => {
    for (const proxy of stack.reverse()) await proxy.stop();
  });

  const rpc = (key = access.api_key): string => `${access.rpc_path}?apikey=${key}`;
  const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method });
  const bearer = {
    get authorization() {
      return `Bearer ${access.access_token}`;
    },
  };

  test('documents name the scheme and the address that the client asked for', async () => {
    expect((await askProxy(port, rpc(), { body: call('getHealth') })).text).toContain('"result":"ok"');
    const { text } = await askProxy(port, rpc(), { body: call('rpc.discover') });
    expect(text).toContain(`"https://localhost:${port}${access.rpc_path}?apikey={apikey}"`);
    const cookie = await signIn(OTHER, access.dashboard_password ?? '');
    expect([cookie.status, String(cookie.headers['set-cookie'])]).toEqual([
      201,
      expect.stringMatching(/^__Host-keyslot_session=.*; Secure/),
    ]);
    for (const path of ['/readyz', '/metrics']) expect((await askProxy(port, path)).status).toBe(404);
  });

  test('a key for one address takes that of the client, which a client cannot write itself', async () => {
    const made = await askProxy(port, '/account/v1/keys', {
      body: JSON.stringify({ name, allowed_cidrs: [`${CLIENT}/32`] }),
      headers: bearer,
    });
    const { api_key: key } = JSON.parse(made.text) as { readonly api_key: string };
    const from = async (forwarded: string, localAddress = '127.0.0.1'): Promise<number> => {
      const headers = { 'x-forwarded-for': forwarded };
      return (await askProxy(port, rpc(key), { body: call('getHealth'), headers, localAddress })).status;
    };
    expect(await from(CLIENT)).toBe(200);
    expect(await from(OTHER)).toBe(403);
    expect(await from(`${CLIENT}, ${OTHER}`)).toBe(403);
    expect(await from(CLIENT, STRANGER)).toBe(403);
  });

  const signIn = (address: string, password: string) =>
    askProxy(port, '/account/v1/session', {
      body: JSON.stringify({ email: access.dashboard_email, password }),
      headers: { 'x-forwarded-for': address },
    });

  test('wrong passwords lock their sender, and nobody else behind the same proxies', async () => {
    const sender = isChain ? '203.0.113.21' : '203.0.113.20';
    const statuses: number[] = [];
    for (let time = 0; time < 6; time++) statuses.push((await signIn(sender, 'not this one at all')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await signIn(sender, access.dashboard_password ?? '')).status).toBe(429);
    expect((await signIn(OTHER, access.dashboard_password ?? '')).status).toBe(201);
  });

  test('WebSockets open, and receive slots', async () => {
    const socket = await openSocket(`wss://localhost:${port}${rpc()}`, { ca: CERT, family: 4 });
    expect((await socket.call('slotSubscribe')).result).toEqual(expect.any(Number));
    expect(await socket.next()).toMatchObject({ method: 'slotNotification' });
    socket.close();
    await socket.closed;
  });

  test('gRPC calls are answered, and streams arrive as they are sent', async () => {
    const client = new StreamServiceClient(`localhost:${port + 1}`, credentials.createSsl(Buffer.from(CERT)));
    const stream = client.subscribe(
      { topic: 'slots', format: 1 },
      metadataOf({ 'x-api-key': access.api_key }),
    );
    const seen: string[] = [];
    for await (const { topic } of stream) if (seen.push(topic as string) === 3) break;
    client.close();
    expect(seen).toEqual(['slots', 'slots', 'slots']);
  });

  test('a batch of wallets arrives whole', async () => {
    const { status, text } = await askProxy(port, '/v1/wallets/batch', {
      body: JSON.stringify({ count: 2_000 }),
      headers: bearer,
    });
    const addresses = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly address: string }).address);
    expect([status, new Set(addresses).size]).toEqual([200, 2_000]);
  });
});
