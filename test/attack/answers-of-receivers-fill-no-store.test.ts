import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { allowAddresses } from '../../src/account/webhooks/allowed-addresses.ts';
import { MAX_READ_ATTEMPTS, readDelivery, retryDelivery } from '../../src/account/webhooks/deliveries.ts';
import { createPostEvent } from '../../src/account/webhooks/post-event.ts';
import { createResolveHost } from '../../src/account/webhooks/resolve-host.ts';
import { sql } from '../../src/store/drizzle.ts';
import { webhookAttempts } from '../../src/store/webhook-tables.ts';
import { openWorld, REFUSED, TAKEN } from '../account/webhooks/open-world.ts';
import { describeStores, type TestBackend } from '../store/backends.ts';

// An account sends events to its own receiver again and again, for free: what is kept of that stays small.

const KEPT_BYTES = 1_024;

test.each([
  ['of four bytes', '\u{1f600}'],
  ['that are no UTF-8', Buffer.from([0xff])],
  ['that PostgreSQL does not store', '\0'],
])('of an answer in characters %s, 1,024 bytes are kept', async (_name, character) => {
  const body = Buffer.concat(Array.from({ length: 2_000 }, () => Buffer.from(character)));
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const isAllowed = allowAddresses(['127.0.0.1/32'], false).any;
  const sender = createPostEvent({ isAllowed, resolve: createResolveHost() });
  onTestFinished(() => {
    sender.close();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const answer = await sender.post({ url, headers: {}, body: '{}', signal: AbortSignal.timeout(60_000) });
  const text = answer.kind === 'answered' ? answer.text : '';
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(KEPT_BYTES);
  expect(Buffer.byteLength(text)).toBeGreaterThan(KEPT_BYTES - 4);
  expect(new Set(text).size).toBe(1);
});

describeStores('of an event that is sent without end', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('the newest hundred attempts are kept, and the text of those answers that did not take it', async () => {
    const store = opened();
    const world = await openWorld(store);
    await world.add(undefined);
    await world.round();
    const [delivery] = (await world.states()).delivered ?? [];
    const own = { accountId: world.accountId, id: delivery?.id ?? '' };
    const numbers = async () => (await readDelivery(store, own)).attempts.map(({ number }) => number);
    // As an earlier version left it.
    await store.db.execute(sql`update webhook_deliveries set attempts = ${MAX_READ_ATTEMPTS + 50}`);
    await store.db.execute(sql`
      insert into webhook_attempts (delivery_id, number, at, duration_ms, status, answer)
      select ${own.id}::uuid, n, now(), 1, 200, 'thanks' from generate_series(2, ${MAX_READ_ATTEMPTS + 50}) n`);

    for (const answer of [REFUSED, TAKEN]) {
      world.answer = () => answer;
      await retryDelivery(world.deps, own, world.now());
      await world.round();
    }
    expect(await store.db.select().from(webhookAttempts)).toHaveLength(MAX_READ_ATTEMPTS);
    const newest = MAX_READ_ATTEMPTS + 52;
    expect(await numbers()).toEqual(Array.from({ length: MAX_READ_ATTEMPTS }, (_, n) => newest - n));
    const { attempts } = await readDelivery(store, own);
    expect(attempts.slice(0, 2)).toMatchObject([
      { status: 200, answer: null },
      { status: 500, answer: 'no' },
    ]);
  });
});
