import { eventually } from '../../../src/base/eventually.ts';
import type { Ending, ReceivedWallet } from '../../wallets/kill/read-wallets.ts';
import { ACCOUNT } from '../../wallets/open-wallet-server.ts';
import { breakOfChargeRule, CHARGED } from './charge-rule.ts';
import type { Round } from './round.ts';
import { askKeyed, askSign, askWallets } from './singles.ts';
import { runStream, type StreamWork } from './streams.ts';
import type { Pending } from './workload.ts';

/** How the account stands, as the command `balance` shows it. */
export type Standing = {
  readonly balance_usd: string;
  readonly reserved_usd: string;
  readonly charged_usd: string;
  readonly operations_this_month: Readonly<Record<string, number>>;
};

const AT_ONCE = 8;
/** Work whose store or signer failed is settled a second later, and tried again until that succeeds. */
const SETTLED_MS = 20_000;

/** Asks again for what has an Idempotency-Key: managed work has to become whole; of client work the server says that it kept no secret. */
export async function askAgain(round: Round, pending: Pending): Promise<void> {
  for (const work of pending.streams) {
    const ending = await runWhenFree(round, work);
    const isSecretGone = ending.kind === 'refused' && ending.code === 'idempotency_secret_not_kept';
    if (work.isWhole || (!work.isManaged && isSecretGone)) continue;
    round.fault(`asked again, a stream with a key ended as ${JSON.stringify(ending)}`);
  }
  for (const work of pending.singles) {
    if (!(await askKeyed(round, work, []))) round.fault(`asked again, ${work.operation} was not done`);
  }
}

/** Asks for a stream as soon as the server has settled the one before, whose store or signer was killed. */
async function runWhenFree(round: Round, work: StreamWork): Promise<Ending> {
  return eventually(
    'the key of a stream is free again',
    async () => {
      const ending = await runStream(round, work);
      const isInUse = ending.kind === 'refused' && ending.code === 'idempotency_key_in_use';
      return isInUse ? undefined : ending;
    },
    { timeoutMs: SETTLED_MS },
  );
}

/** Every wallet that was told of is there, and signs. @returns how many are lost. */
export async function countLost(round: Round, wallets: readonly ReceivedWallet[]): Promise<number> {
  const { book, fault } = round;
  const lives = await mapAtOnce(wallets, async (wallet) => {
    const { wallet_id: id, address } = wallet;
    if (!book.living.has(id)) return true;
    const shown = await askWallets(round, `/${id}`);
    const isShown = shown?.status === 200 && shown.body.address === address;
    const isSigning = await askSign(round, wallet);
    if (!isShown || !isSigning)
      fault(`the wallet ${id} is lost: GET answered ${shown?.status}, and it signs: ${isSigning}`);
    return isShown && isSigning;
  });
  return lives.filter((isLiving) => !isLiving).length;
}

/** No wallet whose destruction was acknowledged is shown or signs, and no master derives it again. @returns how many are revived. */
export async function countRevived(round: Round, wallets: readonly ReceivedWallet[]): Promise<number> {
  const { fault, book } = round;
  const dead = await mapAtOnce(wallets, async ({ wallet_id: id }) => {
    const shown = await askWallets(round, `/${id}`);
    const signed = await askWallets(round, `/${id}/sign`, { message: 'aGVsbG8=' });
    const isDead = [shown, signed].every((answer) => answer?.status === 404);
    if (!isDead) fault(`the destroyed wallet ${id} answers ${shown?.status}, and ${signed?.status} to sign`);
    return isDead;
  });
  for (const { wallet_id: id } of wallets) {
    const place = book.children.get(id);
    if (place === undefined) continue;
    const body = { custody: 'managed', master_wallet_id: place.masterId };
    const derived = await askWallets(round, '/hd', { ...body, accounts: { start: place.x, count: 1 } });
    if (derived?.body.code === 'derivation_destroyed') continue;
    fault(`the destroyed child ${id} is derived again: ${derived?.status} ${String(derived?.body.code)}`);
    dead.push(false);
  }
  return dead.filter((isDead) => !isDead).length;
}

/** Finds out of destructions that were not answered whether they happened: a wallet that is shown must sign, and one that is not stays dead. */
export async function settleUnsure(round: Round): Promise<void> {
  const { book } = round;
  for (const [id, wallet] of book.unsure) {
    const shown = await askWallets(round, `/${id}`);
    (shown?.status === 200 ? book.living : book.destroyed).set(id, wallet);
    book.newest.push(wallet);
  }
  book.unsure.clear();
}

/** How the account stands when nothing is set aside any more. @throws Error where that does not come. */
export function settledStanding({ server }: Pick<Round, 'server'>): Promise<Standing> {
  return eventually(
    'nothing is set aside any more',
    async () => {
      const standing = await server.ask<Standing>({ kind: 'money.balance', account: ACCOUNT });
      return Number(standing.reserved_usd) === 0 ? standing : undefined;
    },
    { timeoutMs: SETTLED_MS },
  );
}

/** Holds what a round charged against what its clients were given. @returns how many units were given away. */
export function judgeCharges({ book, fault }: Round, before: Standing, after: Standing): number {
  let givenAway = 0;
  for (const operation of CHARGED) {
    const unitsOf = (standing: Standing): number => standing.operations_this_month[operation] ?? 0;
    const charged = unitsOf(after) - unitsOf(before);
    const tally = book.tally(operation);
    givenAway += Math.max(0, tally.delivered - charged);
    const wrong = breakOfChargeRule(operation, tally, charged);
    if (wrong !== undefined) fault(wrong);
  }
  return givenAway;
}

async function mapAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      results.push(await work(item));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
