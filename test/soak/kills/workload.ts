import { askWallets } from '../../lab/clients/ask-service.ts';
import type { AskingDeps } from '../../lab/clients/ask-until-answered.ts';
import { type DestroyingDeps, destroyOne } from '../../lab/clients/wallets/destroy-steps.ts';
import type { ToldWallet, WalletBook } from '../../lab/clients/wallets/wallet-book.ts';
import { createOne, signWith } from '../../lab/clients/wallets/wallet-client.ts';
import { sampleOf } from '../../lab/random.ts';
import type { GatewayProcess } from '../../lab/gateways/lab-gateway.ts';
import type { WalletServer } from '../../wallets/open-wallet-server.ts';
import type { Backend } from './backends.ts';
import { newBatch, newTree, REQUEST_DEADLINE_MS, runStream } from './streams.ts';

/** The dependencies of a round of kills. */
export type Round = AskingDeps &
  DestroyingDeps & {
    readonly backend: Backend;
    readonly server: WalletServer;
    readonly gateway: GatewayProcess;
    readonly book: WalletBook;
    /** True once something was killed: no client asks for more. */
    readonly isOver: () => boolean;
    /** Resolves when what was killed is back. */
    readonly recovered: Promise<void>;
  };

const SINGLES = 12;
const SIGNS = 24;
const SIGNERS = 3;
const DESTROYED = 2;
/** A second's work and more. */
const CLIENT_BATCH = 5_000;
const CLIENT_TREE = 2_000;

/**
 * Everything at once until something is killed: wallets singly and in streams, managed and handed out, with and without Idempotency-Key,
 * signatures, and destructions. What is bounded ends by itself; client streams follow each other until the kill. Resolves when all that
 * has a key is answered, however often it was asked for.
 */
export async function workUntilKilled(round: Round): Promise<void> {
  const { book, backend, random, isOver } = round;
  const earlier = sampleOf([...book.living.values()], SIGNS, random);
  const dying = earlier.filter(({ id }) => !book.trees.has(id)).slice(-DESTROYED);
  const signing = earlier.filter((wallet) => !dying.includes(wallet));
  const [batch, plain] = [backend.batch, Math.ceil(backend.batch / 2)];
  const managed = [
    newBatch({ count: batch, isManaged: true, isKeyed: true }),
    newBatch({ count: plain, isManaged: true, isKeyed: false }),
    ...(backend.hasTrees
      ? [true, false].map((isKeyed) => newTree({ count: plain, isManaged: true, isKeyed }))
      : []),
  ];
  const clients = [
    () => newBatch({ count: CLIENT_BATCH, isManaged: false, isKeyed: false }),
    () => newBatch({ count: CLIENT_BATCH, isManaged: false, isKeyed: true }),
    () => newTree({ count: CLIENT_TREE, isManaged: false, isKeyed: false }),
  ];
  const repeat = async (times: number, ask: () => Promise<unknown>): Promise<void> => {
    for (let done = 0; done < times && !isOver(); done += 1) if ((await ask()) === false) return;
  };
  const each = async (
    wallets: readonly ToldWallet[],
    ask: (wallet: ToldWallet) => Promise<void>,
  ): Promise<void> => {
    for (const wallet of wallets) if (!isOver()) await ask(wallet);
  };
  await Promise.all([
    ...managed.map((work) => runStream(round, work)),
    ...clients.map((next) => repeat(Number.POSITIVE_INFINITY, () => runStream(round, next()))),
    repeat(SINGLES, () => createOne(round, book)),
    repeat(SINGLES, () => createUnkeyed(round, { custody: 'managed' })),
    repeat(Number.POSITIVE_INFINITY, () => createUnkeyed(round, { mnemonic_words: 12 })),
    ...Array.from({ length: SIGNERS }, (_, at) =>
      each(
        signing.filter((_wallet, index) => index % SIGNERS === at),
        (wallet) => signWith(round, book, wallet),
      ),
    ),
    each(dying, (wallet) => destroyFresh(round, wallet)),
  ]);
}

/** Asks once, without a key: where it is not answered, nobody knows whether the wallet is there. @returns whether it was answered well. */
async function createUnkeyed({ gateway, book, findings }: Round, body: object): Promise<boolean> {
  const { token } = book;
  const startMs = performance.now();
  const request = { method: 'POST', path: '', token, body, deadlineMs: REQUEST_DEADLINE_MS } as const;
  const { status, body: answer } = await askWallets(gateway, request);
  if (performance.now() - startMs >= REQUEST_DEADLINE_MS)
    findings.break('lost_wallet', `a creation was not answered within ${REQUEST_DEADLINE_MS} ms`);
  if (status === 0 || status >= 500) {
    book.interrupted.set('wallet_creation', (book.interrupted.get('wallet_creation') ?? 0) + 1);
    return false;
  }
  findings.check('lost_wallet');
  if (status >= 300) {
    findings.break('lost_wallet', `a creation was refused with ${status} ${String(answer.code)}`);
    return false;
  }
  book.created++;
  const id = String(answer.wallet_id);
  if ('custody' in body) book.living.set(id, { id, address: String(answer.address) });
  return true;
}

/** Destroys a wallet with a code of a new secret: one secret has a new code twice a minute only. */
export async function destroyFresh(round: Round, wallet: ToldWallet): Promise<void> {
  const { server, book, isOver } = round;
  const { account } = book;
  try {
    await server.ask({ kind: 'two-factor.remove', account }).catch(ignoreNotEnrolled);
    const { secret } = await server.ask<{ secret: string }>({ kind: 'two-factor.enrol', account });
    await destroyOne(round, { ...book, secret }, wallet);
  } catch (error) {
    if (!isOver()) throw error;
  }
}

function ignoreNotEnrolled(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'twoFactorNotEnrolled')) throw error;
}
