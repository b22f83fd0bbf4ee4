import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { base58 } from '@scure/base';
import { Ledger } from '../../src/localnet/ledger.ts';

// Measures snapshots of the embedded ledger and restores to them. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '41' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const HELD = 100_000;
const CHANGED = 1_000;
const DATA_BYTES = 165;
const FINALITY_SLOTS = 40;
const BOUND_MS = 50;
const [busy = 0] = loadavg();

type Round = { readonly snapshot: number; readonly restore: number; readonly copy: number };

let nowMs = Date.now();
const ledger = new Ledger({ nowMs: () => nowMs, cheatCodes: true });
const addresses = Array.from({ length: HELD }, () => base58.encode(randomBytes(32)));
write(addresses, 1_000_000_000n);
tick(FINALITY_SLOTS);
const settled = measure(() => undefined);
const fresh = measure(() => {
  write(addresses, 3n);
  tick(1);
});
const results = render([
  ['accounts at rest', settled],
  ['all of them written in the slot before', fresh],
]);
console.log(results);
if (!values['dry-run']) await writeFile(new URL('snapshot-results.md', import.meta.url), results);
if (medianOf(settled, 'restore') > BOUND_MS || medianOf(settled, 'snapshot') > BOUND_MS) {
  console.error(`a snapshot or a restore took longer than ${BOUND_MS} ms`);
  process.exitCode = 1;
}

/** Each round: a snapshot, changes to a number of accounts in one slot and the next, and the way back. */
function measure(before: () => void): readonly Round[] {
  return Array.from({ length: Number(values.rounds) }, (_, round) => {
    before();
    const start = (round * CHANGED) % (HELD - CHANGED);
    const changed = addresses.slice(start, start + CHANGED);
    const [snapshot, taken] = timed(() => ledger.take());
    write(changed.slice(CHANGED / 2), BigInt(round + 1));
    tick(1);
    write(changed.slice(0, CHANGED / 2), BigInt(round + 1));
    const [restore] = timed(() => ledger.goTo(taken));
    const [copy] = timed(
      () => new Map(ledger.accounts.stored().map(({ address, account }) => [address, account])),
    );
    ledger.accounts.release(taken.accounts);
    return { snapshot, restore, copy };
  });
}

function write(written: readonly string[], lamports: bigint): void {
  const slot = ledger.blocks.openSlot;
  const owner = '11111111111111111111111111111111';
  for (const address of written) {
    const data = new Uint8Array(DATA_BYTES);
    ledger.bank.write(address, { lamports, data, owner, executable: false, rentEpoch: 2n ** 64n - 1n }, slot);
  }
}

function tick(slots: number): void {
  for (let slot = 0; slot < slots; slot++) {
    nowMs += ledger.pace.slotMs;
    ledger.tick();
  }
}

function timed<T>(work: () => T): readonly [ms: number, result: T] {
  const start = performance.now();
  const result = work();
  return [performance.now() - start, result];
}

function medianOf(rounds: readonly Round[], part: keyof Round): number {
  return quantileOf(rounds, part, 0.5);
}

function quantileOf(rounds: readonly Round[], part: keyof Round, share: number): number {
  const sorted = rounds.map((round) => round[part]).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

function render(loads: readonly (readonly [string, readonly Round[]])[]): string {
  const rows = loads.map(([name, rounds]) => {
    const cells = (['snapshot', 'restore', 'copy'] as const).map((part) => medianOf(rounds, part).toFixed(1));
    return `| ${name} | ${cells[0]} | ${cells[1]} | ${quantileOf(rounds, 'restore', 0.9).toFixed(1)} | ${cells[2]} |`;
  });
  return `# Snapshots of the embedded ledger

${HELD} accounts of ${DATA_BYTES} bytes are held, ${CHANGED} of them change between a snapshot and the restore to it, in two slots. Milliseconds: median of
${values.rounds} rounds, and the slowest tenth. The bound for snapshot and restore is ${BOUND_MS} ms, for accounts at rest. The last column is the time
to copy a map of all accounts, for comparison. Load average before: ${busy.toFixed(2)} on ${cpus().length} cores.

| | snapshot | restore | restore, p90 | copy of all |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
