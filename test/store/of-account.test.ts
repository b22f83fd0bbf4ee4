import { expect, test } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { createStatement } from '../../src/store/statement.ts';
import { describeStores } from './backends.ts';

const one = createStatement(() => sql`select 1`);
/** More than there are connections. */
const MANY = 40;

const WAYS: readonly (readonly [name: string, run: (store: Store) => Promise<unknown>])[] = [
  ['a statement', (store) => one(store.db, {})],
  ['a transaction', (store) => store.transaction((tx) => one(tx, {}))],
  ['statements together', (store) => store.batched((db) => [one(db, {})])],
];

describeStores('the statements of an account', (backend) => {
  const store = backend.shared();

  if (backend.kind === 'pglite')
    test.each(WAYS)('%s of another one waits for no more than one of them', async (_name, run) => {
      const ended: string[] = [];
      const note = async (name: string, running: Promise<unknown>): Promise<void> => {
        await running;
        ended.push(name);
      };
      const many = WAYS.flatMap(([, runOne]) =>
        Array.from({ length: MANY }, () => note('many', runOne(store().ofAccount('many')))),
      );
      await Promise.all([...many, note('other', run(store().ofAccount('other')))]);
      expect(ended.indexOf('other')).toBeLessThanOrEqual(1);
    });

  if (backend.kind === 'postgres')
    test('leave connections to others, however many they are and however long they take', async () => {
      const locked = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const holder = store().transaction(async (tx) => {
        await tx.execute(sql`lock table accounts in access exclusive mode`);
        locked.resolve();
        await release.promise;
      });
      await locked.promise;
      const held = Array.from({ length: MANY }, () =>
        store().ofAccount('many').db.execute(sql`select from accounts`),
      );
      for (const [, run] of WAYS) await run(store().ofAccount('other'));
      release.resolve();
      await Promise.all([holder, ...held]);
    });

  test('all have their turn', async () => {
    const running = Array.from({ length: MANY }, (_, at) => {
      const [, run] = WAYS[at % WAYS.length] ?? WAYS[0] ?? ['', () => Promise.resolve()];
      return run(store().ofAccount('many'));
    });
    await Promise.all(running);
    await expect(one(store().ofAccount('many').db, {})).resolves.toMatchObject({ rowCount: 1 });
  });
});
