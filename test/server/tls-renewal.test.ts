import { once } from 'node:events';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { StreamServiceClient } from '../../generated/stream/service.ts';
import { TlsFiles } from '../../src/server/tls/tls-files.ts';
import { createScriptedLedger } from '../gateway/streams/scripted-ledger.ts';
import { eventually } from '../../src/core/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { metadataOf } from './grpc/raw-client.ts';
import { startStreamServer } from './grpc/start-stream-server.ts';
import { startScriptedNode } from './scripted-node.ts';
import { CERT, KEY, RENEWED_CERT, RENEWED_KEY } from './self-signed.ts';
import { KEY as API_KEY, RPC_PATH, startGateway } from './start-gateway.ts';

const directory = useNewDirectory();
const at = (name: string): string => join(directory(), name);
const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';

type Lines = { readonly info: unknown[]; readonly error: unknown[] };

/** The files of a certificate, looked at often, and what is logged of them. */
async function openFiles(certFile = at('tls.crt'), keyFile = at('tls.key')): Promise<[TlsFiles, Lines]> {
  const lines: Lines = { info: [], error: [] };
  const log = {
    info: (line: unknown) => void lines.info.push(line),
    error: (line: unknown) => void lines.error.push(line),
  };
  const files = await TlsFiles.open({ certFile, keyFile, log: log as never, intervalMs: 5 });
  onTestFinished(() => files.close());
  return [files, lines];
}

/** Puts a file in place whole: a reader meanwhile finds the one before it, never half of this one. */
async function place(name: string, content: string): Promise<void> {
  await writeFile(at(`${name}.new`), content);
  await rename(at(`${name}.new`), at(name));
}

async function writePair(cert: string, key: string): Promise<void> {
  await place('tls.crt', cert);
  await place('tls.key', key);
}

async function startHttps(files: TlsFiles): Promise<number> {
  const node = await startScriptedNode();
  const gateway = await startGateway({ nodeUrls: [node.url], tls: files.options });
  onTestFinished(async () => {
    await gateway.close();
    await node.close();
  });
  return Number(new URL(gateway.baseUrl).port);
}

async function openTls(port: number): Promise<TLSSocket> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: [CERT, RENEWED_CERT],
    ALPNProtocols: ['http/1.1', 'h2'],
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

/** Which of the two certificates a new connection is shown. */
async function shownAt(port: number): Promise<'first' | 'renewed'> {
  const socket = await openTls(port);
  const pem = socket.getPeerX509Certificate()?.toString();
  socket.destroy();
  return pem?.trim() === RENEWED_CERT.trim() ? 'renewed' : 'first';
}

const untilRenewed = (port: number): Promise<true> =>
  eventually('the renewed certificate is shown', async () =>
    (await shownAt(port)) === 'renewed' ? true : undefined,
  );

/** Sends a call over an open connection and reads its answer. */
async function callOver(socket: TLSSocket): Promise<string> {
  const head = `POST ${RPC_PATH}?apikey=${API_KEY} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: ${CALL.length}\r\n\r\n${CALL}`);
  return String((await once(socket, 'data'))[0]);
}

test('HTTPS and WebSocket show a renewed certificate to new clients, and drop nobody', async () => {
  await writePair(CERT, KEY);
  const [files, lines] = await openFiles();
  const port = await startHttps(files);
  const held = await openTls(port);
  const ws = new WebSocket(`wss://127.0.0.1:${port}${RPC_PATH}?apikey=${API_KEY}`, {
    ca: [CERT, RENEWED_CERT],
  });
  onTestFinished(() => ws.close());
  await once(ws, 'open');
  expect(await callOver(held)).toMatch(/^HTTP\/1\.1 200 /);
  await writePair(RENEWED_CERT, RENEWED_KEY);
  await untilRenewed(port);
  expect(await callOver(held)).toMatch(/^HTTP\/1\.1 200 /);
  ws.send(CALL);
  expect(String((await once(ws, 'message'))[0])).toContain('"result":1');
  expect(lines.info).toHaveLength(1);
});

