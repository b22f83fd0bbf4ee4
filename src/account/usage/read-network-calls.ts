import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { readSums } from '../../store/read-sums.ts';
import { p99Of } from './call-durations.ts';
import { DURATION_SUMS } from './network-calls-store.ts';
import { splitSpan } from './split-span.ts';

/** Calls of all accounts on a network since an instant. */
export type NetworkCalls = {
  readonly calls: number;
  readonly errors: number;
  /** See `p99Of`. */
  readonly p99Ms: number | undefined;
};

/** The stored counts of a network's calls. */
export type RecordedNetwork = {
  /** Calls are known since this time; undefined: no calls are known. */
  readonly knownSinceMs: number | undefined;
  /** In the order of the requested instants. */
  readonly spans: readonly NetworkCalls[];
};

type SpanRow = {
  readonly network: string;
  readonly span: number;
  readonly calls: string;
  readonly errors: string;
  readonly durations: readonly string[];
};
type FirstRow = { readonly network: string; readonly first: Date | string | null };

const UNITS = ['day', 'hour', 'five_minutes'] as const;

/** Returns the stored calls of each of these networks since each of these instants, which are beginnings of five minutes. */
export async function readNetworkCalls(
  store: Pick<Store, 'db' | 'batched'>,
  networks: readonly string[],
  sinceMs: readonly number[],
): Promise<ReadonlyMap<string, RecordedNetwork>> {
  const names = sql`unnest(${sql.param(networks)}::text[]) as names (network)`;
  const parts = sinceMs.flatMap((spanMs, span) =>
    splitSpan({ sinceMs: spanMs }, UNITS).map(({ unit, fromMs, toMs }) => {
      const end = toMs === undefined ? sql`` : sql` and start < ${new Date(toMs)}`;
      // Kept apart, so that each network is looked up in the index.
      return sql`select names.network, ${span}::int as span, calls, errors, durations from ${names} cross join lateral (
        select calls, errors, durations from network_calls where unit = ${unit} and network = names.network
          and start >= ${new Date(fromMs)}${end} offset 0) rows`;
    }),
  );
  const [sums, firsts] = await Promise.all([
    readSums<SpanRow>(
      store,
      sql`select network, span, sum(calls) as calls, sum(errors) as errors, ${DURATION_SUMS} as durations
        from (${sql.join(parts, sql` union all `)}) parts group by 1, 2`,
    ),
    store.db.execute<FirstRow>(
      sql`select network, (select start from network_calls where unit = 'five_minutes' and network = names.network
        order by unit, network, start limit 1) as first from ${names}`,
    ),
  ]);
  return new Map(
    firsts.rows.map(({ network, first }) => [
      network,
      {
        knownSinceMs: first === null ? undefined : new Date(first).getTime(),
        spans: sinceMs.map((_, span) =>
          callsOf(sums.find((row) => row.network === network && Number(row.span) === span)),
        ),
      },
    ]),
  );
}

function callsOf(row: SpanRow | undefined): NetworkCalls {
  return {
    calls: Number(row?.calls ?? 0),
    errors: Number(row?.errors ?? 0),
    p99Ms: p99Of((row?.durations ?? []).map(Number)),
  };
}
