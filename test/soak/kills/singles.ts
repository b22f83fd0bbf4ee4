import { randomUUID } from 'node:crypto';
import { isSignature } from '../../wallets/kill/is-signature.ts';
import type { ReceivedWallet } from '../../wallets/kill/read-wallets.ts';
import type { ChargedOperation } from './charge-rule.ts';
import type { Round } from './round.ts';
import { REQUEST_DEADLINE_MS } from './streams.ts';

/** How a request ended; undefined: the connection broke. */
export type Answered = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** A request that is asked again, under its key, until it is answered. */
export type SingleWork = {
  readonly operation: ChargedOperation;
  readonly key: string;
  /** @param key undefined: without one. */
  readonly ask: (key: string | undefined) => Promise<Answered | undefined>;
  readonly take: (body: Answered['body']) => void;
};

/** Sends a request of the wallet API and reads its answer in JSON. @throws Error other than that of a broken connection. */
export async function askWallets(
  { server }: Round,
  path: string,
  body?: unknown,
  {
    headers = {},
    method,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly method?: string } = {},
): Promise<Answered | undefined> {
  try {
    const signal = AbortSignal.timeout(REQUEST_DEADLINE_MS);
    const answer = await server.send(path, body, {
      headers,
      signal,
      ...(method === undefined ? {} : { method }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>),
    };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Asks once; what was not answered, or with 5xx, is interrupted. @returns whether it was answered well. */
async function askOnce(
  { book, fault }: Round,
  { operation, take }: Pick<SingleWork, 'operation' | 'take'>,
  asked: Promise<Answered | undefined>,
  isKeyed: boolean,
): Promise<boolean> {
  const answer = await asked;
  const isGood = answer !== undefined && answer.status < 300;
  if (isGood) {
    book.deliver(operation, 1);
    take(answer.body);
  } else if (answer !== undefined && answer.status < 500) {
    fault(`${operation} was refused with ${answer.status} ${String(answer.body.code)}`);
  } else if (!isKeyed) book.interrupt(operation, 1);
  return isGood;
}

/** Asks under a key. What is not answered is added to `pending`, to be asked again. */
export async function askKeyed(round: Round, work: SingleWork, pending: SingleWork[]): Promise<boolean> {
  const isGood = await askOnce(round, work, work.ask(work.key), true);
  if (!isGood) pending.push(work);
  return isGood;
}

/** A managed wallet of its own, under a key. */
export function newManaged(round: Round): SingleWork {
  return {
    ...{ operation: 'wallet_creation', key: randomUUID() },
    ask: (key) => askWallets(round, '', { custody: 'managed' }, keyed(key)),
    take: (body) => round.book.tell(toldIn(body)),
  };
}

/** A managed wallet without a key: where it is not answered, nobody knows whether it is there. */
export function askManaged(round: Round): Promise<boolean> {
  const asked = askWallets(round, '', { custody: 'managed' });
  const take = (body: Answered['body']): void => round.book.tell(toldIn(body));
  return askOnce(round, { operation: 'wallet_creation', take }, asked, false);
}

/** A client wallet. */
export function askClient(round: Round): Promise<boolean> {
  const asked = askWallets(round, '', { mnemonic_words: 12 });
  return askOnce(round, { operation: 'wallet_creation', take: () => undefined }, asked, false);
}

/** A signature without a key. */
export function askSign(round: Round, wallet: ReceivedWallet): Promise<boolean> {
  const { operation, ask, take } = newSign(round, wallet);
  return askOnce(round, { operation, take }, ask(undefined), false);
}

/** A signature of a wallet, under a key; it is verified. */
export function newSign(round: Round, { wallet_id, address }: ReceivedWallet): SingleWork {
  const message = `signed for ${wallet_id} at ${randomUUID()}`;
  const body = { message, encoding: 'utf8' };
  return {
    ...{ operation: 'managed_signing', key: randomUUID() },
    ask: (key) => askWallets(round, `/${wallet_id}/sign`, body, keyed(key)),
    take: ({ signature }) => {
      if (!isSignature(address, Buffer.from(message), String(signature)))
        round.fault(`a signature of ${wallet_id} does not verify`);
    },
  };
}

function toldIn(body: Answered['body']): ReceivedWallet {
  return { wallet_id: String(body.wallet_id), address: String(body.address) };
}

const keyed = (key: string | undefined) => (key === undefined ? {} : { headers: { 'idempotency-key': key } });
