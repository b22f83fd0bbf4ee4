import { sql } from '../../../store/drizzle.ts';
import type { Store } from '../../../store/open-store.ts';

/** The time in which a process alone reads a ledger for all. */
export type ReaderTerm = {
  /** Larger than that of every earlier reader: the start in milliseconds since 1970, or more. */
  readonly number: number;
  /** The process must not write from this time of `performance.now()` on, unless it holds the term again. */
  readonly untilMs: number;
};

/** Elects the process that reads a ledger for all processes of a store. Rejects with the errors of the store. */
export type ReaderTerms = {
  /**
   * Takes or keeps the term of a network. Undefined: another process has it.
   *
   * @param olderThanMs also takes it from another process that has held it for longer than this.
   */
  readonly hold: (network: string, olderThanMs?: number) => Promise<ReaderTerm | undefined>;
  /** Ends a term at once, so that another process can follow. */
  readonly leave: (network: string, term: number) => Promise<void>;
};

/** A process that does not renew its term loses it after this time, by the clock of the database. */
const TERM_MS = 3_000;

/** It stops writing this long before that by its own clock, as the two clocks may differ. */
const MARGIN_MS = 200;

/** @param gatewayId this process. */
export function createReaderTerms({ db }: Pick<Store, 'db'>, gatewayId: string): ReaderTerms {
  return {
    hold: async (network, olderThanMs) => {
      const sentMs = performance.now();
      const isOld = olderThanMs === undefined ? sql`false` : sql`known.term + ${olderThanMs} < excluded.term`;
      // A term continues only if it has not ended: another process may have had its own in between.
      const { rows } = await db.execute(sql`
        insert into topic_readers as known (network, gateway_id, term, expires_at)
        values (${network}, ${gatewayId}::uuid, (extract(epoch from clock_timestamp()) * 1000)::bigint,
          clock_timestamp() + make_interval(secs => ${TERM_MS / 1_000}))
        on conflict (network) do update set gateway_id = excluded.gateway_id, expires_at = excluded.expires_at,
          term = case when known.gateway_id = excluded.gateway_id and known.expires_at > clock_timestamp() then known.term
            else greatest(known.term + 1, excluded.term) end
        where known.gateway_id = excluded.gateway_id or known.expires_at <= clock_timestamp() or ${isOld}
        returning term`);
      const [row] = rows;
      return row && { number: Number(row.term), untilMs: sentMs + TERM_MS - MARGIN_MS };
    },
    leave: async (network, term) => {
      // A minute ago, because the clock of the database may go back a little.
      await db.execute(
        sql`update topic_readers set expires_at = clock_timestamp() - interval '1 minute' where network = ${network} and gateway_id = ${gatewayId}::uuid and term = ${term}`,
      );
    },
  };
}
