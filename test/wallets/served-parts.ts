import { eventually } from '../../src/core/eventually.ts';
import { query } from './live/query.ts';
import type { WalletServer } from './open-wallet-server.ts';

const PART_MS = 5_000;
const PARTS = 12;

const partOf = (instantMs: number): number => Math.floor(instantMs / PART_MS);

/** The parts of minutes in which wallets were served, by a database; counted from 1970. */
export async function servedParts(databaseUrl: string): Promise<ReadonlySet<number>> {
  const rows = await query(databaseUrl, 'select minute, slots from service_minutes');
  const served = (rows as readonly { readonly minute: Date; readonly slots: number }[]).flatMap(
    ({ minute, slots }) =>
      Array.from({ length: PARTS }, (_, part) =>
        (slots & (1 << part)) === 0 ? [] : [partOf(minute.getTime()) + part],
      ).flat(),
  );
  return new Set(served);
}

/** Waits until wallets are served in a part that begins from now on. @returns the part. */
export const nextServed = (databaseUrl: string, sinceMs = Date.now()): Promise<number> =>
  eventually('wallets are served', async () =>
    [...(await servedParts(databaseUrl))].find((part) => part > partOf(sinceMs)),
  );

/** Waits until two whole parts have passed. @returns these. */
export async function twoParts(): Promise<readonly [number, number]> {
  const first = partOf(Date.now()) + 1;
  await eventually('two parts of a minute have passed', () =>
    partOf(Date.now()) > first + 1 ? true : undefined,
  );
  return [first, first + 1];
}

/** Reads a metric of a server. */
export const metric = async ({ baseUrl }: WalletServer, name: string): Promise<number> => {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
};
