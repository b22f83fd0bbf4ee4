import { serviceError } from '../base/service-error.ts';
import { wantsLedger } from '../webhooks/ledger/ledger-fact.ts';
import { filterFault, LEDGER_FILTER_KINDS, MAX_FILTERS } from '../webhooks/ledger/ledger-filter.ts';
import type { WrittenLedger } from '../webhooks/ledger/read-ledger-choice.ts';
import { isEventPattern } from '../webhooks/wanted-types.ts';
import { readText } from './account-request.ts';

/** A request about webhooks, checked. */
export type WebhookRequest =
  | { readonly kind: 'webhooks.list'; readonly account: string }
  | {
      readonly kind: 'webhooks.create';
      readonly account: string;
      readonly name: string;
      readonly url: string;
      readonly events: readonly string[];
      readonly isOrdered: boolean;
      readonly ledger: WrittenLedger | undefined;
    }
  | { readonly kind: 'webhooks.set'; readonly id: string; readonly isActive: boolean }
  | { readonly kind: 'webhooks.rotate'; readonly id: string; readonly overlapMs: number }
  | { readonly kind: 'webhooks.replay'; readonly id: string; readonly fromSeq: number }
  | { readonly kind: 'webhooks.test'; readonly id: string }
  | { readonly kind: 'webhooks.delete'; readonly id: string };

type Members = Readonly<Record<string, unknown>>;
type Kind = WebhookRequest['kind'];

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DAY_MS = 86_400_000;
const MAX_OVERLAP_MS = 30 * DAY_MS;

const READERS: {
  readonly [K in Kind]: (members: Members) => Omit<Extract<WebhookRequest, { kind: K }>, 'kind'>;
} = {
  'webhooks.list': ({ account }) => ({ account: String(account) }),
  'webhooks.create': ({ account, name, url, events, ordered, ledger }) => ({
    account: String(account),
    name: readText(name, '--name'),
    url: readText(url, '--url'),
    events: readPatterns(events),
    isOrdered: ordered === true,
    ledger: readLedger(ledger, readPatterns(events)),
  }),
  'webhooks.set': ({ id, isActive }) => ({ id: readId(id), isActive: isActive === true }),
  'webhooks.rotate': ({ id, overlapMs }) => ({ id: readId(id), overlapMs: readOverlap(overlapMs) }),
  'webhooks.replay': ({ id, fromSeq }) => ({ id: readId(id), fromSeq: readSeq(fromSeq) }),
  'webhooks.test': ({ id }) => ({ id: readId(id) }),
  'webhooks.delete': ({ id }) => ({ id: readId(id) }),
};

/** True for a request about webhooks, by its kind. */
export function isWebhookRequest(members: Members): members is Members & { readonly kind: Kind } {
  return typeof members.kind === 'string' && Object.hasOwn(READERS, members.kind);
}

/**
 * Checks a request about webhooks.
 *
 * @throws ServiceError `invalidCommand` with the mistake; `webhookNotFound` for a malformed id.
 */
export function readWebhookRequest({ kind, ...members }: { readonly kind: Kind }): WebhookRequest {
  return { kind, ...READERS[kind](members) } as WebhookRequest;
}

function readPatterns(events: unknown): readonly string[] {
  const patterns = Array.isArray(events) ? events.map(String) : [];
  const unknown = patterns.find((pattern) => !isEventPattern(pattern));
  if (unknown === undefined) return patterns;
  throw mistake(`--event must be a type of event such as wallet.sign, or wallet.*; got ${unknown}`);
}

function readLedger(ledger: unknown, patterns: readonly string[]): WrittenLedger | undefined {
  const { network, commitment, ...values } = (ledger ?? {}) as Members;
  const filters = LEDGER_FILTER_KINDS.flatMap((kind) => {
    const given = values[kind];
    return (Array.isArray(given) ? given : []).map((value) => ({ kind, value: String(value) }));
  });
  if (filters.length === 0) {
    if (network === undefined && commitment === undefined) return undefined;
    throw mistake('--network and --commitment need --address, --program or --signature');
  }
  if (filters.length > MAX_FILTERS)
    throw mistake(
      `--address, --program and --signature may be given ${MAX_FILTERS} times, got ${filters.length}`,
    );
  for (const filter of filters) {
    const fault = filterFault(filter);
    if (fault !== undefined) throw mistake(`--${filter.kind} ${fault}; got ${filter.value}`);
  }
  if (!wantsLedger(patterns))
    throw mistake('--event must have a type such as ledger.*, since there are addresses or the like');
  if (commitment !== undefined && commitment !== 'confirmed' && commitment !== 'finalized')
    throw mistake(`--commitment must be confirmed or finalized; got ${String(commitment)}`);
  return { network: network === undefined ? undefined : String(network), commitment, filters };
}

function readOverlap(overlapMs: unknown): number {
  if (overlapMs === undefined) return DAY_MS;
  if (Number.isSafeInteger(overlapMs) && Number(overlapMs) >= 0 && Number(overlapMs) <= MAX_OVERLAP_MS)
    return Number(overlapMs);
  throw mistake('--overlap must be from 0s to 30d');
}

function readSeq(fromSeq: unknown): number {
  if (Number.isSafeInteger(fromSeq) && Number(fromSeq) > 0) return Number(fromSeq);
  throw mistake(`--from must be the number of a record, from 1, got ${JSON.stringify(fromSeq)}`);
}

function readId(id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw serviceError('webhookNotFound', { id: String(id) });
}

/** The error of a mistake in a command. */
export function mistake(reason: string) {
  return serviceError('invalidCommand', { reason });
}
