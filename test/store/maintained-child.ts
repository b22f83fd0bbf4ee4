import pino from 'pino';
import { sql } from '../../src/store/drizzle.ts';
import { openStore, type StoreOptions } from '../../src/store/open-store.ts';

// Runs as a process, until it is killed: in the store named by its argument, changes one row again and again, says what is in it when
// that is done, and meanwhile makes checkpoints and vacuums.

const place = JSON.parse(process.argv[2] ?? '') as StoreOptions;
const store = await openStore(place, pino({ level: 'silent' }));
await store.db.execute(sql`create table if not exists kept (n int not null, filler text not null)`);
await store.db.execute(sql`insert into kept select 0, repeat('x', 500) where not exists (select from kept)`);

for (;;) {
  const { rows } = await store.db.execute<{ readonly n: number }>(sql`update kept set n = n + 1 returning n`);
  const n = rows[0]?.n ?? 0;
  process.send?.(n);
  if (n % 7 === 0) await store.db.execute(sql`checkpoint`);
  if (n % 11 === 0) await store.db.execute(sql`vacuum kept`);
}
