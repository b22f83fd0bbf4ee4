import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/open-store.ts';
import { storeUnavailable } from '../../store/store-errors.ts';
import { type AuditFact, appendAuditAlone } from './append-audit.ts';

/** A request that was refused before anything was done for it. */
export type RefusedAccess = {
  /** Whose token it came with; undefined: with none, or one that nobody has. */
  readonly holder: { readonly accountId: string; readonly tokenId: string } | undefined;
  /** What was asked for, as the audit log calls it. */
  readonly action: string;
  /** The code of the problem that was answered. */
  readonly outcome: string;
  readonly address: string | undefined;
  readonly requestId: string;
};

/** Takes down who was refused what, and from where. */
export type RefusalLog = {
  readonly note: (refused: RefusedAccess) => void;
  /** Writes what was noted. To be called when no request is under way any more, before the store is closed. */
  readonly close: () => Promise<void>;
};

export type RefusalLogOptions = {
  readonly store: Pick<Store, 'db'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
  /** How often is looked whether a minute is over. Default 1,000 ms. */
  readonly lookMs?: number;
};

/** The chain of what came without the token of an account. There is no account of this id. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

const LOOK_MS = 1_000;
const MINUTE_MS = 60_000;
/** What is told apart in one chain and minute; what comes beyond it is counted as one, `others`. */
const MAX_KINDS = 100;
/** What the column holds. */
const MAX_COUNT = 2 ** 31 - 1;
const OTHERS = 'others';

type Kind = AuditFact & { readonly units: number };
/** Of each chain what was refused, by what tells it apart. */
type Minute = { readonly endsAtMs: number; readonly chains: Map<string, Map<string, Kind>> };

/**
 * Keeps refusals in memory until their minute is over, and then adds one record for each kind of them to the audit log, with the number of
 * requests: a record that is written is never changed. While the store cannot be written to, the minute that is open goes on. A process that
 * is killed loses what was not written.
 */
export function createRefusalLog({ store, clock, log, lookMs = LOOK_MS }: RefusalLogOptions): RefusalLog {
  let open = newMinute(clock.nowMs());
  let closed: Minute | undefined;
  let work: Promise<void> = Promise.resolve();
  let [isIdle, isFailing] = [true, false];

  const write = async ({ chains, endsAtMs }: Minute): Promise<void> => {
    for (const [chain, kinds] of chains) {
      await appendAuditAlone(store, chain, [...kinds.values()], Math.min(endsAtMs, clock.nowMs()));
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
      if (!isFailing) log.error({ reason }, 'refused requests could not be written into the audit log');
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
      // What a minute that could not be written left, and then the minute that is open.
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
  const chain = holder?.accountId ?? NOBODY;
  const kinds = chains.get(chain) ?? new Map<string, Kind>();
  chains.set(chain, kinds);
  const name = JSON.stringify([holder?.tokenId, action, outcome, address]);
  if (kinds.has(name) || kinds.size < MAX_KINDS)
    count(kinds, name, { tokenId: holder?.tokenId, action, outcome, address, requestId });
  else count(kinds, OTHERS, { action: 'access', outcome: OTHERS, requestId });
}

/** The request id is that of the first. */
function count(kinds: Map<string, Kind>, name: string, fact: AuditFact): void {
  const known = kinds.get(name) ?? { ...fact, units: 0 };
  kinds.set(name, { ...known, units: Math.min(known.units + 1, MAX_COUNT) });
}
