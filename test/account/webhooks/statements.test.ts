import { expect, test } from 'vitest';
import { sql } from '../../../src/store/drizzle.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { readFeeds, writeSteps } from '../../../src/account/webhooks/ledger/feeds.ts';
import { gapFact } from '../../../src/account/webhooks/ledger/ledger-fact.ts';
import { NOW_MS } from '../new-customer.ts';
import { describeStores } from '../../store/backends.ts';
import { openLedgerWorld, PAYEE } from './ledger/open-ledger-world.ts';
import { openWorld, REFUSED, TAKEN } from './open-world.ts';

describeStores('events that go together', (backend) => {
  const opened = backend.emptied();

  /** The statements that the embedded store has prepared; PostgreSQL none. */
  const kept = async ({ db }: Store) => {
    const { rows } = await db.execute<{ readonly statement: string }>(
      sql`select statement from pg_prepared_statements order by statement`,
    );
    return rows.map(({ statement }) => statement);
  };

  test('are sent with the same statements, however many they are', async () => {
    const store = opened();
    const world = await openWorld(store, true);
    /** Sends a number of events, every second one twice. */
    const send = async (count: number): Promise<void> => {
      world.answer = ({ seq }) => (seq % 2 === 0 ? REFUSED : TAKEN);
      await world.add(...Array.from({ length: count }, (_, n) => `w_${n}`));
      await world.settle();
      world.answer = () => TAKEN;
      world.later(6_000);
      await world.settle();
    };
    // The first records lock the end of the log, those after them expect it where it was left.
    for (const count of [2, 2]) await send(count);
    const known = await kept(store);
    for (const count of [3, 4, 5, 6]) await send(count);
    expect(await world.webhook()).toMatchObject({ position: 22, waiting: 0 });
    expect(await kept(store)).toEqual(known);
  });

  test('are stored with the same statements as they come from a ledger', async () => {
    const store = opened();
    const world = await openLedgerWorld(store);
    const id = await world.make([{ kind: 'program', value: PAYEE }]);
    const write = async (count: number): Promise<void> => {
      const [feed] = await readFeeds(store, [id]);
      if (feed?.place === undefined) throw new Error('there is no feed');
      const slot = feed.place.slot + 1;
      const facts = Array.from({ length: count }, () => gapFact(slot, 'too_old', {}));
      await writeSteps(store, [{ feed, to: { ...feed.place, slot, blockhash: undefined }, facts }], NOW_MS);
    };
    await write(1);
    const known = await kept(store);
    for (const count of [2, 3]) await write(count);
    expect(await kept(store)).toEqual(known);
    expect(await world.stored(id)).toHaveLength(6);
  });
});
