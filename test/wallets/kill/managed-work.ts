import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { WalletServer } from '../open-wallet-server.ts';
import { isSignature } from './is-signature.ts';
import { type Ending, readJson, readWallets, type ReceivedWallet } from './read-wallets.ts';

/** A stream of wallets, and the lines of it that a client has received. */
export type StreamWork = {
  readonly path: '/batch' | '/hd';
  readonly body: Readonly<Record<string, unknown>>;
  /** The lines that it has in the end, a master included. */
  readonly lines: number;
  readonly key: string | undefined;
  told: readonly ReceivedWallet[];
  isDone: boolean;
};

/** A signature that is asked for, with an Idempotency-Key. */
export type SignWork = { readonly wallet: ReceivedWallet; readonly key: string; isDone: boolean };

/** All that clients have asked for and been told. `onTold` is called at each wallet and signature. */
export type Clients = {
  readonly told: ReceivedWallet[];
  readonly streams: StreamWork[];
  readonly signs: SignWork[];
  onTold: () => void;
};

export const newBatch = (count: number, isKeyed: boolean): StreamWork => ({
  path: '/batch',
  body: { count, custody: 'managed' },
  lines: count,
  key: isKeyed ? randomUUID() : undefined,
  told: [],
  isDone: false,
});

export const newTree = (count: number, isKeyed: boolean): StreamWork => ({
  path: '/hd',
  body: { custody: 'managed', format: 'jsonl', accounts: { start: 0, count } },
  lines: count + 1,
  key: isKeyed ? randomUUID() : undefined,
  told: [],
  isDone: false,
});

/** Asks for a stream, for the first time or again. What an earlier try told comes again, first and in the same order. */
export async function runStream(server: WalletServer, clients: Clients, work: StreamWork): Promise<Ending> {
  const { path, body, key, lines, told: earlier } = work;
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const now: ReceivedWallet[] = [];
  const ending = await readWallets(server.send(path, body, { headers }), (wallet) => {
    const before = earlier[now.length];
    if (before === undefined) clients.told.push(wallet);
    else expect(wallet).toEqual(before);
    now.push(wallet);
    clients.onTold();
  });
  if (now.length > earlier.length) work.told = now;
  if (ending.kind === 'whole') {
    expect([ending.announced, now.length]).toEqual([lines, lines]);
    work.isDone = true;
  }
  return ending;
}

/** Makes wallets one after the other until the server is gone. */
export async function runCreates(server: WalletServer, clients: Clients, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const wallet = await readJson<ReceivedWallet>(server.send('', { custody: 'managed' }));
    if (wallet === undefined) return;
    clients.told.push(wallet);
    clients.onTold();
  }
}

/** Asks for a signature, for the first time or again, and verifies it. @returns false where the server is gone. */
export async function runSign(server: WalletServer, clients: Clients, work: SignWork): Promise<boolean> {
  const { wallet, key } = work;
  const body = { message: `signed under ${key}`, encoding: 'utf8' };
  const headers = { 'idempotency-key': key };
  const asked = server.send(`/${wallet.wallet_id}/sign`, body, { headers });
  const answer = await readJson<{ readonly signature: string }>(asked);
  if (answer === undefined) return false;
  expect([wallet, isSignature(wallet.address, Buffer.from(body.message), answer.signature)]).toEqual([
    wallet,
    true,
  ]);
  work.isDone = true;
  clients.onTold();
  return true;
}

/** Asks for new signatures of wallets, some at a time, until the server is gone. */
export async function runSigns(
  server: WalletServer,
  clients: Clients,
  wallets: readonly ReceivedWallet[],
): Promise<void> {
  const waiting = wallets.map((wallet): SignWork => ({ wallet, key: randomUUID(), isDone: false }));
  clients.signs.push(...waiting);
  const signer = async (): Promise<void> => {
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
      if (!(await runSign(server, clients, work))) return;
    }
  };
  await Promise.all(Array.from({ length: 4 }, signer));
}
