import pino from 'pino';
import { setFlagsFromString } from 'node:v8';
import { sql } from '../../src/store/drizzle.ts';
import { openStore, type StoreOptions } from '../../src/store/open-store.ts';
import { createStatement } from '../../src/store/statement.ts';

// Runs as a process: asks the store named by its first argument as often as its second says, in each way in which a store is asked, while
// V8 writes what its collections of garbage come to.

const [, , param = '', times = ''] = process.argv;
const store = await openStore(JSON.parse(param) as StoreOptions, pino({ level: 'silent' }));
const select = createStatement<{ readonly filler: string }>(
  (value) => sql`select ${value('filler')}::text as filler, 1 as a, 2 as b, 3 as c`,
);
const values = { filler: 'x'.repeat(500) };
const WAYS = [
  () => store.batched((db) => [select(db, values)]),
  () => store.transaction((tx) => select(tx, values)),
  () => select(store.db, values),
];

await askAll(200);
setFlagsFromString('--trace-gc-nvp');
await askAll(Number(times));
setFlagsFromString('--no-trace-gc-nvp');
await store.close();

async function askAll(count: number): Promise<void> {
  for (const ask of WAYS) for (let time = 0; time < count; time += 1) await ask();
}
