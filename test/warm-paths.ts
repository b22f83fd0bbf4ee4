import { randomUUID } from 'node:crypto';
import { createStreamClient } from '../generated/stream/package.ts';
import { eventually } from '../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from './support/keyslot.ts';
import { addCredit, createToken } from './support/wallet-account.ts';

// Counts our files and functions that one warm request runs through in the gateway, by V8's counts of calls
// (test/support/count-calls.ts).

const COUNTER = new URL('support/count-calls.ts', import.meta.url).href;
const WARM_UP = 100;
const ROUNDS = 15;

type Called = readonly { readonly path: string; readonly functions: number }[];

/** Returns the functions of one request: those that every round ran, since timers run at the same time. */
async function measure(server: RunningKeyslot, request: () => Promise<unknown>): Promise<Called> {
  for (let count = 0; count < WARM_UP; count++) await request();
  const rounds: Called[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await take(server);
    await request();
    rounds.push(await take(server));
  }
  const [first = [], ...others] = rounds;
  return first.flatMap(({ path, functions }) => {
    const seen = others.map((round) => round.find((each) => each.path === path)?.functions);
    return seen.includes(undefined) ? [] : [{ path, functions: Math.min(functions, ...(seen as number[])) }];
  });
}

async function take({ pid, stderr }: RunningKeyslot): Promise<Called> {
  const lines = (): readonly string[] =>
    stderr()
      .split('\n')
      .filter((line) => line.startsWith('warm '));
  const before = lines().length;
  process.kill(pid, 'SIGUSR2');
  const line = await eventually('the counts', () => (stderr().endsWith('\n') ? lines()[before] : undefined));
  return JSON.parse(line.slice('warm '.length)) as Called;
}

const server = await startKeyslot({ env: { NODE_OPTIONS: `--import=${COUNTER}` }, isOptimized: true });
try {
  const json = async (url: string, body: unknown, headers = {}): Promise<unknown> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const balance = {
    jsonrpc: '2.0',
    id: 1,
    method: 'getBalance',
    params: ['11111111111111111111111111111111'],
  };
  print('getBalance', await measure(server, () => json(server.rpcUrl, balance)));
  const { token } = await createToken(server.dataDir, 'warm');
  await addCredit(server.dataDir, 'warm', '1000');
  const authorization = { authorization: `Bearer ${token}` };
  const create = () =>
    json(
      `${server.baseUrl}/v1/wallets`,
      { custody: 'managed' },
      { ...authorization, 'idempotency-key': randomUUID() },
    );
  print('managed wallet', await measure(server, create));
  const streams = createStreamClient({ url: server.grpcUrl, apiKey: server.apiKey });
  const subscribe = async (): Promise<void> => {
    for await (const _slot of streams.subscribe('slots')) break;
  };
  print('Subscribe with its first message', await measure(server, subscribe));
  streams.close();
} finally {
  await server.stop();
}

function print(name: string, called: Called): void {
  const functions = called.reduce((sum, each) => sum + each.functions, 0);
  console.log(`${String(called.length).padStart(9)}  files of a warm ${name}, in ${functions} functions`);
  if (process.argv.includes('--list'))
    for (const each of called) console.log(`${''.padStart(11)}${each.path} ${each.functions}`);
}
