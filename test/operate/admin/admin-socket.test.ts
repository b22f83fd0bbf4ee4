import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { pino } from 'pino';
import {
  type AdminSocket,
  type AdminSocketOptions,
  startAdminSocket,
} from '../../../src/operate/admin/admin-socket.ts';
import { askAdmin, adminSocketPath } from '../../../src/operate/admin/ask-admin.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { startNode } from '../../support/node-process.ts';
import { eventually } from '../../../src/core/eventually.ts';

const directory = useNewDirectory();
const log = pino({ level: 'silent' });

async function start(options: Partial<AdminSocketOptions> = {}): Promise<AdminSocket> {
  const echo = async (request: unknown): Promise<unknown> => ({ echo: request });
  const socket = await startAdminSocket({ dataDir: directory(), serve: echo, log, ...options });
  onTestFinished(() => socket.close());
  return socket;
}

const file = (): string => join(directory(), 'admin.sock');

/** Sends bytes as they are and reads until the server ends the connection. */
async function sendRaw(bytes: string): Promise<string> {
  const socket = connect(file());
  socket.write(bytes);
  return text(socket);
}

test('a command goes there and its result comes back', async () => {
  await start();
  expect(await askAdmin(directory(), { kind: 'x', text: 'ü\n' })).toEqual({
    result: { echo: { kind: 'x', text: 'ü\n' } },
  });
});

test('is open to its owner only, and leaves nothing else behind', async () => {
  await start();
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory())).toEqual(['admin.sock']);
});

test('an error comes back as the same error', async () => {
  await start({ serve: () => Promise.reject(serviceError('invalidCommand', { reason: 'why' })) });
  await expect(askAdmin(directory(), {})).rejects.toMatchObject({ code: 'invalidCommand', message: 'why' });
});

test('what fails inside the server is not told', async () => {
  await start({ serve: () => Promise.reject(new Error('secret')) });
  expect(await sendRaw('{}\n')).toBe('{"error":{"code":"internalError","context":{}}}\n');
  await expect(askAdmin(directory(), {})).rejects.toMatchObject({ code: 'adminFailed' });
});

test('nobody is asked where no server runs', async () => {
  expect(await askAdmin(directory(), {})).toBeUndefined();
});

test('is removed when the server stops', async () => {
  const socket = await start();
  await socket.close();
  expect(existsSync(file())).toBe(false);
});

test('one left over by a killed server is nobody, and is replaced', async () => {
  const script = `require('net').createServer().listen(${JSON.stringify(file())}, () => console.log('up'))`;
  const dead = startNode(['-e', script], {});
  await eventually('the other process listens', () => (dead.stdout() === '' ? undefined : true));
  process.kill(dead.pid, 'SIGKILL');
  await eventually('the other process is gone', dead.ended);
  expect(existsSync(file())).toBe(true);
  expect(await askAdmin(directory(), {})).toBeUndefined();
  await start();
  expect(await askAdmin(directory(), 1)).toEqual({ result: { echo: 1 } });
});

test('a second server is refused, and the first continues', async () => {
  await start();
  await expect(start()).rejects.toMatchObject({ code: 'dataDirectoryLocked' });
  expect(await askAdmin(directory(), 1)).toEqual({ result: { echo: 1 } });
});

test('a server that stops leaves the socket of another alone', async () => {
  const first = await start();
  const second = createServer();
  rmSync(file());
  await new Promise<void>((resolve) => second.listen(file(), resolve));
  await first.close();
  expect(existsSync(file())).toBe(true);
  await new Promise((resolve) => second.close(resolve));
});

test('a command of 64 KiB is taken, one byte more is refused', async () => {
  await start({ serve: async (request) => String(request).length });
  const line = (sizeBytes: number): string => `${JSON.stringify('x'.repeat(sizeBytes - 2))}\n`;
  expect(await sendRaw(line(65_536))).toBe('{"result":65534}\n');
  expect(await sendRaw(line(65_537))).toContain('"invalidCommand"');
});

test('a hundred commands at once are all answered', async () => {
  await start();
  const asked = Array.from({ length: 100 }, (_, index) => askAdmin(directory(), index));
  expect(await Promise.all(asked)).toEqual(asked.map((_, index) => ({ result: { echo: index } })));
});

test.each([
  ['a file', () => file()],
  ['below a file', () => join(file(), 'data')],
  ['where no directory can be made', () => '/proc/nowhere/data'],
])('a data directory that is %s cannot be listened in, and nobody answers there', async (_what, dataDir) => {
  writeFileSync(file(), '');
  await expect(start({ dataDir: dataDir() })).rejects.toMatchObject({ code: 'listenFailed' });
  expect(await askAdmin(dataDir(), {})).toBeUndefined();
});

test('what is no JSON is refused', async () => {
  await start();
  expect(await sendRaw('hello\n')).toContain('"invalidCommand"');
});

test('a client that says nothing is let go after its time', async () => {
  await start({ requestTimeoutMs: 50 });
  expect(await sendRaw('{"half":')).toBe('');
});

test('a server that leaves without an answer is told as that', async () => {
  const rude = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => rude.listen(file(), resolve));
  await expect(askAdmin(directory(), {})).rejects.toMatchObject({ code: 'adminFailed' });
  await new Promise((resolve) => rude.close(resolve));
});

test('a path that sockets cannot have is refused with the setting that shortens it', () => {
  const limit = process.platform === 'linux' ? 107 : 103;
  const rest = '/admin.sock'.length;
  const longest = `/${'d'.repeat(limit - rest - 1)}`;
  expect(Buffer.byteLength(adminSocketPath(longest))).toBe(limit);
  expect(() => adminSocketPath(`${longest}d`)).toThrow(/KEYSLOT_DATA_DIR/);
});

test('the path is seen from the working directory where that is shorter', () => {
  expect(adminSocketPath('.keyslot')).toBe('.keyslot/admin.sock');
});
