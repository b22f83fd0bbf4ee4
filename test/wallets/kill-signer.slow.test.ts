import { existsSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { rounds } from '../support/tier.ts';
import { type Clients, newBatch, newTree, runSign, runSigns, runStream } from './kill/managed-work.ts';
import { type Random, sampleOf, seededRandom } from '../lab/random.ts';
import { assertKeysOpen, assertStoreHolds } from './kill/store-facts.ts';
import { ACCOUNT, type WalletServer } from './open-wallet-server.ts';
import { signerPidOf } from '../lab/gateways/signer-pid.ts';
import { startWalletServer } from './wallet-server.ts';

vi.setConfig({ testTimeout: 600_000 });

const ALL_KILLS = rounds(10);
/** The pause before a restart doubles with each: after five kills at most a server is left to rest. */
const SERVERS = Math.ceil(ALL_KILLS / 5);
const KILLS = ALL_KILLS / SERVERS;
const SIGNS = 30;
/** The least number of deliveries between two kills: a request is sent to two signers, not to three. */
const LEAST_BETWEEN = 250;
const MOST_BETWEEN = 600;

type SignerState = { readonly state: string; readonly restarts: number };

async function signerState(server: WalletServer): Promise<SignerState> {
  const answer = await fetch(`${server.baseUrl}/readyz`);
  return ((await answer.json()) as { signer: SignerState }).signer;
}

/** Kills the signer, and waits until the next one serves. */
async function killSigner(server: WalletServer, restarts: number): Promise<void> {
  process.kill(signerPidOf(server.pid()), 'SIGKILL');
  await eventually('the signer is started again', async () => {
    const signer = await signerState(server);
    return signer.restarts === restarts && signer.state === 'ready' ? true : undefined;
  });
}

/** Streams and signatures without a pause, until all kills of the signer are done, at moments in the midst of them. */
async function workThroughKills(server: WalletServer, clients: Clients, random: Random): Promise<void> {
  let [kills, left] = [0, LEAST_BETWEEN];
  let killing: Promise<void> = Promise.resolve();
  clients.onTold = () => {
    left -= 1;
    if (left !== 0 || kills === KILLS) return;
    kills += 1;
    killing = killSigner(server, kills).then(() => {
      left = LEAST_BETWEEN + random(MOST_BETWEEN - LEAST_BETWEEN);
    });
  };
  while (kills < KILLS) {
    const works = [newBatch(700, kills % 2 === 0), newTree(300, kills % 2 === 1)];
    clients.streams.push(...works);
    const signs = runSigns(server, clients, sampleOf(clients.told, SIGNS - 2, random));
    const endings = await Promise.all([...works.map((work) => runStream(server, clients, work)), signs]);
    expect(endings.slice(0, 2).map((ending) => ending?.kind)).toEqual(['whole', 'whole']);
    await killing;
  }
  clients.onTold = () => undefined;
}

test(`${ALL_KILLS} kills of the signer lose no request: streams are whole, signatures come, and /readyz counts the restarts`, async () => {
  const random = seededRandom('kill-signer');
  for (let round = 0; round < SERVERS; round += 1) {
    const clients: Clients = { told: [], streams: [], signs: [], onTold: () => undefined };
    const server = await startWalletServer();
    expect(await signerState(server)).toMatchObject({ state: 'ready', restarts: 0 });
    const { pid } = server;
    const before = pid();
    await workThroughKills(server, clients, random);
    expect(clients.signs.filter(({ isDone }) => !isDone)).toEqual([]);
    await runSigns(server, clients, sampleOf(clients.told, 50, random));
    expect([pid(), await signerState(server)]).toMatchObject([before, { state: 'ready', restarts: KILLS }]);
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
    expect(metrics).toContain(`keyslot_child_restarts{child="signer"} ${KILLS}`);
    expect(await server.ask({ kind: 'money.balance', account: ACCOUNT })).toMatchObject({
      reserved_usd: '0.00',
    });
    expect(await server.ask({ kind: 'audit.verify' })).toMatchObject({ is_sound: true });
    await server.stop();
    const where = { dataDir: server.dataDir, databaseUrl: undefined };
    await assertStoreHolds(where, clients);
    expect(await assertKeysOpen(where)).toBe(clients.told.length);
  }
});

test('while the signer is down /readyz says so, and what it is needed for waits for the next one', async () => {
  const server = await startWalletServer();
  const clients: Clients = { told: [], streams: [], signs: [], onTold: () => undefined };
  const work = newBatch(5, false);
  clients.streams.push(work);
  await runStream(server, clients, work);
  const [wallet] = clients.told;
  if (wallet === undefined) throw new Error('no wallet was made');
  const signerPid = signerPidOf(server.pid());
  process.kill(signerPid, 'SIGKILL');
  const isGone = () => (existsSync(`/proc/${signerPid}`) ? undefined : true);
  await eventually('the server has heard that the signer died', isGone, { intervalMs: 2 });
  const answer = await fetch(`${server.baseUrl}/readyz`);
  expect([answer.status, await answer.json()]).toMatchObject([503, { signer: { state: 'restarting' } }]);
  expect(await runSign(server, clients, { wallet, key: 'while-down', isDone: false })).toBe(true);
});
