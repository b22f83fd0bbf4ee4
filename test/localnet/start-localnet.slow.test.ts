import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { COMMANDS } from '../../src/cli/find-command.ts';
import { readStartOptions } from '../../src/localnet/read-start-options.ts';
import { type Localnet, startLocalnet } from '../../src/localnet/start-localnet.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();
const LOADED = 'So11111111111111111111111111111111111111113';
const running: Localnet[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ close }) => close()));
});

const start = async (...given: Parameters<typeof startLocalnet>): Promise<Localnet> => {
  const localnet = await startLocalnet(...given);
  running.push(localnet);
  return localnet;
};

const ask = async <T>({ rpcUrl }: Localnet, method: string, ...params: readonly unknown[]): Promise<T> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
  return ((await answer.json()) as { readonly result: T }).result;
};

test('several run at once, each with its own state and clock', async () => {
  const [one, other] = await Promise.all([
    start({ slotMs: 20 }),
    start({ warpSlot: 10_000n, slotMs: 60_000 }),
  ]);
  expect(one.rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(one.wsUrl).toBe(one.rpcUrl.replace('http', 'ws'));
  await ask(one, 'requestAirdrop', LOADED, 1_000_000_000);
  const balance = (localnet: Localnet): Promise<{ value: number }> =>
    ask(localnet, 'getBalance', LOADED, { commitment: 'confirmed' });
  await eventually('it is funded', async () => ((await balance(one)).value > 0 ? true : undefined));
  expect(await balance(other)).toMatchObject({ context: { slot: 9_999 }, value: 0 });
  expect(await ask(other, 'getGenesisHash')).not.toBe(await ask(one, 'getGenesisHash'));
});

test('its WebSocket tells of slots, and clients are told that it closes for good', async () => {
  const localnet = await start({ slotMs: 20 });
  const socket = new WebSocket(localnet.wsUrl);
  const received = Promise.withResolvers<unknown>();
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener('close', ({ code }) => resolve(code)),
  );
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as { readonly method?: string };
    if (message.method !== undefined) received.resolve(message);
  });
  socket.addEventListener('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}'));
  expect(await received.promise).toMatchObject({ method: 'slotNotification' });
  await localnet.close();
  expect(await closed).toBe(1000);
  await expect(ask(localnet, 'getSlot')).rejects.toThrow('fetch failed');
  await localnet.close();
});

test('it begins with what it is given, and continues with a ledger on disk', async () => {
  const account = { lamports: 5, data: ['', 'base64'], owner: LOADED, executable: false, rentEpoch: 0 };
  const path = join(directory(), 'a.json');
  writeFileSync(path, JSON.stringify({ pubkey: LOADED, account }));
  const ledger = join(directory(), 'ledger');
  const first = await start({ account: [['-', path]], ledger, slotMs: 60_000 });
  expect(await ask(first, 'getBalance', LOADED)).toMatchObject({ value: 5 });
  await first.close();
  const second = await start({ ledger, slotMs: 60_000 });
  expect(await ask(second, 'getBalance', LOADED)).toMatchObject({ value: 5 });
});

/** Options of the command that a function has no use for, or has otherwise. */
const OF_THE_COMMAND = ['alpenglow', 'ephemeral', 'host', 'json', 'max-compute-units', 'no-votes', 'quiet'];
const FLAGS = (COMMANDS.find(({ name }) => name === 'localnet')?.options ?? [])
  .filter(({ summary }) => !summary.startsWith('Accepted without effect'))
  .map(({ name }) => name);

test('every other option of the command is one of the function, in camel case', () => {
  const camel = (flag: string): string => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const known = FLAGS.filter((flag) => {
    try {
      readStartOptions({ [camel(flag)]: {} });
      return true;
    } catch (error) {
      return !String(error).includes('startLocalnet has no option');
    }
  });
  expect(FLAGS.filter((flag) => !known.includes(flag)).sort()).toEqual(OF_THE_COMMAND);
  expect(known.length).toBeGreaterThan(20);
});

test.each([
  [{ slotMs: 5 }, '--slot-ms 5 is not a whole number from 10 to 60000'],
  [{ slotMS: 50 }, 'startLocalnet has no option slotMS'],
  [{ clone: LOADED }, 'the option clone of startLocalnet is not an array'],
  [{ votes: 'no' }, 'the option votes of startLocalnet is not a boolean'],
  [{ bpfProgram: [['a']] }, 'an entry of the option bpfProgram of startLocalnet is not an array of 2'],
  [null, 'the options of startLocalnet are not an object'],
  ['fast', 'the options of startLocalnet are not an object'],
  [{ snapshotDir: 5 }, 'the option snapshotDir of startLocalnet is not a string'],
  [{ mint: null }, 'the option mint of startLocalnet is not a string'],
  [{ slotMs: '50' }, 'the option slotMs of startLocalnet is not a number'],
  [{ slotMs: true }, 'the option slotMs of startLocalnet is not a number'],
  [
    { fork: 'http://127.0.0.1:1' },
    '127.0.0.1:1 does not answer getGenesisHash: it cannot be reached (bad port)',
  ],
  [{ reset: true }, '--reset deletes the ledger of a directory'],
])('refuses %o', async (options, reason) => {
  await expect(startLocalnet(options as object)).rejects.toThrow(reason);
});

test('a port that is taken is named, and the same function starts on another', async () => {
  const { rpcUrl } = await start();
  const rpcPort = Number(new URL(rpcUrl).port);
  await expect(startLocalnet({ rpcPort })).rejects.toThrow(String(rpcPort));
  await expect(ask(await start(), 'getHealth')).resolves.toBe('ok');
});
