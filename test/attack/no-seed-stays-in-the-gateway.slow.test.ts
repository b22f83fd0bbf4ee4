import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { expect, test } from 'vitest';
import { scanMemory } from '../signer/fixture/scan-memory.ts';
import { parseCsv } from '../wallets/streams/parse-csv.ts';
import type { WalletServer } from '../wallets/open-wallet-server.ts';
import { startWalletServer } from '../wallets/wallet-server.ts';
import { inHalves, patternsOf, patternsOfText, secretsOfKey, secretsOfMnemonic } from './secrets-of.ts';

const NOT_LINUX = 'the memory of another process is read from /proc, which only Linux has';
const PASSPHRASE = 'never in vain';

type Wallet = { readonly secret_key: string; readonly mnemonic?: string; readonly derivation_path?: string };
/** The wallets of an answer, and the mnemonic and passphrase that its masters are made of where they are not in it. */
type Answer = { readonly wallets: readonly Wallet[]; readonly given?: string };
type Operation = readonly [name: string, passphrase: string, run: (server: WalletServer) => Promise<Answer>];

const read = async (asked: Promise<Response>): Promise<string> => {
  const answer = await asked;
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return text;
};
const single = async (server: WalletServer, body: object): Promise<Answer> => ({
  wallets: [JSON.parse(await read(server.send('', body))) as Wallet],
});
const lines = async (server: WalletServer, path: string, body: object): Promise<Answer> => ({
  wallets: (await read(server.send(path, { ...body, format: 'jsonl' })))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Wallet),
});
const csv = async (server: WalletServer, path: string, body: object): Promise<Answer> => {
  const [head = [], ...records] = parseCsv(await read(server.send(path, { ...body, format: 'csv' })));
  const wallets = records.map((record) =>
    Object.fromEntries(head.map((name, at) => [name, record[at] ?? ''])),
  );
  return { wallets: wallets as unknown as readonly Wallet[] };
};
const tree = async (server: WalletServer, body: object): Promise<Answer> => {
  const { master, wallets } = JSON.parse(await read(server.send('/hd', body))) as {
    master: Wallet;
    wallets: Wallet[];
  };
  return { wallets: [master, ...wallets] };
};
const fromGiven = async (words: number, run: (mnemonic: string) => Promise<Answer>): Promise<Answer> => {
  const given = generateMnemonic(wordlist, words === 12 ? 128 : 256);
  return { ...(await run(given)), given };
};

const RANGES = { accounts: { start: 0, count: 3 }, change: { start: 0, count: 2 } };
const passphrase = PASSPHRASE;
const OPERATIONS: readonly Operation[] = [
  ['a wallet', '', (server) => single(server, {})],
  ['a wallet with a label', '', (server) => single(server, { mnemonic_words: 12, label: 'one' })],
  ['a wallet of 12 words', '', (server) => single(server, { mnemonic_words: 12 })],
  [
    'a wallet of 24 words, a passphrase and a path',
    PASSPHRASE,
    (server) => single(server, { mnemonic_words: 24, passphrase, derivation_path: "m/44'/501'/7'/3'" }),
  ],
  ['a batch as JSON lines', '', (server) => lines(server, '/batch', { count: 60 })],
  ['a batch as CSV', '', (server) => csv(server, '/batch', { count: 60 })],
  ['a batch of 12 words', '', (server) => lines(server, '/batch', { count: 60, mnemonic_words: 12 })],
  [
    'a batch of 24 words and a passphrase as CSV',
    PASSPHRASE,
    (server) => csv(server, '/batch', { count: 20, mnemonic_words: 24, passphrase }),
  ],
  ['a tree', '', (server) => tree(server, RANGES)],
  [
    'a tree as JSON lines',
    PASSPHRASE,
    (server) => lines(server, '/hd', { ...RANGES, mnemonic_words: 12, passphrase }),
  ],
  ['a tree as CSV', '', (server) => csv(server, '/hd', RANGES)],
  [
    'a tree of a given mnemonic',
    PASSPHRASE,
    (server) => fromGiven(24, (mnemonic) => tree(server, { ...RANGES, mnemonic, passphrase })),
  ],
  [
    'a tree of a given mnemonic as JSON lines',
    '',
    (server) => fromGiven(12, (mnemonic) => lines(server, '/hd', { ...RANGES, mnemonic })),
  ],
];

/** Everything that an answer tells or was made of, in every form; a mnemonic that was sent is a string of the request. */
function patternsIn(
  name: string,
  phrase: string,
  { wallets, given }: Answer,
): Readonly<Record<string, Buffer>> {
  const children = wallets.flatMap(({ derivation_path: path = '' }) => {
    const [, , , x, y] = path.split('/').map((level) => Number.parseInt(level, 10));
    return x === undefined || y === undefined ? [] : [{ x, y }];
  });
  return Object.assign(
    {},
    ...wallets.flatMap(({ secret_key: key, mnemonic = '' }, at) => [
      renamed(`${name} ${at}`, patternsOf(inHalves(secretsOfKey(key)))),
      renamed(`${name} ${at}`, patternsOf(secretsOfKey(key))),
      renamed(`${name} ${at}`, patternsOfText('secret key', key)),
      ...(mnemonic === ''
        ? []
        : [
            renamed(`${name} ${at}`, patternsOf(secretsOfMnemonic(mnemonic, phrase, children))),
            renamed(`${name} ${at}`, patternsOfText('mnemonic', mnemonic)),
          ]),
    ]),
    given === undefined ? {} : renamed(name, patternsOf(secretsOfMnemonic(given, phrase, children))),
  );
}

const renamed = <T>(prefix: string, record: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [`${prefix}: ${name}`, value]));

const present = (counts: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${name} (${count})`]));

test('what the gateway makes keys of is nowhere in its memory once they have left, in no form', async (context) => {
  if (process.platform !== 'linux') return context.skip(NOT_LINUX);
  const server = await startWalletServer();
  const patterns: Record<string, Buffer> = {};
  for (const [name, phrase, run] of OPERATIONS)
    Object.assign(patterns, patternsIn(name, phrase, await run(server)));
  const planted = { 'the scan finds what is there': Buffer.from(server.dataDir) };
  const found = scanMemory(server.pid(), { ...patterns, ...planted });
  expect(present(found)).toEqual([expect.stringContaining('the scan finds what is there')]);
  // Its garbage collector moves what lives on: copies would turn up where they were not before.
  for (let turn = 0; turn < 3; turn += 1) await read(server.send('/batch', { count: 2_000 }));
  expect(present(scanMemory(server.pid(), patterns))).toEqual([]);
});
