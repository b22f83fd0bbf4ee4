import { randomUUID } from 'node:crypto';
import { base58 } from '@scure/base';
import { OPERATIONS } from '../../../../generated/wallets/operations.ts';
import { isSignatureOf } from '../../../../src/account/audit/audit-head.ts';
import { type AskingDeps, askUntilAnswered } from '../ask-until-answered.ts';
import type { ClientDeps } from '../client-deps.ts';
import { CodeTurns, type DestroyingDeps, destroyOne, tryDestroyed } from './destroy-steps.ts';
import { drawWallet, type ToldWallet, type WalletBook } from './wallet-book.ts';
import type { ServiceAnswer } from '../ask-service.ts';

const BETWEEN_MS = 40;
/** Of this number of steps one creates a wallet, one a batch; one tries to sign with a destroyed one; the others sign. */
const STEPS = 12;

export type WalletDeps = AskingDeps & DestroyingDeps & Pick<ClientDeps, 'over'>;

/** A client of the wallet service with an account of its own: everything is asked for under a key, until it is answered. */
export async function runWalletClient(deps: WalletDeps, book: WalletBook): Promise<void> {
  const { over, random, pause, nowMs } = deps;
  const codes = new CodeTurns(nowMs);
  for (let step = 0; !over.aborted; step++) {
    const at = random(STEPS);
    if (step === 0 || at < 2) await createOne(deps, book);
    else if (book.living.size > 1 && codes.take()) await destroyOne(deps, book);
    else if (at < 4 && book.destroyed.size > 0) await tryDestroyed(deps, book);
    else if (at === 4) await createBatch(deps, book);
    else await signWithOne(deps, book);
    await pause(BETWEEN_MS);
  }
}

const ROOT = OPERATIONS.createWallet.path;
/** The most wallets of a batch. */
const MOST_IN_BATCH = 8;

type Asked = {
  readonly path: string;
  readonly body: object;
  readonly what: string;
  readonly isExpected?: (answer: ServiceAnswer) => boolean;
};

/** Asks the wallet service under a key of its own until it is answered. Undefined: it never was, or it was refused. */
export function askKeyed(
  deps: AskingDeps,
  book: Pick<WalletBook, 'token' | 'unanswered'>,
  { path, ...asked }: Asked,
): Promise<ServiceAnswer | undefined> {
  const headers = { 'idempotency-key': randomUUID() };
  const { token, unanswered } = book;
  const request = { method: 'POST' as const, path: `${ROOT}${path}`, token, headers, ...asked };
  return askUntilAnswered(deps, { ...request, breaks: 'lost_wallet' }, unanswered);
}

/** Creates a managed wallet. */
export async function createOne(deps: AskingDeps, book: WalletBook): Promise<void> {
  const asked = { path: '', body: { custody: 'managed' }, what: 'a creation' };
  const answer = await askKeyed(deps, book, asked);
  if (answer === undefined) return;
  deps.timeline.count('wallets_created');
  book.created++;
  enter(book, answer.body);
}

/** Creates a batch of managed wallets: as many lines have to come as were asked for. */
export async function createBatch(deps: AskingDeps, book: WalletBook): Promise<void> {
  const count = 1 + deps.random(MOST_IN_BATCH);
  const asked = { path: '/batch', body: { custody: 'managed', count }, what: `a batch of ${count}` };
  const answer = await askKeyed(deps, book, asked);
  if (answer !== undefined) takeBatch(deps, book, { count, body: answer.body });
}

/** Enters the wallets of a batch, which has to have as many as were asked for, each with an id of its own. */
export function takeBatch(
  { findings, timeline }: Pick<AskingDeps, 'findings' | 'timeline'>,
  book: WalletBook,
  { count, body }: { readonly count: number; readonly body: ServiceAnswer['body'] },
): void {
  const { lines = [] } = body as { readonly lines?: readonly ServiceAnswer['body'][] };
  const ids = new Set(lines.map(({ wallet_id: id }) => id));
  timeline.count('wallets_created', lines.length);
  findings.check('lost_wallet', count);
  if (lines.length !== count || ids.size !== count)
    findings.break(
      'lost_wallet',
      `a batch of ${count} was answered with ${lines.length} lines and ${ids.size} wallets`,
    );
  book.created += lines.length;
  for (const line of lines) enter(book, line);
}

/** Signs with a wallet of the account. */
export async function signWithOne(deps: AskingDeps, book: WalletBook): Promise<void> {
  const wallet = drawWallet(deps, book.living);
  if (wallet !== undefined) await signWith(deps, book, wallet);
}

/** Signs with a wallet, and verifies the signature. */
export async function signWith(deps: AskingDeps, book: WalletBook, wallet: ToldWallet): Promise<void> {
  const message = `signed for ${wallet.id} as ${randomUUID()}`;
  const body = { message, encoding: 'utf8' };
  const answer = await askKeyed(deps, book, { path: `/${wallet.id}/sign`, body, what: 'a signature' });
  if (answer === undefined) return;
  deps.timeline.count('signatures');
  book.signed++;
  deps.findings.check('lost_wallet');
  if (!isSignedBy(wallet.address, message, String(answer.body.signature)))
    deps.findings.break('lost_wallet', `a signature of ${wallet.id} does not verify`);
}

function enter(book: WalletBook, { wallet_id: id, address }: ServiceAnswer['body']): void {
  book.living.set(String(id), { id: String(id), address: String(address) });
}

function isSignedBy(address: string, message: string, signature: string): boolean {
  try {
    const key = { publicKey: base58.decode(address), signature: base58.decode(signature) };
    return isSignatureOf(key, Buffer.from(message));
  } catch {
    return false;
  }
}
