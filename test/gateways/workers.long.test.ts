import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import { startBusyMachineClock } from '../support/busy-machine-clock.ts';
import { startLocalnet } from '../support/keyslot.ts';
import { processesBelow } from '../support/processes.ts';
import { openSocket } from '../support/socket-client.ts';
import { addCredit, command, createToken } from '../support/wallet-account.ts';
import { createWallet, endOf, sign } from './customer.ts';
import { type Answer, post } from './post.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, startWorkersGateway } from './start-gateways.ts';

/** The longest time until a revocation holds everywhere. */
const PROMISED_MS = 1_000;
/** The time that a worker that stops keeps its connections: the client has to hear of it, on a machine that may stand still for a second. */
const GRACE_MS = 3_000;
const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';

if (GATEWAYS_MISSING === undefined) describe('two workers of one machine', workers);
else test('two workers of one machine', (context) => context.skip(GATEWAYS_MISSING));

function workers(): void {
  const started = new AsyncDisposableStack();
  let gateway: Gateway;
  beforeAll(async () => {
    const node = await startLocalnet({ args: ['--slot-ms', '100'] });
    started.defer(node.stop);
    const env = { KEYSLOT_SHUTDOWN_GRACE_MS: String(GRACE_MS) };
    const { gateway: made, remove } = await startWorkersGateway(2, { upstreamUrl: node.rpcUrl, env });
    started.defer(remove);
    gateway = made;
  });
  afterAll(() => started.disposeAsync());

  const createKey = async (account: string) => {
    return command(gateway.dataDir, ['keys', 'create', '--account', account, '--name', 'shared']);
  };
  const callWith = (agent: Agent, key: string): Promise<Answer> =>
    post(agent, `${gateway.rpcUrl}?apikey=${key}`, CALL);
  /** A connection of its own, which the supervisor gives to the workers in turn. */
  const call = (key: string): Promise<Answer> => callWith(new Agent(), key);
  const bothKnow = (key: string) =>
    eventually('both workers know the key', async () => {
      const answers = [await call(key), await call(key), await call(key), await call(key)];
      return answers.every(({ status }) => status === 200) || undefined;
    });
  const processes = (script: string) =>
    processesBelow(gateway.pid()).filter(
      ({ pid, command: line }) => pid !== gateway.pid() && line.includes(script),
    );
  const workerPids = () => processes('src/main.ts').map(({ pid }) => pid);
  // A connection that is handed to a worker as it dies gets no answer (docs/operate.md).
  const readyz = async (): Promise<Readonly<Record<string, unknown>>> => {
    const signal = AbortSignal.timeout(5_000);
    const answer = await fetch(`${gateway.baseUrl}/readyz`, { signal }).catch(() => undefined);
    return { code: answer?.status, ...((await answer?.json().catch(() => undefined)) as object | undefined) };
  };
  const metrics = async () => (await fetch(`${gateway.baseUrl}/metrics`)).text();
  const allServe = (gone: number) =>
    eventually(
      'two workers serve, and this one is gone',
      async () => {
        if (isAlive(gone)) return undefined;
        return JSON.stringify((await readyz()).workers) === '{"serving":2,"of":2}' || undefined;
      },
      { timeoutMs: 55_000 },
    );

  test('both serve every protocol on the same ports, with one signer, and say where once', async () => {
    expect(gateway.stdout().trimEnd().split('\n')).toHaveLength(1);
    expect([workerPids().length, processes('src/signer/main.ts').length]).toEqual([2, 1]);
    const { key = '' } = await createKey('acme');
    await bothKnow(key);
    const sockets = await Promise.all([1, 2].map(() => openSocket(`${gateway.wsUrl}?apikey=${key}`)));
    for (const socket of sockets) expect(await socket.call('getSlot')).toHaveProperty('result');
    const streams = [1, 2].map(() => createStreamClient({ url: gateway.grpcUrl, apiKey: key }));
    for (const stream of streams)
      expect(await stream.subscribe('slots').next()).toMatchObject({ done: false });
    const text = await metrics();
    for (const worker of [1, 2]) {
      const label = `worker="${worker}"`;
      expect(text).toMatch(new RegExp(`^keyslot_rpc_calls_total{${label},.*method="getSlot".*} [1-9]`, 'm'));
      expect(text).toMatch(new RegExp(`^keyslot_ws_sockets{${label}.*} 1$`, 'm'));
      expect(text).toContain(`keyslot_child_up{worker="supervisor",child="worker-${worker}"} 1`);
    }
    expect(await readyz()).toMatchObject({ code: 200, status: 'ready', workers: { serving: 2, of: 2 } });
    for (const socket of sockets) socket.close();
    for (const stream of streams) stream.close();
  });

  test('both sign with the keys of one signer, and continue when that dies', async () => {
    const { token } = await createToken(gateway.dataDir, 'signing');
    await addCredit(gateway.dataDir, 'signing', '10');
    const { body } = await createWallet(gateway, token);
    const signFour = async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => sign(gateway, token, String(body.wallet_id))));
      return answers.map(({ status }) => status);
    };
    expect(await signFour()).toEqual([200, 200, 200, 200]);
    const [signer] = processes('src/signer/main.ts');
    process.kill(signer?.pid ?? 0, 'SIGKILL');
    expect(await signFour()).toEqual([200, 200, 200, 200]);
    expect(processes('src/signer/main.ts').map(({ pid }) => pid)).not.toEqual([signer?.pid]);
    expect(await command(gateway.dataDir, { kind: 'audit.verify' })).toMatchObject({ is_sound: true });
  });

  test('a revoked key is refused by both within a second: HTTP, WebSocket and gRPC', async () => {
    const { id, key = '' } = await createKey('acme');
    await bothKnow(key);
    const sockets = await Promise.all([1, 2].map(() => openSocket(`${gateway.wsUrl}?apikey=${key}`)));
    const streams = [1, 2].map(() => createStreamClient({ url: gateway.grpcUrl, apiKey: key }));
    const messages = streams.map((stream) => stream.subscribe('slots'));
    for (const each of messages) await each.next();
    const ends = messages.map(endOf);

    await command(gateway.dataDir, ['keys', 'revoke', id ?? '']);
    using since = startBusyMachineClock();
    const bothRefuse = async () => {
      const statuses = [await call(key), await call(key), await call(key), await call(key)];
      return statuses.every(({ status }) => status === 401) || undefined;
    };
    await eventually('both refuse', bothRefuse, { intervalMs: 5 });
    expect(await Promise.all(sockets.map(async ({ closed }) => (await closed).code))).toEqual([4001, 4001]);
    expect(await Promise.all(ends)).toEqual(['apiKeyRevoked', 'apiKeyRevoked']);
    expect(since.elapsedMs()).toBeLessThan(PROMISED_MS);
    for (const stream of streams) stream.close();
  });

  test('a plan holds for both together', async () => {
    const BURST = 60;
    await command(gateway.dataDir, [
      'plans',
      'set',
      'few',
      '--requests-per-second',
      '1',
      '--burst',
      String(BURST),
    ]);
    const { key = '' } = await createKey('limited');
    await command(gateway.dataDir, ['plans', 'assign', 'limited', 'few']);
    const agents = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    let allowed = 0;
    for (let refused = 0; refused < 10; ) {
      const [agent = new Agent()] = agents.splice(0, 1);
      agents.push(agent);
      const { status } = await callWith(agent, key);
      if (status === 200) allowed++;
      else if (status === 429) refused++;
    }
    // At the end each may allow what arrives before it hears of the other.
    expect(allowed).toBeGreaterThanOrEqual(BURST - 1);
    expect(allowed).toBeLessThan(1.5 * BURST);
    expect([await call(key), await call(key)].map(({ status }) => status)).toEqual([429, 429]);
    for (const agent of agents) agent.destroy();
  });

  test('a worker that is killed is started again, and the other serves meanwhile', async () => {
    const { key = '' } = await createKey('acme');
    await bothKnow(key);
    for (const at of [1, 0]) {
      const pids = workerPids();
      process.kill(pids[at] ?? 0, 'SIGKILL');
      await eventually('one is missing', async () => {
        const { status, workers: standing } = await readyz().catch(() => ({
          status: '',
          workers: undefined,
        }));
        if (status !== 'degraded') return undefined;
        expect(standing).toEqual({ serving: 1, of: 2 });
        return true;
      });
      for (let calls = 0; calls < 10; calls++) expect((await call(key)).status).toBe(200);
      await allServe(pids[at] ?? 0);
      await bothKnow(key);
    }
    // The first one serves commands.
    expect(await command(gateway.dataDir, { kind: 'keys.list' })).toHaveProperty('keys');
    expect(await metrics()).toContain('keyslot_child_restarts{worker="supervisor",child="worker-1"} 1');
    expect(gateway.stderr()).toContain('child process died; restarting it');
  });

  test('a worker and the signer that stand still are killed and started again, and the other worker serves', async () => {
    const { token } = await createToken(gateway.dataDir, 'standing-still');
    await addCredit(gateway.dataDir, 'standing-still', '10');
    const { body } = await createWallet(gateway, token);
    const { key = '' } = await createKey('acme');
    await bothKnow(key);
    const [[, worker = 0], [signer]] = [workerPids(), processes('src/signer/main.ts')];
    for (const pid of [worker, signer?.pid ?? 0]) process.kill(pid, 'SIGSTOP');
    const isReplaced = (pid: number, what: string) =>
      eventually(what, () => !isAlive(pid) || undefined, { intervalMs: 200 });
    // A signer is found to stand still by a request; connections are dealt out to both workers.
    const isOver = new AbortController();
    const served = { reads: 0, signatures: 0 };
    const ask = async (url: string, init: RequestInit): Promise<boolean> => {
      const signal = AbortSignal.any([isOver.signal, AbortSignal.timeout(12_000)]);
      const headers = { 'content-type': 'application/json', connection: 'close', ...init.headers };
      const answer = await fetch(url, { method: 'POST', ...init, headers, signal }).catch(() => undefined);
      const text = await answer?.text().catch(() => '');
      return answer?.status === 200 && text?.includes('"error"') === false;
    };
    const repeat = async (kind: keyof typeof served, ...args: Parameters<typeof ask>): Promise<void> => {
      while (!isOver.signal.aborted) {
        if (await ask(...args)) served[kind]++;
        await setTimeout(20);
      }
    };
    const signing = { body: '{"message":"aGVsbG8="}', headers: { authorization: `Bearer ${token}` } };
    const signUrl = `${gateway.baseUrl}/v1/wallets/${String(body.wallet_id)}/sign`;
    const load = [1, 2, 3, 4].flatMap(() => [
      repeat('reads', `${gateway.rpcUrl}?apikey=${key}`, { body: CALL }),
      repeat('signatures', signUrl, signing),
    ]);
    await isReplaced(signer?.pid ?? 0, 'the signer that stands still is gone');
    const { signatures } = served;
    await eventually('the new signer signs', () => served.signatures > signatures || undefined);
    await isReplaced(worker, 'the worker that stands still is gone');
    const { reads } = served;
    expect(reads).toBeGreaterThan(0);
    await allServe(worker);
    isOver.abort();
    await Promise.all(load);
    for (let calls = 0; calls < 4; calls++) expect((await call(key)).status).toBe(200);
    expect(gateway.stderr()).toContain('the signer does not respond; killing it');
    expect(gateway.stderr()).toContain('a worker does not respond; killing it');
  });

  test('both reload the configuration on SIGHUP', async () => {
    const READ = 'configuration reloaded';
    // Workers that were started again have read it before.
    const { length } = gateway.stderr();
    process.kill(gateway.pid(), 'SIGHUP');
    const lines = await eventually('both have read it', () => {
      const found = gateway
        .stderr()
        .slice(length)
        .split('\n')
        .filter((line) => line.includes(READ));
      return found.length >= 2 ? found : undefined;
    });
    expect(lines.map((line) => (JSON.parse(line) as { pid: number }).pid).toSorted()).toEqual(
      workerPids().toSorted(),
    );
  });

  test('workers that stop one after the other fail no request, and the machine ends in order', async () => {
    const { key = '' } = await createKey('rolling');
    await command(gateway.dataDir, ['plans', 'assign', 'rolling', 'production']);
    await bothKnow(key);
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const failures = new Set<string>();
    let answered = 0;
    let isOver = false;
    const read = async (): Promise<void> => {
      while (!isOver) {
        // A steady load, which leaves the processor to the worker that starts.
        await setTimeout(5);
        try {
          const { status, body } = await callWith(agent, key);
          if (status === 200 && !body.includes('"error"')) answered++;
          else failures.add(`${status} ${body}`);
        } catch (error) {
          failures.add(String(error));
        }
      }
    };
    const load = Promise.all(Array.from({ length: 4 }, read));
    for (const pid of workerPids()) {
      const before = answered;
      await eventually('requests are answered', () => answered > before + 30 || undefined);
      process.kill(pid, 'SIGTERM');
      await allServe(pid);
    }
    isOver = true;
    await load;
    agent.destroy();
    expect([...failures]).toEqual([]);

    const sockets = await Promise.all([1, 2].map(() => openSocket(`${gateway.wsUrl}?apikey=${key}`)));
    const pids = processesBelow(gateway.pid()).map(({ pid }) => pid);
    await gateway.stop();
    expect(await Promise.all(sockets.map(async ({ closed }) => (await closed).code))).toEqual([1001, 1001]);
    expect(gateway.ended()).toBe('exit code 0');
    expect(pids.filter(isAlive)).toEqual([]);
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
