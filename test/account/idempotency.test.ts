import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import {
  createIdempotency,
  forgetExpiredKeys,
  type IdempotencyFinding,
  readIdempotencyKey,
} from '../../src/account/idempotency.ts';
import { gateways, idempotencyKeys } from '../../src/store/access-tables.ts';
import type { StoreTransaction } from '../../src/store/open-store.ts';
import { describeStores } from '../store/backends.ts';
import { newCustomer, NOW_MS } from './new-customer.ts';
import { newInstallationKey } from './test-installation-key.ts';

const DAY_MS = 86_400_000;
const installationKey = await newInstallationKey();
const ownerId = randomUUID();
const idempotency = createIdempotency({ ownerId, installationKey });
const NEW = { kind: 'new', workId: expect.any(String) };
const BODY = Buffer.from('{"count":1}');

describeStores('idempotency keys', (backend) => {
  const store = backend.shared();
  const inTransaction = <T>(run: (tx: StoreTransaction) => Promise<T>): Promise<T> =>
    store().db.transaction(run);

  beforeAll(async () => {
    await store().db.insert(gateways).values({ id: ownerId, machine: 'm', pid: 1, started: 's' });
  });

  /** A request of a new account, and how it is answered each time. */
  async function newRequest() {
    const claim = { accountId: await newCustomer(store()), key: 'k' };
    const begin = (body: string | Uint8Array = BODY, nowMs = NOW_MS): Promise<IdempotencyFinding> => {
      const fingerprint = idempotency.fingerprint('createWallet', body);
      return inTransaction((tx) => idempotency.begin(tx, { ...claim, fingerprint, nowMs }));
    };
    return { claim, begin };
  }

  test('are new once, in use while the work is under way, then give the same answer', async () => {
    const { claim, begin } = await newRequest();
    expect(await begin()).toEqual(NEW);
    expect(await begin()).toEqual({ kind: 'inUse' });
    const answer = { status: 201, body: Buffer.from([0, 255, 10]) };
    await inTransaction((tx) => idempotency.finish(tx, claim, answer));
    expect(await begin()).toEqual({ kind: 'replay', ...answer });
    expect(await begin('{"count":2}')).toEqual({ kind: 'otherBody' });
  });

  test('with another body are told from it while the work is under way too', async () => {
    const { begin } = await newRequest();
    await begin();
    expect(await begin('{"count":2}')).toEqual({ kind: 'otherBody' });
  });

  test('whose answer held a secret say that it was not kept', async () => {
    const { claim, begin } = await newRequest();
    await begin();
    await inTransaction((tx) => idempotency.finish(tx, claim, { status: 201, body: undefined }));
    expect(await begin()).toEqual({ kind: 'secretNotKept' });
  });

  test('go on with work that stopped midway, for one of those that ask', async () => {
    const { claim, begin } = await newRequest();
    const { workId } = (await begin()) as { workId: string };
    await inTransaction((tx) => idempotency.suspend(tx, claim));
    expect(await begin('{"count":2}')).toEqual({ kind: 'otherBody' });
    expect(await begin()).toEqual({ kind: 'resumed', workId });
    expect(await begin()).toEqual({ kind: 'inUse' });
    await inTransaction((tx) => idempotency.finish(tx, claim, { status: 200, body: 'wallets' }));
    expect(await begin()).toEqual({ kind: 'retold', workId });
  });

  test('that the store could not take back are free here once their work has ended, and only its own end frees them', async () => {
    const fingerprint = idempotency.fingerprint('createWallet', BODY);
    const accountId = await newCustomer(store());
    const newTry = () => ({ accountId, key: 'k', fingerprint, nowMs: NOW_MS });
    const [first, second] = [newTry(), newTry()];
    const { workId } = (await inTransaction((tx) => idempotency.begin(tx, first))) as { workId: string };
    idempotency.end(first);
    expect(await inTransaction((tx) => idempotency.begin(tx, second))).toEqual({ kind: 'resumed', workId });
    idempotency.end(first);
    expect(await inTransaction((tx) => idempotency.begin(tx, newTry()))).toEqual({ kind: 'inUse' });
  });

  test('go on with the work of a process that is gone', async () => {
    const { claim, begin } = await newRequest();
    const gone = createIdempotency({ ownerId: randomUUID(), installationKey });
    const fingerprint = gone.fingerprint('createWallet', BODY);
    const found = await inTransaction((tx) => gone.begin(tx, { ...claim, fingerprint, nowMs: NOW_MS }));
    expect(await begin()).toEqual({ ...found, kind: 'resumed' });
    const late = inTransaction((tx) => gone.finish(tx, claim, { status: 200, body: BODY }));
    await expect(late).rejects.toMatchObject({ code: 'reservationClosed' });
  });

  test('are given back by a refusal', async () => {
    const { claim, begin } = await newRequest();
    await begin();
    await inTransaction((tx) => idempotency.abandon(tx, claim));
    expect(await begin('{"count":2}')).toEqual(NEW);
  });

  test('are kept for 24 hours', async () => {
    const { claim, begin } = await newRequest();
    await begin();
    await inTransaction((tx) => idempotency.finish(tx, claim, { status: 200, body: BODY }));
    expect((await begin(BODY, NOW_MS + DAY_MS - 1)).kind).toBe('replay');
    expect((await begin('{"other":1}', NOW_MS + DAY_MS)).kind).toBe('new');
    expect((await begin('{"other":1}', NOW_MS + DAY_MS)).kind).toBe('inUse');
  });

  test('are of one account', async () => {
    const [first, second] = [await newRequest(), await newRequest()];
    expect([(await first.begin()).kind, (await second.begin()).kind]).toEqual(['new', 'new']);
  });

  test('are claimed by one of many that come at once', async () => {
    const { begin } = await newRequest();
    const kinds = (await Promise.all(Array.from({ length: 12 }, () => begin()))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual([...Array(11).fill('inUse'), 'new']);
  });

  test('that were lost keep the work from being committed', async () => {
    const { claim, begin } = await newRequest();
    await begin();
    const other = createIdempotency({ ownerId: randomUUID(), installationKey });
    const answer = { status: 201, body: BODY };
    const stolen = inTransaction((tx) => other.finish(tx, claim, answer));
    await expect(stolen).rejects.toMatchObject({ code: 'reservationClosed' });
    await inTransaction((tx) => other.abandon(tx, claim));
    await inTransaction((tx) => idempotency.finish(tx, claim, answer));
    const twice = inTransaction((tx) => idempotency.finish(tx, claim, answer));
    await expect(twice).rejects.toMatchObject({ code: 'reservationClosed' });
  });

  test('are deleted when their day is over', async () => {
    const [old, young] = [await newRequest(), await newRequest()];
    await old.begin(BODY, NOW_MS - DAY_MS);
    await young.begin(BODY, NOW_MS - DAY_MS + 1);
    await forgetExpiredKeys(store(), NOW_MS);
    const left = (await store().db.select().from(idempotencyKeys)).map(({ accountId }) => accountId);
    expect([left.includes(old.claim.accountId), left.includes(young.claim.accountId)]).toEqual([false, true]);
  });
});

test('a fingerprint depends on every part, on where it ends, and on the installation', async () => {
  const other = createIdempotency({ ownerId: randomUUID(), installationKey: await newInstallationKey() });
  const prints = [
    idempotency.fingerprint('a', 'bc'),
    idempotency.fingerprint('ab', 'c'),
    idempotency.fingerprint('abc'),
    idempotency.fingerprint('a', 'bc', ''),
    other.fingerprint('a', 'bc'),
  ].map((print) => Buffer.from(print).toString('hex'));
  expect(new Set(prints).size).toBe(prints.length);
  expect(idempotency.fingerprint('a', Buffer.from('bc'))).toEqual(idempotency.fingerprint('a', 'bc'));
});

test('a key has 1 to 255 characters of printable ASCII', () => {
  for (const key of ['a', '!~', 'x'.repeat(255)]) expect(readIdempotencyKey(key)).toBe(key);
  for (const key of ['', 'x'.repeat(256), 'a b', 'ä', 'a\n', '\u007f'])
    expect(() => readIdempotencyKey(key)).toThrow('1 to 255 characters');
});
