import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import type { Wallet } from '../../generated/wallets/types.ts';
import { describeEnd, mayHaveRest } from '../../src/dashboard/pages/wallets/batch/describe-end.ts';
import { printHead, printWallet } from '../../src/dashboard/pages/wallets/batch/print-wallet.ts';
import { type BatchProgress, runBatch } from '../../src/dashboard/pages/wallets/batch/run-batch.ts';
import { searchOf } from '../../src/dashboard/pages/wallets/search-of.ts';
import { checkTransfer, parseSol } from '../../src/dashboard/pages/wallets/send/check-transfer.ts';
import {
  signedTransaction,
  transferMessage,
  toBase64,
} from '../../src/dashboard/pages/wallets/send/transfer-message.ts';
import { walletName } from '../../src/dashboard/pages/wallets/wallet-name.ts';

const ADDRESS = 'CrLun5xkJQhhJmvz3fLDByLWBVFFMNjvoDmaMTnwrWgQ';
const OTHER = 'SysvarC1ock11111111111111111111111111111111';

const walletOf = (index: number): Wallet => ({
  address: ADDRESS,
  custody: 'client',
  secret_key: `key ${index}`,
  created_at: '2026-01-15T09:30:00.000Z',
});

describe('a transfer', () => {
  it('has the bytes that web3.js writes, for amounts up to the last u64', () => {
    for (const lamports of [1n, 250_000_000n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
      const [from, to, blockhash] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
      const expected = new Transaction({
        feePayer: from.publicKey,
        blockhash: blockhash.publicKey.toBase58(),
        lastValidBlockHeight: 1,
      }).add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to.publicKey, lamports }));
      const message = transferMessage({
        from: from.publicKey.toBytes(),
        to: to.publicKey.toBytes(),
        blockhash: blockhash.publicKey.toBytes(),
        lamports,
      });
      expect(toBase64(message)).toBe(expected.serializeMessage().toString('base64'));
      expected.sign(from);
      const signature = expected.signature ?? new Uint8Array();
      expect(toBase64(signedTransaction(message, signature))).toBe(expected.serialize().toString('base64'));
    }
  });

  it('takes a signature of 64 bytes alone', () => {
    expect(() => signedTransaction(new Uint8Array(1), new Uint8Array(63))).toThrow(RangeError);
  });

  it.each([
    ['0.25', 250_000_000n],
    ['1', 1_000_000_000n],
    [' 0.000000001 ', 1n],
    ['18446744073.709551615', 2n ** 64n - 1n],
    ['18446744073.709551616', undefined],
    ['0.0000000001', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['1,5', undefined],
    ['', undefined],
  ])('of %j SOL is %s lamports', (text, lamports) => {
    expect(parseSol(text)).toBe(lamports);
  });

  it('names each field that is wrong', () => {
    expect(checkTransfer(ADDRESS, { to: OTHER, amount: '1' })).toEqual({
      to: OTHER,
      lamports: 1_000_000_000n,
    });
    expect(Object.keys(checkTransfer(ADDRESS, { to: 'nobody', amount: 'much' }))).toEqual(['to', 'amount']);
    expect(checkTransfer(ADDRESS, { to: ADDRESS, amount: '1' })).toEqual({
      to: 'This is the address of the wallet itself.',
    });
  });
});

describe('a batch', () => {
  const target = () => {
    const file = { text: '', writes: 0, isClosed: false };
    return {
      file,
      isOnDisk: true,
      write: async (text: string) => {
        file.text += text;
        file.writes += 1;
      },
      close: async () => {
        file.isClosed = true;
      },
    };
  };
  const streamOf = (count: number, wallets: AsyncGenerator<Wallet>) => ({
    count,
    [Symbol.asyncIterator]: () => wallets,
  });
  async function* make(count: number, error?: Error): AsyncGenerator<Wallet> {
    for (let index = 0; index < count; index += 1) yield walletOf(index);
    if (error !== undefined) throw error;
  }

  it('writes each wallet once, some hundreds at a time, and tells how many are in the file', async () => {
    const to = target();
    const seen: BatchProgress[] = [];
    const end = await runBatch({
      open: async () => streamOf(600, make(600)),
      target: to,
      format: 'jsonl',
      onProgress: (progress) => seen.push(progress),
    });
    expect(end).toEqual({ written: 600, announced: 600 });
    expect(seen.map(({ written }) => written)).toEqual([0, 250, 500, 600]);
    const lines = to.file.text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).secret_key)).toEqual(
      Array.from({ length: 600 }, (_, index) => `key ${index}`),
    );
    expect(to.file).toMatchObject({ writes: 3, isClosed: true });
  });

  it('keeps what came before it was stopped, and closes the file', async () => {
    const to = target();
    const stopped = new Error('stopped');
    const end = await runBatch({
      open: async () => streamOf(600, make(3, stopped)),
      target: to,
      format: 'csv',
      onProgress: () => undefined,
    });
    expect(end).toEqual({ written: 3, announced: 600, error: stopped });
    expect(to.file.text.split('\r\n')).toHaveLength(5);
    expect(to.file.isClosed).toBe(true);
    expect(describeEnd(end)).toContain('3 of 600 wallets are in the file');
    expect(describeEnd(end)).toContain('from 3 to 600');
  });

  it('that was refused has written nothing and charged nothing', async () => {
    const to = target();
    const refused = new Error('402');
    const end = await runBatch({
      open: () => Promise.reject(refused),
      target: to,
      format: 'csv',
      onProgress: () => undefined,
    });
    expect(end).toEqual({ written: 0, announced: undefined, error: refused });
    expect(to.file).toEqual({ text: '', writes: 0, isClosed: true });
    expect(describeEnd(end)).toBe('No wallet was created, and nothing was charged.');
  });

  it('that ended early may have a rest, which is asked for once', () => {
    const end = { written: 3, announced: 600, error: new Error('stopped') };
    expect(mayHaveRest(end)).toBe(true);
    expect(mayHaveRest(end, 3)).toBe(false);
    expect(mayHaveRest({ written: 600, announced: 600 })).toBe(false);
    expect(mayHaveRest({ written: 0, announced: undefined, error: new Error('402') })).toBe(false);
    expect(describeEnd({ written: 5, announced: 5 }, 3)).toContain('8 were charged in total');
  });

  it('is CSV as the wallet service writes it, with quotes where a value needs them', () => {
    expect(printHead('csv')).toBe(
      'address,custody,wallet_id,secret_key,mnemonic,derivation_path,created_at\r\n',
    );
    const wallet = { ...walletOf(1), mnemonic: 'a "b", c' };
    expect(printWallet('csv', wallet)).toBe(
      `${ADDRESS},client,,key 1,"a ""b"", c",,2026-01-15T09:30:00.000Z\r\n`,
    );
  });
});

describe('a wallet', () => {
  it('is searched by its whole address, or by a part of its label', () => {
    expect(searchOf(` ${ADDRESS} `)).toEqual({ address: ADDRESS });
    expect(searchOf(ADDRESS.slice(2))).toEqual({ label: ADDRESS.slice(2) });
    expect(searchOf('  ')).toEqual({});
  });

  it('is called by its label, else by where it stands in a tree', () => {
    expect(walletName({ label: 'deposit', derivation_path: 'm' })).toBe('deposit');
    expect(walletName({ derivation_path: 'm' })).toBe('HD master');
    expect(walletName({ derivation_path: "m/44'/501'/1'/0'" })).toBe("m/44'/501'/1'/0'");
    expect(walletName({})).toBe('Wallet without a label');
  });
});