test('a certificate whose key has not come yet is not used, is told once, and is when the key comes', async () => {
  await writePair(CERT, KEY);
  const [files, lines] = await openFiles();
  const port = await startHttps(files);
  await place('tls.crt', RENEWED_CERT);
  await eventually('it is told', () => (lines.error.length > 0 ? true : undefined));
  expect(lines.error).toEqual([
    expect.objectContaining({ reason: expect.stringContaining('key values mismatch') }),
  ]);
  expect(JSON.stringify(lines)).not.toContain('PRIVATE');
  expect(await shownAt(port)).toBe('first');
  await place('tls.key', RENEWED_KEY);
  await untilRenewed(port);
  expect(lines.error).toHaveLength(1);
});

test.each([
  ['half written', RENEWED_CERT.slice(0, 300)],
  ['empty', ''],
])('a file that is %s changes nothing', async (_what, cert) => {
  await writePair(CERT, KEY);
  const [files, lines] = await openFiles();
  const port = await startHttps(files);
  await writePair(cert, RENEWED_KEY);
  await eventually('it is told', () => (lines.error.length > 0 ? true : undefined));
  expect(await shownAt(port)).toBe('first');
  await place('tls.crt', RENEWED_CERT);
  await untilRenewed(port);
});

test('a link that is pointed elsewhere, as in a mounted secret, is followed', async () => {
  for (const [folder, cert, key] of [
    ['..one', CERT, KEY],
    ['..two', RENEWED_CERT, RENEWED_KEY],
  ] as const) {
    await mkdir(at(folder));
    await writeFile(join(at(folder), 'tls.crt'), cert);
    await writeFile(join(at(folder), 'tls.key'), key);
  }
  await symlink('..one', at('..data'));
  await symlink('..data/tls.crt', at('tls.crt'));
  await symlink('..data/tls.key', at('tls.key'));
  const [files] = await openFiles();
  const port = await startHttps(files);
  expect(await shownAt(port)).toBe('first');
  await symlink('..two', at('..data_tmp'));
  await rename(at('..data_tmp'), at('..data'));
  await untilRenewed(port);
});

test('gRPC shows a renewed certificate too, and a stream that is open continues', async () => {
  await writePair(CERT, KEY);
  const [files] = await openFiles();
  const ledger = createScriptedLedger(100);
  const { port } = await startStreamServer({ node: ledger, tls: files.options });
  const roots = credentials.createSsl(Buffer.from(CERT + RENEWED_CERT));
  const clientOf = (): StreamServiceClient => {
    const client = new StreamServiceClient(`localhost:${port}`, roots, {
      'grpc.use_local_subchannel_pool': 1,
    });
    onTestFinished(() => client.close());
    return client;
  };
  const stream = clientOf().subscribe({ topic: 'slots', format: 1 }, metadataOf());
  const failed: unknown[] = [];
  stream.on('error', (error) => failed.push(error));
  await once(stream, 'metadata');
  await writePair(RENEWED_CERT, RENEWED_KEY);
  await untilRenewed(port);
  ledger.grow(101);
  await once(stream, 'data');
  expect(failed).toEqual([]);
  const topics = await new Promise<number>((resolve, reject) =>
    clientOf().listTopics({}, metadataOf(), (error, answer) =>
      error === null ? resolve(answer.topics.length) : reject(error),
    ),
  );
  expect(topics).toBe(5);
  stream.cancel();
});

test('a request that is under way while the files change is answered', async () => {
  await writePair(CERT, KEY);
  const [files] = await openFiles();
  const port = await startHttps(files);
  const where = { host: '127.0.0.1', port, path: `${RPC_PATH}?apikey=${API_KEY}`, ca: [CERT, RENEWED_CERT] };
  const headers = { 'content-type': 'application/json', 'content-length': CALL.length };
  const asked = request({ ...where, method: 'POST', headers, agent: false });
  asked.flushHeaders();
  await writePair(RENEWED_CERT, RENEWED_KEY);
  await untilRenewed(port);
  asked.end(CALL);
  const [response] = await once(asked, 'response');
  expect(await text(response)).toContain('"result":1');
});
