import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { base58 } from '@scure/base';
import litesvm from 'litesvm/dist/internal.js';
import { WebSocket } from 'ws';
import { eventually } from '../../src/core/eventually.ts';
import { type LedgerProcess, startLedgerOf, startLedgerProcess } from '../localnet/disk/ledger-process.ts';
import { startTransfers } from '../soak/ledger/transfer-load.ts';
import { newPayer, signedTransfer } from '../support/transfers.ts';
import { readCpuUs } from './cpu.ts';
import { sendAtRate } from './send-load.ts';

// Measures transfers to the embedded ledger: CPU of each against an older checkout, a rate held for a minute, and the highest rate against
// the bare runtime. See README.md.

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '800' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const FLAGS = ['--slot-ms', '200'];
const ROUND_RATE = 300;
const ROUND_MS = 4_000;
const READS_PER_SECOND = 50;
const BARE_TRANSFERS = 20_000;
const FLAT_OUT_MS = 10_000;
const FLAT_OUT_RATE = 20_000;
const STATUSES = 256;

type Pair = { readonly thisUs: number; readonly otherUs: number | undefined };
type Held = {
  readonly reads: readonly number[];
  readonly slots: readonly number[];
  readonly lost: number;
};

const [busy = 0] = loadavg();
const pairs = await pairedCpu();
const held = await holdRate();
const bare = bareRate();
const highest = await highestRate();
const text = render();
console.log(text);
if (!values['dry-run']) await writeFile(new URL('ledger-results.md', import.meta.url), text);

/** CPU of a transfer in both checkouts in turn; the one that goes first in a round goes second in the next. */
async function pairedCpu(): Promise<readonly Pair[]> {
  const ours = await startLedgerProcess(...FLAGS);
  const theirs =
    values.other === undefined ? undefined : await startLedgerOf(`${values.other}/src/main.ts`, ...FLAGS);
  const found: Pair[] = [];
  try {
    for (let round = -1; round < Number(values.rounds); round++) {
      const first = round % 2 === 0 && theirs !== undefined ? await cpuEach(theirs) : undefined;
      const thisUs = await cpuEach(ours);
      const otherUs = theirs === undefined ? undefined : (first ?? (await cpuEach(theirs)));
      // The first one compiles.
      if (round >= 0) found.push({ thisUs, otherUs });
    }
    return found;
  } finally {
    await ours.node.stop();
    await theirs?.node.stop();
  }
}

async function cpuEach({ ask, url, node }: LedgerProcess): Promise<number> {
  const port = Number(new URL(url).port);
  const load = await startTransfers(ask, { port, perSecond: ROUND_RATE, sampleEach: ROUND_RATE });
  const [beforeUs, before] = [readCpuUs(node.pid), load.sent()];
  await new Promise((done) => setTimeout(done, ROUND_MS));
  const each = (readCpuUs(node.pid) - beforeUs) / (load.sent() - before);
  await load.stop();
  return each;
}

/** Transfers at a rate, and reads meanwhile. */
async function holdRate(): Promise<Held> {
  const ledger = await startLedgerProcess(...FLAGS);
  try {
    const port = Number(new URL(ledger.url).port);
    const open = await watchOpenSlot(ledger.url);
    const perSecond = Number(values.rate);
    const load = await startTransfers(ledger.ask, { port, perSecond, sampleEach: 20, openSlot: open.slot });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getBalance',
      params: [newPayer().address],
    });
    const target = { name: 'ledger', port, path: '/' };
    const read = {
      name: 'getBalance',
      what: '',
      body,
      perSecond: READS_PER_SECOND,
      connections: 4,
      requests: 0,
    };
    const reads = await sendAtRate(target as never, read as never, Number(values.seconds) * 1_000);
    await load.stop();
    open.close();
    const landed = await landedSlots(
      ledger,
      load.samples().map(({ signature }) => signature),
    );
    const slots = load.samples().flatMap(({ slot }, index) => {
      const at = landed[index];
      // Confirmed when the slot that it landed in is closed.
      return at === undefined ? [] : [at + 1 - slot];
    });
    return {
      reads,
      slots: slots.toSorted((a, b) => a - b),
      lost: landed.filter((at) => at === undefined).length,
    };
  } finally {
    await ledger.node.stop();
  }
}

