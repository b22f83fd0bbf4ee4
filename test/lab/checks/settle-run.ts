import { PLANS } from '../../../generated/plans.ts';
import { eventually } from '../../../src/core/eventually.ts';
import type { Accounts } from '../gateways/open-accounts.ts';
import type { GatewayProcess, LabGateway } from '../gateways/lab-gateway.ts';
import { type AuditRecord, judgeChains, judgeRecords, readAudit } from './judge-audit.ts';
import { readStanding, settleTrees, settleWallets, type Standing } from './settle-wallets.ts';
import type { ClientDeps } from '../clients/client-deps.ts';
import { type KeyBook, knownFromMs, tryKey } from '../clients/key-client.ts';
import { type LabWebhook, retryOldest } from '../receiver/lab-webhook.ts';
import type { Findings } from './findings.ts';
import type { WalletBook } from '../clients/wallets/wallet-book.ts';

type SettlingDeps = Pick<ClientDeps, 'findings' | 'timeline' | 'readMs' | 'random'> & {
  /** The time of day, of which the codes of second factors follow. */
  readonly nowMs: () => number;
  readonly gateways: readonly GatewayProcess[];
};

/** Holds wallets, keys, charges, audit log and webhooks, at gateways that are well again, against what clients were told. */
export async function settleRun(
  deps: SettlingDeps,
  { wallets, trees, keys, webhooks }: Accounts,
): Promise<void> {
  const { gateways, findings } = deps;
  const books = [...wallets, ...trees];
  await settleWallets(deps, books);
  await settleTrees(deps, trees, gateways);
  await settleKeys(deps, keys);
  const [first] = gateways;
  if (first === undefined || webhooks.length === 0) return;
  for (const book of books) {
    judgeCharges(book, await readStanding(book, first), findings);
    judgeRecords(book, await readAudit(first, book.account), findings);
  }
  await judgeChains(gateways, findings);
  await settleWebhooks(webhooks, first, findings);
}

/** Uses every key of the run at every gateway: those that live work, and those that were ended are refused. */
async function settleKeys(
  deps: Pick<ClientDeps, 'findings' | 'timeline' | 'readMs'> & { readonly gateways: readonly LabGateway[] },
  books: readonly KeyBook[],
): Promise<void> {
  for (const { living, ended, unanswered } of books) {
    const changes = [...living.values(), ...ended.values()].map(({ sinceMs, endedMs = sinceMs }) => endedMs);
    const lastMs = Math.max(0, ...changes);
    for (const gateway of deps.gateways)
      await eventually(`${gateway.name} knows every key`, () => knowsAll(gateway, lastMs));
    for (const what of unanswered) deps.findings.break('lost_key', `${what} was never answered`);
    for (const key of [...living.values(), ...ended.values()])
      for (const gateway of deps.gateways) await tryKey(deps, gateway, key);
  }
}

function knowsAll(gateway: LabGateway, changedMs: number): true | undefined {
  return performance.now() > (knownFromMs(gateway, changedMs) ?? Number.POSITIVE_INFINITY) || undefined;
}

const DELIVERED_MS = 90_000;
const LOOK_MS = 1_000;

/** Waits until the webhook of each account has got what its audit log has now, and notes what never came. */
async function settleWebhooks(
  webhooks: readonly LabWebhook[],
  gateway: GatewayProcess,
  findings: Findings,
): Promise<void> {
  const untilMs = performance.now() + DELIVERED_MS;
  for (const webhook of webhooks) {
    const records = await readAudit(gateway, webhook.customer.account);
    const wanted = records.filter(({ seq }) => seq > webhook.position);
    const hasAll = async (): Promise<true | undefined> => {
      if (wanted.every(({ seq }) => webhook.delivered.actionOf(seq) !== undefined)) return true;
      await retryOldest(gateway, webhook);
      return undefined;
    };
    const timeoutMs = Math.max(LOOK_MS, untilMs - performance.now());
    await eventually('every event came', hasAll, { timeoutMs, intervalMs: LOOK_MS }).catch(() => undefined);
    judgeDeliveries(webhook, wanted, findings);
  }
}

