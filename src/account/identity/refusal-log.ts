import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/open-store.ts';
import { storeUnavailable } from '../../store/store-errors.ts';
import { networkOf } from './members/sign-in-attempts.ts';
import { type AuditFact, appendAuditInOwnTransaction } from '../audit/append-audit.ts';

/** A request that was refused before any work was done for it. */
export type RefusedAccess = {
  /** Holder of the token or the session; undefined without either, or with an unknown one. */
  readonly holder:
    | { readonly accountId: string; readonly tokenId?: string; readonly memberId?: string }
    | undefined;
  /** The requested action, by its name in the audit log. */
  readonly action: string;
  /** Code of the problem that was answered. */
  readonly outcome: string;
  readonly address: string | undefined;
  readonly requestId: string;
};

/** Records refused requests, with their holder and address. */
export type RefusalLog = {
  readonly note: (refused: RefusedAccess) => void;
  /** Writes the noted refusals. Call it once no request is under way, before the store is closed. */
  readonly close: () => Promise<void>;
};

export type RefusalLogOptions = {
  readonly store: Pick<Store, 'db' | 'transaction'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
  /** Interval of the check whether a minute is over. Default 1,000 ms. */
  readonly lookMs?: number;
};

/** Account id of the chain for requests without the token of an account. No account has this id. */
export const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

const LOOK_MS = 1_000;
const MINUTE_MS = 60_000;
/** Number of kinds counted separately per chain and minute; the rest is counted together as `others`. */
const MAX_KINDS = 100;
/** The largest value of the column. */
const MAX_COUNT = 2 ** 31 - 1;
const OTHERS = 'others';

type Kind = AuditFact & { readonly units: number };
/** The refusals of each chain, by kind. */
type Minute = { readonly endsAtMs: number; readonly chains: Map<string, Map<string, Kind>> };

/**
 * Keeps refusals in memory for a minute, then appends one record per kind to the audit log, with the number of requests: a written record
 * never changes. While the store cannot be written to, the open minute continues. A process that is killed loses what it has not written.
 */
export function createRefusalLog({ store, clock, log, lookMs = LOOK_MS }: RefusalLogOptions): RefusalLog {
  let open = newMinute(clock.nowMs());
  let closed: Minute | undefined;
  let work: Promise<void> = Promise.resolve();
  let [isIdle, isFailing] = [true, false];

  const write = async ({ chains, endsAtMs }: Minute): Promise<void> => {
    for (const [chain, kinds] of chains) {
      await appendAuditInOwnTransaction(store, chain, [...kinds.values()], Math.min(endsAtMs, clock.nowMs()));
      chains.delete(chain);
    }
  };
  const settle = async (): Promise<void> => {
    try {
      if (closed !== undefined) await write(closed);
      closed = undefined;
      isFailing = false;
    } catch (error) {
      const { message: reason } = storeUnavailable('the audit log', error);
      if (!isFailing) log.error({ reason }, 'cannot write refused requests to the audit log; retrying');
      isFailing = true;
    }
  };
  const look = (isLast: boolean): void => {
    const nowMs = clock.nowMs();
    if (closed === undefined && (isLast || nowMs >= open.endsAtMs)) {
      if (open.chains.size > 0) closed = open;
      open = newMinute(nowMs);
    }
    isIdle = false;
    work = settle().finally(() => {
      isIdle = true;
    });
  };
  const timer = setInterval(() => void (isIdle && look(false)), lookMs);
  timer.unref();
  return {
    note: (refused) => note(open, refused),
    close: async () => {
      clearInterval(timer);
      await work;
      // First a minute that could not be written, then the open one.
      for (const _each of [1, 2]) {
        look(true);
        await work;
      }
    },
  };
}

function newMinute(nowMs: number): Minute {
  return { endsAtMs: (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS, chains: new Map() };
}

function note({ chains }: Minute, { holder, action, outcome, address, requestId }: RefusedAccess): void {
  const chain = holder?.accountId ?? NO_ACCOUNT;
  const kinds = chains.get(chain) ?? new Map<string, Kind>();
  chains.set(chain, kinds);
  const { tokenId, memberId } = holder ?? {};
  // One client has a whole network of IPv6 addresses.
  const network = address === undefined ? undefined : networkOf(address);
  const name = JSON.stringify([tokenId, memberId, action, outcome, network]);
  if (kinds.has(name) || kinds.size < MAX_KINDS)
    count(kinds, name, { tokenId, memberId, action, outcome, address, requestId });
  else count(kinds, OTHERS, { action: 'access', outcome: OTHERS, requestId });
}

/** The request id and the address are those of the first request. */
function count(kinds: Map<string, Kind>, name: string, fact: AuditFact): void {
  const known = kinds.get(name) ?? { ...fact, units: 0 };
  kinds.set(name, { ...known, units: Math.min(known.units + 1, MAX_COUNT) });
}
