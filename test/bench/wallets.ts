import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startKeyslot } from '../support/keyslot.ts';
import { Connection } from './connection.ts';
import { paceOfRaw } from './key-loads.ts';
import { requestFor } from './send-load.ts';
import { bareLatencies, LATENCY_LOADS, latenciesOf, newAccount, timeOf } from './wallet-latency.ts';
import { WALLET_LOADS, type WalletLoad } from './wallet-loads.ts';
import { type Target, timeStream } from './wallet-stream.ts';

// Compares the wallet service over HTTP with the raw limit of its libraries and the figures of interface.md. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const THREADS = 2;
const RAW_MS = 400;
/** As long each stream goes ahead unmeasured: until V8 has compiled what it runs. */
const WARM_UP_MS = 2_000;
const BATCHES = 100;
const BARE_CALLS = 400;
const [busy = 0] = loadavg();

type StreamRound = { readonly perSecond: number; readonly raw: number | undefined; readonly firstMs: number };

const keyslot = await startKeyslot({
  env: { KEYSLOT_KEY_THREADS: String(THREADS), NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '' },
});
try {
  const { token } = await newAccount(keyslot.dataDir, '100000');
  const target: Target = { baseUrl: keyslot.baseUrl, token };
  const sections = [
    await measureStreams(target),
    await measureLatencies(target),
    await measureMemory(target),
    await measureHealth(target),
  ];
  const results = `# Results of the bench of wallets

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; ${THREADS} key threads, embedded store and ledger, signer \`soft\`; the client runs on the same cores. The load average of the machine was ${busy.toFixed(1)} before.

${sections.join('\n')}`;
  console.log(results);
  if (!values['dry-run']) await writeFile(new URL('wallet-results.md', import.meta.url), results);
} finally {
  await keyslot.stop();
}

async function measureStreams(target: Target): Promise<string> {
  const rows: string[] = [];
  for (const load of WALLET_LOADS) {
    const warmAtMs = performance.now() + WARM_UP_MS;
    while (performance.now() < warmAtMs) await timeStream(target, load);
    const measured: StreamRound[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await streamRound(target, load));
    rows.push(renderStream(load, measured));
  }
  const notes = WALLET_LOADS.map(
    ({ name, what, raw, stated }) => `- **${name}**: ${what}${limitOf(raw)}${statedAs(stated)}.`,
  );
  return `| stream | wallets/s | raw limit/s | of the limit | first line ms |
|---|---:|---:|---:|---:|
${rows.join('\n')}

${notes.join('\n')}
`;
}

async function streamRound(target: Target, load: WalletLoad): Promise<StreamRound> {
  const before = await rawPace(load);
  const { firstMs, wholeMs } = await timeStream(target, load);
  const after = await rawPace(load);
  const raw = before === undefined || after === undefined ? undefined : (before + after) / 2;
  return { perSecond: (load.wallets * 1000) / wholeMs, raw, firstMs };
}

async function rawPace({ raw }: WalletLoad): Promise<number | undefined> {
  if (raw === undefined) return undefined;
  return (await paceOfRaw(THREADS, { kind: raw, forMs: RAW_MS })).perSecond;
}

function limitOf(raw: WalletLoad['raw']): string {
  if (raw === 'keypair') return '; the limit is sodium-native making pairs from seeds on as many threads';
  return raw === 'pbkdf2' ? "; the limit is OpenSSL's PBKDF2 on as many threads" : '';
}

function statedAs(perSecond: number | undefined): string {
  return perSecond === undefined ? '' : `; stated are ${perSecond.toLocaleString('en')} wallets/s`;
}

function renderStream({ name, raw }: WalletLoad, measured: readonly StreamRound[]): string {
  const middle = (column: (round: StreamRound) => number): number => median(measured.map(column));
  const limit = raw === undefined ? '' : middle((round) => round.raw ?? Number.NaN).toFixed(0);
  const share = middle((round) => round.perSecond / (round.raw ?? Number.NaN));
  const cells = [
    middle(({ perSecond }) => perSecond).toFixed(0),
    limit,
    raw === undefined ? '' : `${(share * 100).toFixed(0)} %`,
    middle(({ firstMs }) => firstMs).toFixed(1),
  ];
  return `| ${[name, ...cells].join(' | ')} |`;
}

async function measureLatencies(target: Target): Promise<string> {
  const rows: string[] = [];
  for (const load of LATENCY_LOADS) {
    const sorted = await latenciesOf(load, { ...target, dataDir: keyslot.dataDir });
    const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
    const share = `1/${(load.statedMs / p50).toFixed(0)}`;
    rows.push(`| ${[load.name, load.statedMs, p50.toFixed(1), p99.toFixed(1), share].join(' | ')} |`);
  }
  const bare = await bareLatencies(BARE_CALLS);
  const [p50, p99] = [quantile(bare, 0.5), quantile(bare, 0.99)];
  rows.push(`| a server that does nothing | | ${p50.toFixed(1)} | ${p99.toFixed(1)} | |`);
  return `| operation | stated ms | p50 ms | p99 ms | p50 of the stated |
|---|---:|---:|---:|---:|
${rows.join('\n')}

One call after the other; what interface.md section 8 states is the second column.
`;
}

/** The most memory that the server has while it makes batches, above what it had before. */
async function measureMemory(target: Target): Promise<string> {
  const batch = { path: '/v1/wallets/batch', body: { count: 10_000 }, wallets: 10_000 };
  const grownMiB = async (batches: number): Promise<number> => {
    const before = residentMiB();
    let most = before;
    const timer = setInterval(() => {
      most = Math.max(most, residentMiB());
    }, 5);
    for (let at = 0; at < batches; at += 1) await timeStream(target, batch);
    clearInterval(timer);
    return Math.max(most, residentMiB()) - before;
  };
  const [one, many] = [await grownMiB(1), await grownMiB(BATCHES)];
  return `Memory of the server's process: ${one.toFixed(0)} MiB more during one batch of 10,000, ${many.toFixed(0)} MiB more during ${BATCHES} of them one after the other; it had ${residentMiB().toFixed(0)} MiB afterwards.
`;
}

/** The latency of getHealth while a batch with mnemonics is made, at 200 calls a second. */
async function measureHealth(target: Target): Promise<string> {
  const { port, pathname, search } = new URL(keyslot.rpcUrl);
  const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
  const call = requestFor({ path: pathname + search }, { body });
  const connection = new Connection(Number(port));
  const latencies: number[] = [];
  let isMaking = true;
  const making = timeStream(target, {
    path: '/v1/wallets/batch',
    body: { count: 10_000, mnemonic_words: 12 },
    wallets: 10_000,
  }).finally(() => {
    isMaking = false;
  });
  while (isMaking) {
    latencies.push(await timeOf(connection, call));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  connection.close();
  await making;
  const sorted = latencies.sort((a, b) => a - b);
  return `\`getHealth\` while a batch of 10,000 with mnemonics is made: p50 ${quantile(sorted, 0.5).toFixed(1)} ms, p99 ${quantile(sorted, 0.99).toFixed(1)} ms of ${sorted.length} calls.
`;
}

function residentMiB(): number {
  const status = readFileSync(`/proc/${keyslot.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function median(all: readonly number[]): number {
  return quantile(
    all.toSorted((a, b) => a - b),
    0.5,
  );
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