async function landedSlots(
  { ask }: LedgerProcess,
  signatures: readonly string[],
): Promise<readonly (number | undefined)[]> {
  const slots: (number | undefined)[] = [];
  await eventually('the last one has landed', async () => {
    const { value } = (await ask('getSignatureStatuses', signatures.slice(-1))) as { value: unknown[] };
    return value[0] ?? undefined;
  });
  for (let at = 0; at < signatures.length; at += STATUSES) {
    const config = { searchTransactionHistory: true };
    const { value } = (await ask('getSignatureStatuses', signatures.slice(at, at + STATUSES), config)) as {
      readonly value: readonly ({ readonly slot: number } | null)[];
    };
    slots.push(...value.map((status) => status?.slot));
  }
  return slots;
}

/** The slot that is open, as it is told: a slot is told when it begins. */
async function watchOpenSlot(url: string) {
  const socket = new WebSocket(url.replace('http', 'ws'));
  let slot = 0;
  await new Promise((done) => socket.once('open', done));
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { params?: { result: { slot: number } } };
    slot = message.params?.result.slot ?? slot;
  });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe' }));
  await eventually('a slot is told', () => (slot > 0 ? true : undefined));
  return { slot: () => slot, close: () => socket.close() };
}

/** Transfers per second of the runtime alone, without signatures checked, as the ledger uses it. */
function bareRate(): number {
  const svm = new litesvm.LiteSvm();
  svm.setSigverify(false);
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  const [from, to] = [newPayer(), newPayer()];
  for (const { publicKey } of [from, to]) svm.airdrop(publicKey, 1_000_000_000_000n);
  const blockhash = base58.decode(svm.latestBlockhash());
  const wires = Array.from({ length: BARE_TRANSFERS }, (_, index) =>
    Buffer.from(signedTransfer(from, to.publicKey, BigInt(index + 1), blockhash), 'base64'),
  );
  const startMs = performance.now();
  for (const wire of wires) svm.sendVersionedTransaction(wire);
  return (BARE_TRANSFERS * 1_000) / (performance.now() - startMs);
}

/** Transfers per second that are answered when more are offered than that. */
async function highestRate(): Promise<number> {
  const ledger = await startLedgerProcess(...FLAGS);
  try {
    const port = Number(new URL(ledger.url).port);
    const load = await startTransfers(ledger.ask, { port, perSecond: FLAT_OUT_RATE, sampleEach: 1_000 });
    await new Promise((done) => setTimeout(done, FLAT_OUT_MS / 2));
    const [before, startMs] = [load.sent(), performance.now()];
    await new Promise((done) => setTimeout(done, FLAT_OUT_MS));
    const rate = ((load.sent() - before) * 1_000) / (performance.now() - startMs);
    await load.stop();
    return rate;
  } finally {
    await ledger.node.stop();
  }
}

function render(): string {
  const thisUs = median(pairs.map((pair) => pair.thisUs));
  const ratios = pairs.flatMap(({ thisUs: us, otherUs }) => (otherUs === undefined ? [] : [us / otherUs]));
  const paired =
    ratios.length === 0
      ? 'without another checkout beside it'
      : `${median(ratios).toFixed(2)} of the other checkout's (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
  return `# Results of the bench of transfers to the embedded ledger

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}. The load average of the machine was ${busy.toFixed(1)} before.

| | |
|---|---:|
| CPU of a transfer, ${pairs.length} rounds at ${ROUND_RATE}/s | ${(thisUs / 1_000).toFixed(2)} ms, ${paired} |
| offered for ${values.seconds} s | ${values.rate}/s |
| sampled transactions that are not in the ledger: refused or lost | ${held.lost} of ${held.slots.length + held.lost} |
| slots from sending to confirmation, median, p99, most | ${quantile(held.slots, 0.5)}, ${quantile(held.slots, 0.99)}, ${held.slots.at(-1)} |
| \`getBalance\` meanwhile, p50, p99 | ${quantile(held.reads, 0.5).toFixed(1)} ms, ${quantile(held.reads, 0.99).toFixed(1)} ms |
| highest rate, generator on the same machine | ${highest.toFixed(0)}/s, ${(highest / bare).toFixed(2)} of the bare runtime's ${bare.toFixed(0)}/s |
`;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}