/** Every record came, as what it is. */
export function judgeDeliveries(
  { customer: { account }, delivered }: Pick<LabWebhook, 'customer' | 'delivered'>,
  wanted: readonly Pick<AuditRecord, 'seq' | 'action'>[],
  findings: Findings,
): void {
  findings.check('lost_delivery', wanted.length);
  for (const { seq, action } of wanted) {
    const came = delivered.actionOf(seq);
    if (came === action) continue;
    const what = came === undefined ? 'never came' : `came as ${came}`;
    findings.break('lost_delivery', `${account}: the event ${seq} (${action}) ${what}`);
  }
}

type Booked = Pick<
  WalletBook,
  'account' | 'created' | 'derived' | 'trees' | 'signed' | 'creditUsd' | 'unanswered' | 'interrupted'
>;

const MICRO = 1_000_000;

/**
 * Holds what an account was charged against what it was given: each operation once, at the price of the list, and the money adds up to the
 * micro-USD. Delivered never exceeds charged; what was charged without being delivered is at most what broken requests had set aside.
 */
export function judgeCharges(book: Booked, standing: Standing, findings: Findings): void {
  const { operations_this_month: operations, balance_usd: balance, charged_usd: charged } = standing;
  const delivered = {
    wallet_creation: book.created,
    managed_signing: book.signed,
    hd_child_derivation: book.derived,
    hd_master_creation: book.trees.size,
  };
  for (const [operation, units] of Object.entries(delivered)) {
    findings.check('lost_charge', units);
    const booked = operations[operation] ?? 0;
    const open = book.unanswered.length + (book.interrupted.get(operation) ?? 0);
    if (booked < units || booked > units + open)
      findings.break(
        'lost_charge',
        `${book.account}: ${units} of ${operation} delivered, ${booked} charged, and ${open} broken off at most`,
      );
  }
  findings.check('lost_charge', 2);
  const wanted = Object.entries(delivered).reduce((sum, [name, units]) => sum + units * priceOf(name), 0);
  if (microUsd(charged) !== wanted && book.unanswered.length === 0 && book.interrupted.size === 0)
    findings.break(
      'lost_charge',
      `${book.account}: charges of ${charged} USD, where what was delivered costs ${wanted / MICRO} USD`,
    );
  if (microUsd(balance) + microUsd(charged) !== microUsd(String(book.creditUsd)))
    findings.break(
      'lost_charge',
      `${book.account}: a balance of ${balance} USD and charges of ${charged} USD are not the credit of ${book.creditUsd} USD`,
    );
}

/** The price of the list: no client of the lab comes to the threshold of the volume price. */
function priceOf(operation: string): number {
  return Object.entries(PLANS.wallet_prices).find(([name]) => name === operation)?.[1].standard ?? 0;
}

function microUsd(text: string): number {
  return Math.round(Number(text) * MICRO);
}

/** The number of times each node took each transaction, by its bytes. */
export type TakenSends = readonly { readonly name: string; readonly taken: ReadonlyMap<string, number> }[];

/** Holds what nodes took against the configuration: each node at most once, and no more nodes than `sendTo`. */
export function judgeSends(nodes: TakenSends, sendTo: number, findings: Findings): void {
  const takers = new Map<string, number>();
  for (const { name, taken } of nodes)
    for (const [wire, times] of taken) {
      takers.set(wire, (takers.get(wire) ?? 0) + 1);
      if (times > 1) findings.break('duplicate_send', `${name} took a transaction ${times} times`);
    }
  findings.check('duplicate_send', takers.size);
  for (const count of takers.values())
    if (count > sendTo)
      findings.break(
        'duplicate_send',
        `${count} nodes took a transaction, and upstream.send_to is ${sendTo}`,
      );
}
