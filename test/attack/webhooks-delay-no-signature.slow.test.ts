import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAccountClient } from '../../generated/account/client.ts';
import { createWalletClient } from '../../generated/wallets/client.ts';
import { RestCallError } from '../../runtime/rest-call.ts';
import { eventually } from '../../src/core/eventually.ts';
import { MAX_WEBHOOKS } from '../../src/account/webhooks/webhooks.ts';
import { startKeyslot } from '../support/keyslot.ts';
import { addCredit, createToken } from '../support/wallet-account.ts';

// An account has as many webhooks as it may have, at a receiver that answers at once, and replays all of them. What is checked is an order
// of events, and a rate by the clock of the deliveries: no machine is too slow for them.

const RECORDS = 200;
const SIGNATURES = 30;
/** Statements of webhooks that a statement of a signature may find in front, and what else a server does in the background. */
const MOST_IN_FRONT = 3;
/** Of the plan of new accounts. */
const EVENTS_PER_SECOND = 100;
/** Rounds under way when a count begins or ends may exceed the rate: three of twenty events. */
const TOGETHER = 2 * 3 * 20;
const PRELOADED = new URL('note-turns.ts', import.meta.url).href;
const PATIENCE = { timeoutMs: 300_000 };

/** Starts a receiver that answers at once, and counts events by path. */
async function startCounter() {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const name = request.url?.slice(1) ?? '';
      counts.set(name, (counts.get(name) ?? 0) + 1);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: (name: string) => `http://127.0.0.1:${port}/${name}`,
    of: (name: string) => counts.get(name) ?? 0,
  };
}

test('an account that replays all its webhooks keeps nobody from signing, nor their events waiting', async () => {
  const counter = await startCounter();
  const server = await startKeyslot({
    env: { NODE_OPTIONS: `--import=${PRELOADED}`, KEYSLOT_WEBHOOKS_ALLOWED_TARGETS: '127.0.0.1/32' },
  });
  onTestFinished(server.stop);
  const { dataDir, baseUrl: url } = server;
  const open = async (name: string) => {
    const { token } = await createToken(dataDir, name);
    await addCredit(dataDir, name, '100');
    const wallets = createWalletClient({ url, token, ...PATIENCE });
    const wallet = await wallets.createWallet({ custody: 'managed' });
    const walletId = wallet.custody === 'managed' ? wallet.wallet_id : '';
    return { wallets, walletId, account: createAccountClient({ url, token, ...PATIENCE }) };
  };
  const [attacker, victim] = [await open('attacker'), await open('victim')];
  const hook = { name: 'a', events: ['wallet.*'] };
  await victim.account.createWebhook({ ...hook, url: counter.url('victim') });
  // The limit of a second is for a fast machine.
  const fetchOne = async (): Promise<true | undefined> => {
    try {
      await attacker.wallets.getWallet(attacker.walletId);
      return true;
    } catch (error) {
      const failure = error instanceof RestCallError ? error.failure : undefined;
      if (failure?.kind === 'problem' && failure.code === 'wallet_rate_limited') return undefined;
      throw error;
    }
  };
  const fetched = () => eventually('a wallet is fetched', fetchOne, PATIENCE);
  for (let made = 0; made < RECORDS; made += 20) await Promise.all(Array.from({ length: 20 }, fetched));
  const ids: string[] = [];
  for (let made = 0; made < MAX_WEBHOOKS; made++)
    ids.push((await attacker.account.createWebhook({ ...hook, url: counter.url('attacker') })).webhook_id);

  const before = { count: counter.of('attacker'), atMs: performance.now() };
  for (const id of ids) await attacker.account.replayWebhook(id, { from_seq: 1 });
  const again = attacker.account.replayWebhook(ids.at(-1) ?? '', { from_seq: 1 });
  const failure = { status: 429, code: 'webhook_replaying', retryAfterSeconds: 60 };
  await expect(again).rejects.toMatchObject({ failure });
  await eventually(
    'events are being sent',
    () => counter.of('attacker') > before.count || undefined,
    PATIENCE,
  );
  const from = server.stderr().length;
  for (let made = 0; made < SIGNATURES; made++)
    await victim.wallets.signWithWallet(victim.walletId, { message: 'aGVsbG8=' });
  const inFront = countInFront(server.stderr().slice(from));
  const all = () => counter.of('victim') >= SIGNATURES || undefined;
  await eventually('the events of the signatures have come', all, PATIENCE);

  const sent = counter.of('attacker') - before.count;
  const elapsedS = (performance.now() - before.atMs) / 1_000;
  const figures = `${sent} events in ${elapsedS.toFixed(1)} s, at most ${Math.max(...inFront)} in front of ${inFront.length} statements`;
  console.log(figures);
  expect(inFront.length).toBeGreaterThanOrEqual(SIGNATURES);
  expect(Math.max(...inFront), figures).toBeLessThanOrEqual(MOST_IN_FRONT);
  expect(sent, figures).toBeLessThan(MAX_WEBHOOKS * RECORDS);
  expect(sent, figures).toBeLessThanOrEqual(EVENTS_PER_SECOND * elapsedS + TOGETHER);
}, 600_000);

/** For each statement of a signature: the number of statements in the background that got a connection while it waited for one. */
function countInFront(stderr: string): readonly number[] {
  const turns = [...stderr.matchAll(/^turn: (\d+) (asks|gets) (\S+)$/gm)];
  return turns.flatMap(([, id, what, path = ''], at) => {
    if (what !== 'asks' || !path.endsWith('/sign')) return [];
    const later = turns.slice(at);
    const got = later.findIndex(([, other, then]) => other === id && then === 'gets');
    return [later.slice(0, got).filter(([, other]) => other === '0').length];
  });
}
