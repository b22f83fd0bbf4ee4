import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Leftovers } from './gateways/installation.ts';
import { describeReport, makeReport } from './report.ts';
import { runLab } from './run-lab.ts';
import { SCENARIOS } from './scenarios.ts';

// `make lab`: runs a scenario, prints what was looked at and writes lab-report.json. Exits with 1 when an invariant is broken, with 2 for
// a mistake.

const MAX_SEED = 2 ** 31 - 1;
/** Also when the terminal is closed: gateways take SIGHUP for a change of their configuration, and would keep running. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

async function main(): Promise<number> {
  // Files and directories are created for this user only.
  process.umask(0o077);
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string', default: String(randomInt(MAX_SEED)) },
      database: { type: 'string', default: process.env.KEYSLOT_LAB_DATABASE_URL },
      redis: { type: 'string', default: process.env.KEYSLOT_LAB_REDIS_URL },
      out: { type: 'string', default: '.' },
    },
  });
  const [, found] = Object.entries(SCENARIOS).find(([name]) => name === positionals[0]) ?? [];
  if (found === undefined) throw new Error(`expected a scenario: ${Object.keys(SCENARIOS).join(', ')}`);
  const minutes = values.minutes === undefined ? undefined : readWhole('minutes', values.minutes);
  const scenario = minutes === undefined ? found : { ...found, durationS: minutes * 60 };
  const services = { databaseUrl: values.database || undefined, redisUrl: values.redis || undefined };
  if ((scenario.gateways ?? 1) > 1 && services.databaseUrl === undefined)
    throw new Error('several gateways need --database URL: they share a store');
  const fails = (part: string): boolean => scenario.faults.some((source) => source.part === part);
  if (fails('postgres') && services.databaseUrl === undefined)
    throw new Error('faults of postgres need --database URL');
  if (fails('redis') && services.redisUrl === undefined) throw new Error('faults of redis need --redis URL');
  const seed = readWhole('seed', values.seed);
  const leftovers = new Leftovers();
  const signal = endOnSignal(leftovers);
  const onProgress = (step: string): void => console.error(`lab: ${step}`);
  const run = await runLab({ scenario, services, seed, leftovers, signal, onProgress });
  const report = makeReport(run);
  await mkdir(values.out, { recursive: true });
  const path = join(values.out, 'lab-report.json');
  await writeFile(path, `${JSON.stringify({ seed, ended_early: signal.aborted, scenario, ...report })}\n`);
  console.log(`${describeReport(report)}\nThe same faults again with --seed ${seed}; ${path}`);
  return report.is_sound ? 0 : 1;
}

function readWhole(name: string, text: string): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value <= MAX_SEED) return value;
  throw new Error(`--${name} must be a whole number up to ${MAX_SEED}, got ${JSON.stringify(text)}`);
}

/** The first signal ends the run in order. The second one ends it at once, and lists what is left behind. */
function endOnSignal(leftovers: Leftovers): AbortSignal {
  const early = new AbortController();
  for (const name of SIGNALS)
    process.on(name, () => {
      if (!early.signal.aborted) return early.abort();
      const left = leftovers.list();
      const nothing = left.length === 0;
      console.error(`lab: the run ends at once, and leaves ${nothing ? 'nothing behind' : 'behind'}`);
      for (const each of left) console.error(`  ${each}`);
      process.exit(130);
    });
  return early.signal;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`lab: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
