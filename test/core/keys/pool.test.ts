import { base58 } from '@scure/base';
import * as noble from '@noble/ed25519';
import * as scure from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDKey } from 'micro-key-producer/slip10.js';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadEngineOf } from '../../../src/core/keys/load-engine.ts';
import { createKeyPool, type HdJob, type KeyChunk } from '../../../src/core/keys/pool.ts';
import { QUIET } from './quiet-log.ts';
import { readAll } from './read-all.ts';

const createdAt = new Date('2026-01-02T03:04:05.678Z');
const CREATED = '2026-01-02T03:04:05.678Z';
const HEADER = 'address,custody,wallet_id,secret_key,mnemonic,derivation_path,created_at';
const PATH = "m/44'/501'/0'/0'";
const signal = new AbortController().signal;

type Wallet = Readonly<Record<string, string>>;

const pools = await Promise.all(
  (['native', 'reference'] as const).map((kind) =>
    createKeyPool({ threads: 2, log: QUIET, loadEngine: () => loadEngineOf(kind) }),
  ),
);
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

test('starts one thread, and others when there is work for them', async () => {
  let threads = 0;
  const count = () => {
    threads += 1;
  };
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  const pool = await createKeyPool({ threads: 3, log: QUIET });
  onTestFinished(() => pool.close());
  expect(threads).toBe(1);
  await readAll(pool.batch({ count: 10_000, format: 'jsonl', createdAt }, signal));
  expect(threads).toBe(3);
});

describe.each(pools.map((pool) => ({ kind: pool.engine.kind, pool })))('the $kind pool', ({ pool }) => {
  test('makes a batch as JSON lines, every wallet another, each chunk with the number of its wallets', async () => {
    const chunks = await readAll(pool.batch({ count: 600, format: 'jsonl', createdAt }, signal));
    expect(chunks.map(({ count }) => count)).toEqual([256, 256, 88]);
    expect(chunks.map(({ bytes }) => linesOf(bytes.toString()).length)).toEqual([256, 256, 88]);
    const wallets = linesOf(text(chunks)).map(parse);
    for (const wallet of wallets) {
      expect(Object.keys(wallet)).toEqual(['address', 'custody', 'secret_key', 'created_at']);
      expectPair(wallet);
    }
    expect(new Set(wallets.map(({ secret_key: key }) => key)).size).toBe(600);
    expect(wallets[0]).toMatchObject({ custody: 'client', created_at: CREATED });
  });

  test('makes a batch as CSV with one header and CRLF', async () => {
    const chunks = await readAll(pool.batch({ count: 300, format: 'csv', createdAt }, signal));
    const [header, ...rows] = text(chunks).split('\r\n');
    expect(header).toBe(HEADER);
    expect(rows.pop()).toBe('');
    expect(rows).toHaveLength(300);
    for (const row of rows) {
      const [address = '', custody, id, secretKey = '', ...rest] = row.split(',');
      expect([custody, id, ...rest]).toEqual(['client', '', '', '', CREATED]);
      expectPair({ address, secret_key: secretKey });
    }
  });

  test.each([12, 24] as const)(
    'derives each wallet of a batch from %i words and the passphrase',
    async (words) => {
      const job = { count: 9, mnemonicWords: words, passphrase: 'Ångström ㍍', createdAt };
      for (const format of ['jsonl', 'csv'] as const) {
        const made = text(await readAll(pool.batch({ ...job, format }, signal)));
        const wallets = format === 'jsonl' ? linesOf(made).map(parse) : rowsOf(made);
        expect(wallets).toHaveLength(9);
        for (const wallet of wallets) {
          expect(wallet).toMatchObject({ derivation_path: PATH, created_at: CREATED, custody: 'client' });
          expect(wallet.mnemonic?.split(' ')).toHaveLength(words);
          expectDerived(wallet, wallet.mnemonic, job.passphrase, PATH);
        }
      }
    },
  );

  test('a few wallets with mnemonics are two tasks to each thread, many are of sixteen wallets', async () => {
    const job = { mnemonicWords: 12, format: 'jsonl', createdAt } as const;
    const sizesOf = async (count: number): Promise<readonly number[]> =>
      (await readAll(pool.batch({ ...job, count }, signal))).map((chunk) => chunk.count);
    expect(await sizesOf(1)).toEqual([1]);
    expect(await sizesOf(7)).toEqual([2, 2, 2, 1]);
    expect(await sizesOf(70)).toEqual([16, 16, 16, 16, 6]);
  });

  test('makes a single wallet, with its address apart', async () => {
    const { record, address } = await pool.single({ createdAt }, signal);
    const wallet = parse(record.toString());
    expect(wallet.address).toBe(address);
    expectPair(wallet);
  });

  test('derives a single wallet at a path', async () => {
    const path = { x: 2147483647, y: 3 };
    const { record } = await pool.single({ mnemonicWords: 24, path, createdAt }, signal);
    const wallet = parse(record.toString());
    expectDerived(wallet, wallet.mnemonic, '', "m/44'/501'/2147483647'/3'");
  });

  test('gives the master first and then the children of every account and change, at the limits too', async () => {
    const job: HdJob = {
      source: { kind: 'new', words: 24, passphrase: 'x' },
      accounts: { start: 2147483645, count: 3 },
      change: { start: 0, count: 100 },
      format: 'jsonl',
      createdAt,
    };
    const chunks = await readAll(pool.hd(job, signal));
    expect(chunks.map(({ count }) => count)).toEqual([0, 256, 44]);
    const [master, ...wallets] = linesOf(text(chunks)).map(parse);
    expect(master?.derivation_path).toBe('m');
    expect(wallets.map((wallet) => wallet.derivation_path)).toEqual(
      [2147483645, 2147483646, 2147483647].flatMap((x) =>
        Array.from({ length: 100 }, (_, y) => `m/44'/501'/${x}'/${y}'`),
      ),
    );
    expectDerived(master, master?.mnemonic, 'x', 'm');
    for (const wallet of [wallets[0], wallets[255], wallets[256], wallets[299]]) {
      expect(wallet?.mnemonic).toBeUndefined();
      expectDerived(wallet, master?.mnemonic, 'x', wallet?.derivation_path ?? '');
    }
  });

  test('derives from a mnemonic or a seed that is given, without sending it back', async () => {
    const mnemonic = `${'zoo '.repeat(11)}wrong`;
    const seed = scure.mnemonicToSeedSync(mnemonic, 'y');
    const ranges = { accounts: { start: 5, count: 1 }, change: { start: 7, count: 2 }, createdAt };
    const sources: readonly HdJob['source'][] = [
      { kind: 'mnemonic', mnemonic: Buffer.from(mnemonic), passphrase: 'y' },
      { kind: 'seed', seed },
    ];
    for (const source of sources) {
      const made = text(await readAll(pool.hd({ ...ranges, source, format: 'csv' }, signal)));
      expect(made).not.toContain('zoo');
      const rows = rowsOf(made);
      expect(rows.map(({ derivation_path: path }) => path)).toEqual([
        'm',
        "m/44'/501'/5'/7'",
        "m/44'/501'/5'/8'",
      ]);
      for (const row of rows) expectDerived(row, mnemonic, 'y', row.derivation_path ?? '');
    }
  });

  test('gives an HD job as one JSON document', async () => {
    const ranges = { accounts: { start: 0, count: 300 }, change: { start: 0, count: 1 }, createdAt };
    const source = { kind: 'new', words: 12 } as const;
    const made = await readAll(pool.hd({ ...ranges, source, format: 'json' }, signal));
    const { master, wallets, ...more } = JSON.parse(text(made));
    expect(more).toEqual({});
    expect(master.derivation_path).toBe('m');
    expect(wallets).toHaveLength(300);
    expectDerived(wallets[299], master.mnemonic, '', "m/44'/501'/299'/0'");
  });

  test('refuses what no caller may ask: nothing, indexes beyond 2^31 − 1, a passphrase without a mnemonic', async () => {
    const seed = { kind: 'seed', seed: new Uint8Array(64) } as const;
    const hd = (start: number, count: number) => () =>
      pool.hd(
        {
          source: seed,
          accounts: { start, count },
          change: { start: 0, count: 1 },
          format: 'csv',
          createdAt,
        },
        signal,
      );
    for (const ask of [hd(2147483647, 2), hd(-1, 1), hd(0, 0), hd(0.5, 1)])
      expect(ask).toThrow('Internal error');
    expect(() => pool.batch({ count: 0, format: 'csv', createdAt }, signal)).toThrow('Internal error');
    await expect(pool.single({ passphrase: 'x', createdAt }, signal)).rejects.toThrow('Internal error');
  });
});

