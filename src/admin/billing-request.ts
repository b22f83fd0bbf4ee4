import { parseUsd } from '../../runtime/micro-usd.ts';
import type { BillingTerms } from '../account/billing/terms.ts';
import { readCursor } from '../base/list-cursor.ts';
import { MAX_LIMIT } from '../account/list-page.ts';
import { readText } from './account-request.ts';
import { mistake } from './webhook-request.ts';

/** A request about how accounts pay, their invoices and their statements, checked. Amounts in micro-USD. */
export type BillingRequest =
  | {
      readonly kind: 'billing.set';
      readonly account: string;
      readonly mode: BillingTerms['mode'];
      readonly creditLimit: bigint;
    }
  | {
      readonly kind: 'invoices.list';
      /** Undefined: all accounts. */
      readonly account: string | undefined;
      /** Number of the last invoice of the page before. */
      readonly before: number | undefined;
      readonly limit: number;
    }
  | { readonly kind: 'invoices.show'; readonly number: string }
  | {
      readonly kind: 'invoices.credit';
      readonly number: string;
      readonly amount: bigint;
      readonly reason: string;
      /** Undefined: of its own. */
      readonly reference: string | undefined;
    }
  | { readonly kind: 'statements'; readonly account: string }
  | { readonly kind: 'notices.show'; readonly account: string }
  | { readonly kind: 'notices.set'; readonly account: string; readonly thresholds: readonly bigint[] };

type Members = Readonly<Record<string, unknown>>;
type Kind = BillingRequest['kind'];

const MOST_NOTICES = 5;

const READERS: {
  readonly [K in Kind]: (members: Members) => Omit<Extract<BillingRequest, { kind: K }>, 'kind'>;
} = {
  'billing.set': ({ account, mode, creditLimitUsd }) => ({
    account: String(account),
    ...readMode(mode, creditLimitUsd),
  }),
  'invoices.list': ({ account, cursor, limit }) => ({
    account: account === undefined ? undefined : String(account),
    before: cursor === undefined ? undefined : readBefore(cursor),
    limit: readLimit(limit),
  }),
  'invoices.show': ({ number }) => ({ number: String(number) }),
  'invoices.credit': ({ number, amountUsd, reason, reference }) => ({
    ...{ number: String(number), amount: readAmount('the amount', amountUsd) },
    reason: readText(reason, '--reason'),
    reference: reference === undefined ? undefined : readText(reference, '--reference'),
  }),
  statements: ({ account }) => ({ account: String(account) }),
  'notices.show': ({ account }) => ({ account: String(account) }),
  'notices.set': ({ account, belowUsd }) => ({
    account: String(account),
    thresholds: readThresholds(belowUsd),
  }),
};

/** True for a request about billing, by its kind. */
export function isBillingRequest(members: Members): members is Members & { readonly kind: Kind } {
  return typeof members.kind === 'string' && Object.hasOwn(READERS, members.kind);
}

/** Checks a request about billing. Amounts are decimal text in USD. @throws ServiceError `invalidCommand` with the mistake. */
export function readBillingRequest({ kind, ...members }: { readonly kind: Kind }): BillingRequest {
  return { kind, ...READERS[kind](members) } as BillingRequest;
}

function readMode(mode: unknown, limitUsd: unknown): Pick<BillingTerms, 'mode' | 'creditLimit'> {
  if (mode === 'prepaid') return { mode, creditLimit: 0n };
  if (mode === 'invoiced') return { mode, creditLimit: readAmount('--credit-limit', limitUsd) };
  if (mode !== 'by_volume') throw mistake(`the mode must be by_volume, invoiced or prepaid`);
  const isNone = limitUsd === undefined || parseUsd(String(limitUsd)) === 0n;
  return { mode, creditLimit: isNone ? 0n : readAmount('--credit-limit', limitUsd) };
}

function readAmount(what: string, amountUsd: unknown): bigint {
  const amount = typeof amountUsd === 'string' ? parseUsd(amountUsd) : undefined;
  if (amount !== undefined && amount > 0n) return amount;
  throw mistake(`${what} must be decimal USD above 0, such as 5000, got ${JSON.stringify(amountUsd)}`);
}

function readThresholds(amounts: unknown): readonly bigint[] {
  const thresholds = (Array.isArray(amounts) ? amounts : []).map((amount) => readAmount('--below', amount));
  if (thresholds.length > MOST_NOTICES)
    throw mistake(`--below may be given ${MOST_NOTICES} times, got ${thresholds.length}`);
  return [...new Set(thresholds)];
}

function readLimit(limit: unknown): number {
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MAX_LIMIT) return Number(limit);
  throw mistake(`--limit must be a whole number from 1 to ${MAX_LIMIT}, got ${JSON.stringify(limit)}`);
}

function readBefore(cursor: unknown): number {
  const isNumber = (id: string): boolean => /^[1-9]\d{0,14}$/.test(id);
  const position = typeof cursor === 'string' ? readCursor(cursor, isNumber) : undefined;
  if (position !== undefined) return Number(position.id);
  throw mistake(`--cursor must be the next_cursor of a page of this list, got ${JSON.stringify(cursor)}`);
}
