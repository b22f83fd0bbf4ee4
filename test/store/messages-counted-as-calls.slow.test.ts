import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { NO_OWNER } from '../../src/account/usage/usage-sums.ts';
import { readUsage, type UsageQuery } from '../../src/account/usage/read-usage.ts';
import { UNIT_MS } from '../../src/account/usage/split-span.ts';
import { USAGE_GROUPS } from '../../src/account/usage/usage-groups.ts';
import { describeStores, useStore } from './backends.ts';
import { makeEarlier } from './make-earlier.ts';

/** The beginning of a day of UTC. */
const DAY = Date.UTC(2025, 9, 9);
const NETWORK = 'solana-localnet';

/** A row of usage as the version before wrote it: each message of a topic was a call of weight 1. */
type OldRow = {
  readonly keyId: string;
  readonly atMs: number;
  readonly method: string;
  readonly calls: number;
  readonly errors: number;
  readonly refused: number;
  readonly weight: number;
};

const isTopic = (method: string): boolean => method.startsWith('Subscribe.') && method !== 'Subscribe.replay';

function makeRows(keys: readonly string[]): readonly OldRow[] {
  const methods = [
    'Subscribe',
    'Subscribe.slots',
    'Subscribe.account-updates',
    'Subscribe.replay',
    'getSlot',
  ];
  return keys.flatMap((keyId, key) =>
    Array.from({ length: 60 }, (_, index) => {
      const method = methods[index % methods.length] ?? '';
      const calls = 1 + ((index * 13 + key) % 40);
      const others = { errors: index % 2, refused: index % 3, weight: 5 * calls };
      const counts = isTopic(method) ? { errors: 0, refused: 0, weight: calls } : others;
      return { keyId, atMs: DAY + index * 47 * UNIT_MS.minute, method, calls, ...counts };
    }),
  );
}

const textOf = (value: string | number): string => (typeof value === 'number' ? String(value) : `'${value}'`);
const valuesOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `(${row.map(textOf).join(', ')})`).join(', ');
const instant = (ms: number): string => new Date(ms).toISOString();

/** The sums of hours and days that the earlier version kept along with the minutes. */
function sumsOf(rows: readonly OldRow[], accountOf: (keyId: string) => string): string {
  const start = (ms: number, unit: 'day' | 'hour') => instant(Math.floor(ms / UNIT_MS[unit]) * UNIT_MS[unit]);
  const added = rows.flatMap(({ keyId, atMs, method, calls, errors, refused, weight }) => {
    const counts = [calls, errors, refused, weight];
    const [day, hour] = [start(atMs, 'day'), start(atMs, 'hour')];
    return [
      [accountOf(keyId), 'methods_day', day, NETWORK, method, ...counts],
      [accountOf(keyId), 'methods_hour', hour, NETWORK, method, ...counts],
      [keyId, 'methods_day', day, NETWORK, method, ...counts],
      [keyId, 'total_day', day, '', '', ...counts],
      [keyId, 'total_hour', hour, '', '', ...counts],
    ];
  });
  return `insert into usage_sums (owner_id, series, start, network, method, calls, errors, refused, weight)
    select o::uuid, s, t::timestamptz, n, m, sum(c), sum(e), sum(r), sum(w) from (values ${valuesOf(added)})
    as added (o, s, t, n, m, c, e, r, w) group by 1, 2, 3, 4, 5`;
}

describeStores('a store in which messages of topics were counted as calls', (backend) => {
  test('has them as messages, in the minutes and in every sum, and its calls are as they were', async () => {
    const place = backend.place();
    const [accountId, strange] = [randomUUID(), randomUUID()];
    const own = [randomUUID(), randomUUID()];
    const rows = makeRows([...own, strange]);
    const minutes = rows.map(({ keyId, atMs, method, calls, errors, refused, weight }) => [
      ...[instant(atMs), keyId, NETWORK, method, calls, errors, refused, weight],
    ]);
    await makeEarlier(place, {
      before: '0014_usage_messages',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', now())`,
        ...own.map(
          (id) => `insert into api_keys (id, account_id, digest, prefix, name, created_at)
            values ('${id}', '${accountId}', sha256('${id}'::bytea), 'ks_key_abcd', 'web', now())`,
        ),
        `insert into usage_minutes (minute, key_id, network, method, calls, errors, refused, weight)
          select m::timestamptz, k::uuid, n, d, c, e, r, w from (values ${valuesOf(minutes)}) as v (m, k, n, d, c, e, r, w)`,
        sumsOf(rows, (keyId) => (keyId === strange ? NO_OWNER : accountId)),
      ],
    });
    const store = await useStore(place);
    const wantedOf = (held: readonly OldRow[]) => {
      const sum = (of: readonly OldRow[], figure: 'calls' | 'errors' | 'refused' | 'weight') =>
        of.reduce((total, row) => total + row[figure], 0);
      const calls = held.filter(({ method }) => !isTopic(method));
      const messages = held.filter(({ method }) => isTopic(method));
      return {
        calls: sum(calls, 'calls'),
        errors: sum(calls, 'errors'),
        refused: sum(calls, 'refused'),
        weight: sum(calls, 'weight'),
        messages: sum(messages, 'calls'),
      };
    };
    const spans = [
      [0, Number.POSITIVE_INFINITY],
      [DAY + 61 * UNIT_MS.minute, DAY + 1_500 * UNIT_MS.minute],
      [DAY + UNIT_MS.hour, DAY + 5 * UNIT_MS.hour],
    ] as const;
    const askers: readonly (Pick<UsageQuery, 'accountId' | 'keyId'> & {
      readonly held: readonly string[];
    })[] = [
      { accountId: undefined, keyId: undefined, held: [...own, strange] },
      { accountId, keyId: undefined, held: own },
      { accountId, keyId: own[0], held: own.slice(0, 1) },
      { accountId: undefined, keyId: strange, held: [strange] },
    ];
    for (const by of USAGE_GROUPS)
      for (const [sinceMs, endMs] of spans)
        for (const { held, ...asked } of askers) {
          const untilMs = Number.isFinite(endMs) ? endMs : undefined;
          const sums = await readUsage(store, { sinceMs, untilMs, by, ...asked });
          const total = (figure: keyof ReturnType<typeof wantedOf>) =>
            sums.reduce((sum, each) => sum + each[figure], 0);
          const read = {
            calls: total('calls'),
            errors: total('errors'),
            refused: total('refused'),
            weight: total('weight'),
            messages: total('messages'),
          };
          const among = rows.filter(
            ({ keyId, atMs }) => held.includes(keyId) && atMs >= sinceMs && atMs < endMs,
          );
          const about = [by, sinceMs, endMs, asked];
          expect([about, read]).toEqual([about, wantedOf(among)]);
        }
    const byMethod = await readUsage(store, { sinceMs: 0, by: 'method', accountId, keyId: undefined });
    for (const { group, calls, weight, messages } of byMethod)
      expect([group, messages > 0, calls > 0 || weight > 0]).toEqual([
        group,
        isTopic(group),
        !isTopic(group),
      ]);
  });
});