function text(chunks: readonly KeyChunk[]): string {
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
}

function linesOf(made: string): readonly string[] {
  expect(made.endsWith('\n')).toBe(true);
  return made.slice(0, -1).split('\n');
}

function parse(line: string): Wallet {
  return JSON.parse(line);
}

function rowsOf(made: string): readonly Wallet[] {
  const [header = '', ...rows] = made.trimEnd().split('\r\n');
  const columns = header.split(',');
  return rows.map((row) => {
    const cells = row.split(',');
    return Object.fromEntries(columns.flatMap((column, at) => (cells[at] ? [[column, cells[at]]] : [])));
  });
}

/** The secret key is seed and public key, as wallets import it. */
function expectPair({ address = '', secret_key: secretKey = '' }: Wallet): void {
  const bytes = base58.decode(secretKey);
  const publicKey = base58.encode(noble.getPublicKey(bytes.slice(0, 32)));
  expect([address, base58.encode(bytes.slice(32))]).toEqual([publicKey, publicKey]);
}

function expectDerived(wallet: Wallet | undefined, mnemonic = '', passphrase: string, path: string): void {
  expect(scure.validateMnemonic(mnemonic, wordlist)).toBe(true);
  const node = HDKey.fromMasterSeed(scure.mnemonicToSeedSync(mnemonic, passphrase)).derive(path);
  const secretKey = base58.encode(Uint8Array.from([...node.privateKey, ...node.publicKeyRaw]));
  expect(wallet).toMatchObject({ address: base58.encode(node.publicKeyRaw), secret_key: secretKey });
}
