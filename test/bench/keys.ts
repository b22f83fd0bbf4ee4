import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { createKeyPool, type KeyPool } from '../../src/core/keys/pool.ts';
import { KEY_LOADS, type KeyLoad, type Pace, paceOfPool, paceOfRaw } from './key-loads.ts';

// Compares the key pool with the raw limit of its libraries, on as many threads. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    threads: { type: 'string', default: '2' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const threads = Number(values.threads);
const RAW_MS = 400;
const [busy = 0] = loadavg();

type Round = {
  readonly load: KeyLoad;
  readonly own: Pace;
  readonly raw: Pace;
  readonly delayMs: number;
  readonly rawDelayMs: number;
};

const pool = await createKeyPool({ threads, log: { warn: console.warn, error: console.error } });
try {
  if (pool.engine.kind !== 'native') throw new Error('there is no native engine to measure');
  const results = render(await run(pool));
  console.log(results);
  if (!values['dry-run']) await writeFile(new URL('keys-results.md', import.meta.url), results);
} finally {
  await pool.close();
}

async function run(keyPool: KeyPool): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (const load of KEY_LOADS) await paceOfPool(keyPool, load);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const load of KEY_LOADS) {
      const before = await paceOfRaw(threads, { kind: load.raw, forMs: RAW_MS });
      const own = await paceOfPool(keyPool, load);
      const after = await paceOfRaw(threads, { kind: load.raw, forMs: RAW_MS });
      const delayMs = await measureDelay(() => paceOfPool(keyPool, load));
      const rawDelayMs = await measureDelay(() => paceOfRaw(threads, { kind: load.raw, forMs: RAW_MS }));
      rounds.push({ load, own, raw: mean(before, after), delayMs, rawDelayMs });
    }
    console.log(`round ${round + 1} of ${values.rounds}`);
  }
  return rounds;
}

/** The p99 of the event loop's delay during a run that is not timed: the timers that measure it cost CPU time. */
async function measureDelay(work: () => Promise<Pace>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.percentile(99) / 1e6;
}

function render(rounds: readonly Round[]): string {
  const rows = KEY_LOADS.map((load) =>
    renderRow(
      load,
      rounds.filter((round) => round.load === load),
    ),
  );
  return `# Results of the bench of keys

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; ${threads} key threads; median of ${values.rounds} rounds, each between two runs of the raw limit. The load average of the machine was ${busy.toFixed(1)} before.

| load | wallets/s | raw limit/s | of the limit | CPU µs/wallet | raw CPU µs | of the limit by CPU | event loop p99 ms | beside the raw work |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
${rows.join('\n')}

${KEY_LOADS.map(({ name, what, raw }) => `- **${name}**: ${what}; the limit is ${raw === 'keypair' ? 'sodium-native making pairs from seeds' : "OpenSSL's PBKDF2, 2048 rounds of HMAC-SHA512"}.`).join('\n')}
`;
}

function renderRow({ name }: KeyLoad, rounds: readonly Round[]): string {
  const middle = (column: (round: Round) => number): number => median(rounds.map(column));
  const cells = [
    middle(({ own }) => own.perSecond).toFixed(0),
    middle(({ raw }) => raw.perSecond).toFixed(0),
    percent(middle(({ own, raw }) => own.perSecond / raw.perSecond)),
    middle(({ own }) => own.cpuUs).toFixed(1),
    middle(({ raw }) => raw.cpuUs).toFixed(1),
    percent(middle(({ own, raw }) => raw.cpuUs / own.cpuUs)),
    middle(({ delayMs }) => delayMs).toFixed(1),
    middle(({ rawDelayMs }) => rawDelayMs).toFixed(1),
  ];
  return `| ${[name, ...cells].join(' | ')} |`;
}

function mean(one: Pace, other: Pace): Pace {
  return {
    perSecond: (one.perSecond + other.perSecond) / 2,
    cpuUs: (one.cpuUs + other.cpuUs) / 2,
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
