import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { command } from '../support/wallet-account.ts';
import { startKeyslot } from '../support/keyslot.ts';
import { LOAD_CORE, PROXY_CORE, pin, readCpuUs } from './cpu.ts';
import type { CrowdOrder, CrowdReport } from './socket-crowd.ts';

// Measures what it costs to send one account's change to a crowd of sockets, compared with the least that a server on `ws` does. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    crowds: { type: 'string', default: '1000,10000' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const crowds = values.crowds.split(',').map(Number);
const HELLO =
  '{"jsonrpc":"2.0","id":1,"method":"accountSubscribe","params":["4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T",{"encoding":"base64","commitment":"confirmed"}]}';
const SET_PLAN = ['plans', 'set', 'bench', '--requests-per-second', '1000000', '--burst', '1000000000'];
const [busy = 0] = loadavg();

/** A server under the bench: where its sockets connect, its process, and how its account is made to change. */
type Target = {
  readonly name: string;
  readonly port: number;
  readonly path: string;
  readonly pid: number;
  readonly fire: () => Promise<number>;
  readonly stop: () => Promise<void>;
};

type Round = { readonly lastMs: number; readonly cpuUs: number };
type Measured = { readonly idleKiB: number; readonly rounds: readonly Round[] };

const rows: string[] = [];
for (const count of crowds) {
  const bare = await measure(await startBare(), count);
  const gateway = await measure(await startGateway(), count);
  rows.push(row('Keyslot', count, gateway, bare), row('bare ws', count, bare, bare));
}
const results = `# Results of the fan-out bench

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; medians of ${rounds} rounds. The load average of the machine was ${busy.toFixed(1)} before.

| server | sockets | to the last ms | notifications/s | of the bare rate | CPU µs a notification | of the bare CPU | KiB an idle socket |
|---|---:|---:|---:|---:|---:|---:|---:|
${rows.join('\n')}
`;
console.log(results);
if (!values['dry-run']) await writeFile(new URL('fan-out-results.md', import.meta.url), results);
process.exit();

function row(name: string, count: number, own: Measured, bare: Measured): string {
  const [lastMs, bareMs] = [own, bare].map((each) => median(each.rounds.map((round) => round.lastMs)));
  const [cpuUs, bareUs] = [own, bare].map((each) => median(each.rounds.map((round) => round.cpuUs)) / count);
  const share = (a = 0, b = 1): string => `${((a / b) * 100).toFixed(0)} %`;
  const cells = [
    ...[name, count, lastMs?.toFixed(1), ((count * 1000) / (lastMs ?? 1)).toFixed(0), share(bareMs, lastMs)],
    ...[cpuUs?.toFixed(2), share(cpuUs, bareUs), own.idleKiB.toFixed(1)],
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Opens the crowd, lets the account change once for each round, and ends everything. */
async function measure(target: Target, count: number): Promise<Measured> {
  const crowd = startFork('socket-crowd.ts');
  try {
    pin(target.pid, PROXY_CORE);
    pin(crowd.pid ?? 0, LOAD_CORE);
    const before = residentKiB(target.pid);
    await ask(crowd, { kind: 'open', port: target.port, path: target.path, count, hello: HELLO });
    const idleKiB = (residentKiB(target.pid) - before) / count;
    const measured: Round[] = [];
    for (let at = -3; at < rounds; at += 1) {
      const cpuUs = readCpuUs(target.pid);
      const arrived = ask(crowd, { kind: 'await', each: 1 });
      const firedMs = await target.fire();
      const report = await arrived;
      if (report.kind !== 'arrived') throw new Error(`the crowd says ${report.kind}`);
      if (at >= 0) measured.push({ lastMs: report.lastMs - firedMs, cpuUs: readCpuUs(target.pid) - cpuUs });
    }
    return { idleKiB, rounds: measured };
  } finally {
    crowd.disconnect();
    await target.stop();
  }
}

async function startBare(): Promise<Target> {
  const server = startFork('serve-bare-broadcast.ts');
  const { port } = await next<{ port: number }>(server);
  const stop = async (): Promise<void> => server.disconnect();
  return { name: 'bare ws', port, path: '/', pid: server.pid ?? 0, fire: firing(server), stop };
}

async function startGateway(): Promise<Target> {
  const node = startFork('serve-scripted-pubsub.ts');
  const { port } = await next<{ port: number }>(node);
  pin(node.pid ?? 0, LOAD_CORE);
  const env = {
    KEYSLOT_UPSTREAM_URL: `http://127.0.0.1:${port}`,
    KEYSLOT_UPSTREAM_WS_URL: `ws://127.0.0.1:${port}`,
    NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '',
  };
  const keyslot = await startKeyslot({ env });
  await command(keyslot.dataDir, SET_PLAN);
  await command(keyslot.dataDir, ['plans', 'assign', 'development', 'bench']);
  const { port: own, pathname, search } = new URL(keyslot.rpcUrl);
  return {
    name: 'Keyslot',
    port: Number(own),
    path: `${pathname}${search}`,
    pid: keyslot.pid,
    fire: firing(node),
    stop: async () => {
      await keyslot.stop();
      node.disconnect();
    },
  };
}

function startFork(file: string): ChildProcess {
  return fork(new URL(file, import.meta.url));
}

/** Makes the account change. @returns when, in milliseconds since 1970. */
function firing(server: ChildProcess): () => Promise<number> {
  return async () => {
    const fired = next<{ firedMs: number }>(server);
    server.send('fire');
    return (await fired).firedMs;
  };
}

function ask(crowd: ChildProcess, order: CrowdOrder): Promise<CrowdReport> {
  const report = next<CrowdReport>(crowd);
  crowd.send(order);
  return report;
}

/** The next message of a process. @throws Error when it ends instead. */
function next<T>(child: ChildProcess): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onExit = (code: number | null): void => reject(new Error(`a process of the bench ended: ${code}`));
  const onMessage = (message: unknown): void => resolve(message as T);
  child.once('exit', onExit).once('message', onMessage);
  return promise.finally(() => child.off('exit', onExit).off('message', onMessage));
}

function residentKiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}
