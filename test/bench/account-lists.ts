import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { createListLoads, type ListLoad } from './account-loads.ts';
import { fillAccount, SIZES } from './fill-account.ts';
import { type Flushes, measureFlushes } from './usage-flushes.ts';

// Measures the lists and sums of a large account on the embedded store and on PostgreSQL, compared with plain queries. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    pglite: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
/** Plain queries take seconds on the embedded store, and take the pages of others out of its memory. */
const RAW_EVERY = 15;
const FLUSH_ROUNDS = 10;
const [busy = 0] = loadavg();
const log = pino({ level: 'warn' });
const isOne = values.pglite || values.postgres;

type Measured = { readonly load: ListLoad; readonly own: readonly number[]; readonly raw: readonly number[] };

const tables: string[] = [];
if (values.postgres || !isOne) tables.push(await onPostgres());
if (values.pglite || !isOne) tables.push(await onStore('the embedded store'));
const results = `# Results of the bench of lists

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; ${rounds} rounds. The load average of the machine was ${busy.toFixed(1)} before.

One account has ${shown(SIZES.members)} members, ${shown(SIZES.keys)} API keys, ${shown(SIZES.wallets)} wallets, ${shown(SIZES.minutes)} minutes of usage (${shown(SIZES.minutes * 10)} calls), ${shown(SIZES.records)} audit records and ${shown(SIZES.charges)} charges, all in ${SIZES.days} days. There are ${shown(SIZES.accounts)} other accounts.

${tables.join('\n')}`;
console.log(results);
if (!values['dry-run'] && !isOne)
  await writeFile(new URL('account-lists-results.md', import.meta.url), results);

async function onPostgres(): Promise<string> {
  const postgres = await findPostgres();
  if (postgres === undefined) throw new Error(POSTGRES_MISSING);
  const database = await createDatabase(postgres);
  try {
    return await onStore('PostgreSQL', database.url);
  } finally {
    await database.drop();
  }
}

async function onStore(name: string, databaseUrl?: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-bench-'));
  const store = await openStore({ dataDir, databaseUrl }, log);
  try {
    const nowMs = Date.now();
    const account = await fillAccount(store, nowMs);
    const filledS = ((Date.now() - nowMs) / 1_000).toFixed(0);
    const measured = await measure(store, createListLoads({ store, ...account, nowMs }));
    const { accountId } = account;
    const flushes = await measureFlushes(store, {
      accountId,
      nowMs,
      rounds: Math.min(rounds, FLUSH_ROUNDS),
    });
    return `## On ${name}\n\nFilled in ${filledS} s.\n\n${render(measured)}\n${renderFlushes(flushes)}`;
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(store: Store, loads: readonly ListLoad[]): Promise<readonly Measured[]> {
  const measured = loads.map((load) => ({ load, own: [] as number[], raw: [] as number[] }));
  for (let round = -1; round < rounds; round += 1)
    for (const { load, own, raw } of measured) {
      const spent = await time(load.run);
      const spentRaw = round % RAW_EVERY === 0 ? await time(() => store.db.execute(load.raw)) : undefined;
      if (round < 0) continue;
      own.push(spent);
      if (spentRaw !== undefined) raw.push(spentRaw);
    }
  return measured;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

function render(measured: readonly Measured[]): string {
  const rows = measured.map(({ load, own, raw }) => {
    const [p50, rawP50] = [quantile(own, 0.5), quantile(raw, 0.5)];
    const cells = [p50, quantile(own, 0.95), rawP50].map((ms) => ms.toFixed(1));
    return `| ${[load.name, ...cells, (p50 / rawP50).toFixed(2)].join(' | ')} |`;
  });
  return `| operation | p50 ms | p95 ms | plain query p50 ms | ratio |
|---|---:|---:|---:|---:|
${rows.join('\n')}
`;
}

function renderFlushes(measured: readonly Flushes[]): string {
  const rows = measured.map(({ name, own, plain }) => {
    const figures = (['ms', 'cpuMs'] as const).flatMap((part) => {
      const [ours, theirs] = [own, plain].map((costs) => costs.map((cost) => cost[part]));
      const ratios = ours?.map((spent, round) => spent / (theirs?.[round] ?? Number.NaN));
      return [ours, theirs, ratios].map((numbers) => quantile(numbers ?? [], 0.5));
    });
    return `| ${[name, ...figures.map((figure) => figure.toFixed(figure < 10 ? 2 : 0))].join(' | ')} |`;
  });
  return `Flushes of full batches of usage (10,000 rows), beside a statement that adds them to the minutes alone:

| batch | p50 ms | minutes alone | ratio | CPU p50 ms | minutes alone | ratio |
|---|---:|---:|---:|---:|---:|---:|
${rows.join('\n')}
`;
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function shown(figure: number): string {
  return figure.toLocaleString('en');
}
