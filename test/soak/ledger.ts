import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { residentBytes } from '../fuzz/open-server.ts';
import { startLedgerProcess } from '../localnet/disk/ledger-process.ts';
import { growthOf, watchMemory } from './fuzz/memory.ts';
import { diskBoundMiB, memoryBoundMiB } from './ledger/bounds.ts';
import { startTransfers } from './ledger/transfer-load.ts';

// `make soak PART=ledger`: transfers to an embedded ledger on disk, by sendTransaction with preflight. Prints memory and disk minute by
// minute with their bounds, writes ledger-results.md, and exits with 1 when a bound is broken, memory grows or a transaction is lost.

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    history: { type: 'string', default: '100000' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const [minutes, perSecond, history] = [Number(values.minutes), Number(values.rate), Number(values.history)];
const MIB = 1024 * 1024;
const MAX_GROWTH_MIB = 64;
const STATUSES = 256;
const LANDING_MS = 5_000;

type Minute = {
  readonly sent: number;
  readonly memoryMiB: number;
  readonly diskMiB: number;
  readonly p99Ms: number;
};

const folder = mkdtempSync(join(tmpdir(), 'keyslot-soak-'));
const ledger = await startLedgerProcess(
  '--ledger',
  join(folder, 'ledger'),
  '--history-transactions',
  String(history),
);
const faults: string[] = [];
const done: Minute[] = [];
const stopWatching = watchMemory({ ledger: ledger.node.pid });
let growthMiB: number | undefined;
try {
  const port = Number(new URL(ledger.url).port);
  const load = await startTransfers(ledger.ask, { port, perSecond, sampleEach: perSecond });
  console.log('minute    sent  resident MiB (bound)  disk MiB (bound)  answer p99 ms');
  while (done.length < minutes) {
    await pause(60_000);
    const delays = load.takeDelays().toSorted((a, b) => a - b);
    const minute: Minute = {
      sent: load.sent(),
      memoryMiB: residentBytes(ledger.node.pid) / MIB,
      diskMiB: sizeOf(join(folder, 'ledger')) / MIB,
      p99Ms: delays[Math.floor(delays.length * 0.99)] ?? Number.NaN,
    };
    done.push(minute);
    judge(minute, done.length);
  }
  await load.stop();
  await findLost(load.samples().map(({ signature }) => signature));
} finally {
  growthMiB = perMiB(growthOf(stopWatching().ledger ?? []));
  await ledger.node.stop();
  rmSync(folder, { recursive: true });
}
if ((growthMiB ?? 0) > MAX_GROWTH_MIB)
  faults.push(
    `resident memory grew by ${growthMiB?.toFixed(0)} MiB in the second half, the bound is ${MAX_GROWTH_MIB}`,
  );
const text = render();
if (values['dry-run']) console.log(text);
else await writeFile(new URL('ledger-results.md', import.meta.url), text);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function judge({ sent, memoryMiB, diskMiB, p99Ms }: Minute, minute: number): void {
  const kept = Math.min(sent, history);
  const [memory, disk] = [memoryBoundMiB(kept), diskBoundMiB(kept)];
  const cells = [
    minute,
    sent,
    `${memoryMiB.toFixed(0)} (${memory.toFixed(0)})`,
    `${diskMiB.toFixed(0)} (${disk.toFixed(0)})`,
  ];
  console.log([...cells, p99Ms.toFixed(1)].map((cell) => String(cell).padStart(8)).join('  '));
  if (memoryMiB > memory)
    faults.push(`minute ${minute}: ${memoryMiB.toFixed(0)} MiB resident, the bound is ${memory.toFixed(0)}`);
  if (diskMiB > disk)
    faults.push(`minute ${minute}: ${diskMiB.toFixed(0)} MiB on disk, the bound is ${disk.toFixed(0)}`);
}

/** Those that are still kept have to be there. The last ones land a moment after they were answered. */
async function findLost(signatures: readonly string[]): Promise<void> {
  const kept = signatures.slice(-Math.floor(history / perSecond / 2));
  const statuses = async (asked: readonly string[]) => {
    const config = { searchTransactionHistory: true };
    const { value } = (await ledger.ask('getSignatureStatuses', asked, config)) as {
      readonly value: readonly ({ readonly err: unknown } | null)[];
    };
    return value;
  };
  await pause(LANDING_MS);
  for (let at = 0; at < kept.length; at += STATUSES) {
    const asked = kept.slice(at, at + STATUSES);
    for (const [index, status] of (await statuses(asked)).entries()) {
      if (status === null) faults.push(`${asked[index]} is not there`);
      else if (status.err !== null) faults.push(`${asked[index]} failed: ${JSON.stringify(status.err)}`);
    }
  }
}

function sizeOf(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => {
    try {
      return sum + statSync(join(directory, name)).size;
    } catch {
      // Deleted by the ledger meanwhile.
      return sum;
    }
  }, 0);
}

function perMiB(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / MIB;
}

function render(): string {
  const rows = done.map(({ sent, memoryMiB, diskMiB, p99Ms }, index) => {
    const kept = Math.min(sent, history);
    return `| ${index + 1} | ${sent} | ${memoryMiB.toFixed(0)} | ${memoryBoundMiB(kept).toFixed(0)} | ${diskMiB.toFixed(0)} | ${diskBoundMiB(kept).toFixed(0)} | ${p99Ms.toFixed(1)} |`;
  });
  return `# Results of the soak of the embedded ledger

Written by \`make soak PART=ledger\`: ${perSecond} transfers a second for ${minutes} minutes by \`sendTransaction\` with preflight, to a ledger on disk
that keeps ${history} transactions, with votes, at 200 ms a slot. ${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}; the load average of the
machine was ${loadavg()[1]?.toFixed(1)} at the end.

| minute | sent | resident MiB | bound | disk MiB | bound | answer p99 ms |
|---:|---:|---:|---:|---:|---:|---:|
${rows.join('\n')}

Growth of resident memory in the second half, by its slope: ${growthMiB === undefined ? 'not known, the run was too short' : `${growthMiB.toFixed(1)} MiB`}. ${faults.length === 0 ? 'Nothing was lost, and every bound held.' : `Faults: ${faults.join('; ')}.`}
`;
}
