import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type {
  Claim,
  IdempotencyFinding,
  IdempotentAnswer,
} from '../../../src/account/idempotency/idempotent-request.ts';
import { createIdempotency } from '../../../src/account/idempotency/idempotency.ts';
import { settleAbandoned } from '../../../src/account/processes/gateway.ts';
import { readBalance } from '../../../src/account/billing/books/balance.ts';
import { newTerms } from '../../../src/account/billing/books/reservation.ts';
import { createMoney } from '../../../src/account/billing/books/money.ts';
import { gateways } from '../../../src/store/access-tables.ts';
import type { StoreTransaction } from '../../../src/store/transaction.ts';
import { wallets } from '../../../src/store/wallet-tables.ts';
import { describeStores, SILENT } from '../../store/backends.ts';
import { pay } from '../billing/books/books.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { newInstallationKey } from '../test-installation-key.ts';

const DAY_MS = 86_400_000;
const installationKey = await newInstallationKey();
const ownerId = randomUUID();
const idempotency = createIdempotency({ ownerId, installationKey });
const NEW = { kind: 'new', workId: expect.any(String), claim: expect.anything() };
const BODY = Buffer.from('{"count":1}');

type Begun = Extract<IdempotencyFinding, { claim: Claim }>;

function begun(finding: IdempotencyFinding): Begun {
  if (!('claim' in finding)) throw new Error(finding.kind);
  return finding;
}

describeStores('idempotency keys', (backend) => {
  const store = backend.shared();
  const inTransaction = <T>(run: (tx: StoreTransaction) => Promise<T>): Promise<T> =>
    store().transaction(run);

  beforeAll(async () => {
    await store().db.insert(gateways).values({ id: ownerId, machine: 'm', pid: 1, started: 's' });
  });

  const finish = (claim: Claim, answer: IdempotentAnswer, by = idempotency) =>
    inTransaction((tx) => by.finish(tx, claim, answer));

  /** A wallet that work has made. */
  const makeWallet = async (accountId: string, workId: string): Promise<void> => {
    const [id, publicKey] = [randomUUID(), randomBytes(32)];
    const row = { id, accountId, workId, workSeq: 0, address: id, kind: 'single', publicKey } as const;
    await store()
      .db.insert(wallets)
      .values({ ...row, protection: 'none', createdAt: new Date(NOW_MS) });
  };

  /** A request of a new account, and how it is answered each time. */
  async function newRequest() {
    const account = { accountId: await newCustomer(store()), key: 'k' };
    const begin = (body: string | Uint8Array = BODY, nowMs = NOW_MS): Promise<IdempotencyFinding> => {
      const fingerprint = idempotency.fingerprint('createWallet', body);
      return inTransaction((tx) => idempotency.begin(tx, { ...account, fingerprint, nowMs }));
    };
    return { account, begin, claim: async (): Promise<Begun> => begun(await begin()) };
  }

  test('are new once, in use while the work is under way, then give the same answer', async () => {
    const { begin } = await newRequest();
    const first = await begin();
    expect(first).toEqual(NEW);
    expect(await begin()).toEqual({ kind: 'inUse' });
    const answer = { status: 201, body: Buffer.from([0, 255, 10]) };
    await finish(begun(first).claim, answer);
    expect(await begin()).toEqual({ kind: 'replay', ...answer });
    expect(await begin('{"count":2}')).toEqual({ kind: 'otherBody' });
  });

  test('with another body are told from it while the work is under way too', async () => {
    const { begin } = await newRequest();
    await begin();
    expect(await begin('{"count":2}')).toEqual({ kind: 'otherBody' });
  });

  test('whose answer held a secret say that it was not kept', async () => {
    const { begin, claim } = await newRequest();
    await finish((await claim()).claim, { status: 201, body: { charged: 1 } });
    expect(await begin()).toEqual({ kind: 'secretNotKept' });
  });

  /** A key whose answer was not kept, and the request that asks for what it did not bring. */
  async function newCharged(isDrained: boolean) {
    const { account, begin, claim } = await newRequest();
    const { claim: first, workId } = await claim();
    await finish(first, { status: 200, body: { charged: 10 } });
    const claimReplacement = (received: number, nowMs = NOW_MS, bodies: readonly Uint8Array[] = [BODY]) => {
      const fingerprints = bodies.map((body) => idempotency.fingerprint('createWallet', body));
      const [fingerprint = BODY] = fingerprints;
      const replacement = { received, free: 0, fingerprints };
      return inTransaction((tx) => idempotency.begin(tx, { ...account, fingerprint, nowMs, replacement }));
    };
    const close = async () => {
      await inTransaction((tx) => idempotency.close(tx, first, isDrained));
      idempotency.end(first);
    };
    return { begin, claimReplacement, close, workId };
  }

  test('whose answer did not arrive are claimed for the rest when its response has ended, once', async () => {
    const { begin, claimReplacement, close, workId } = await newCharged(false);
    expect([await begin(), await claimReplacement(4)]).toEqual([
      { kind: 'secretNotKept' },
      { kind: 'inUse' },
    ]);
    await close();
    expect(await claimReplacement(11)).toEqual({ kind: 'receivedTooMany', limit: 10 });
    expect(await claimReplacement(4, NOW_MS, [Buffer.from('{}')])).toEqual({ kind: 'otherBody' });
    const found = await claimReplacement(4, NOW_MS + DAY_MS - 1, [Buffer.from('{}'), BODY]);
    expect(found).toMatchObject({ kind: 'replacement', charged: 10, workId });
    expect(await claimReplacement(4)).toEqual({ kind: 'inUse' });
    await inTransaction((tx) => idempotency.close(tx, begun(found).claim, false));
    idempotency.end(begun(found).claim);
    expect([await begin(), await claimReplacement(4)]).toEqual(Array(2).fill({ kind: 'secretNotKept' }));
  });

  test('whose answer came whole, as the client says, are not claimed by a client that denies it later', async () => {
    const { claimReplacement, close } = await newCharged(false);
    await close();
    expect(await claimReplacement(10)).toEqual({ kind: 'secretNotKept' });
    expect(await claimReplacement(0)).toEqual({ kind: 'secretNotKept' });
  });

  test('whose repetition delivered nothing are claimed for it once more', async () => {
    const { claimReplacement, close } = await newCharged(false);
    await close();
    const { claim: second } = begun(await claimReplacement(4));
    await inTransaction((tx) => idempotency.release(tx, second));
    idempotency.end(second);
    expect(await claimReplacement(4)).toMatchObject({ kind: 'replacement', charged: 10 });
  });

  test('whose answer was seen to arrive, or is a day old, or which are new, are not claimed for it', async () => {
    const drained = await newCharged(true);
    await drained.close();
    expect(await drained.claimReplacement(0)).toEqual({ kind: 'secretNotKept' });
    const old = await newCharged(false);
    await old.close();
    expect(await old.claimReplacement(0, NOW_MS + DAY_MS)).toEqual({ kind: 'nothingCharged' });
    const accountId = await newCustomer(store());
    const fingerprint = idempotency.fingerprint('createWallet', BODY);
    const replacement = { received: 0, free: 0, fingerprints: [fingerprint] };
    const request = { accountId, key: 'k', fingerprint, nowMs: NOW_MS, replacement };
    expect(await inTransaction((tx) => idempotency.begin(tx, request))).toEqual({ kind: 'nothingCharged' });
    const { replacement: _, ...plain } = request;
    expect(await inTransaction((tx) => idempotency.begin(tx, plain))).toEqual(NEW);
  });

  test('of many that ask for the rest at once are claimed by one', async () => {
    const { claimReplacement, close } = await newCharged(false);
    await close();
    const kinds = (await Promise.all(Array.from({ length: 8 }, () => claimReplacement(1)))).map(
      ({ kind }) => kind,
    );
    expect(kinds.sort()).toEqual([...Array(7).fill('inUse'), 'replacement']);
  });

  /** Work of a process that is gone, which set aside money for two wallets. */
  const leaveReserved = async (
    { accountId, key }: { readonly accountId: string; readonly key: string },
    isStream: boolean,
  ) => {
    const goneId = randomUUID();
    const gone = createIdempotency({ ownerId: goneId, installationKey });
    const request = { accountId, key, fingerprint: gone.fingerprint('createWallet', BODY), nowMs: NOW_MS };
    const { claim } = begun(await inTransaction((tx) => gone.begin(tx, request)));
    await pay(store(), accountId, 5_000n);
    const work = { accountId, operation: 'wallet_creation', units: 2, nowMs: NOW_MS } as const;
    const terms = { ...newTerms(), ...(isStream && { isChargedWhenLost: true, claimId: claim.claimId }) };
    await inTransaction((tx) => createMoney({ ownerId: goneId }).reserve(tx, work, terms));
    return { gone, claim };
  };

  test('whose work left money set aside that is about to be charged are in use until it is', async () => {
    const { account, begin } = await newRequest();
    const { gone, claim } = await leaveReserved(account, true);
    expect(await begin()).toEqual({ kind: 'inUse' });
    await settleAbandoned({ store: store(), log: SILENT }, NOW_MS);
    expect(await begin()).toEqual({ kind: 'secretNotKept' });
    const late = finish(claim, { status: 200, body: { charged: 1 } }, gone);
    await expect(late).rejects.toMatchObject({ code: 'reservationCharged' });
    const balance = { charged: 2_000n, reserved: 0n };
    expect(await readBalance(store(), account.accountId, NOW_MS)).toMatchObject(balance);
  });

  test('whose work left money set aside that is about to be given back are in use until it is', async () => {
    const { account, begin } = await newRequest();
    await leaveReserved(account, false);
    expect(await begin()).toEqual({ kind: 'inUse' });
    await settleAbandoned({ store: store(), log: SILENT }, NOW_MS);
    expect(await begin()).toMatchObject({ kind: 'new' });
  });

  test('resume work that made wallets and stopped midway, for one of those that ask', async () => {
    const { account, begin, claim } = await newRequest();
    const first = await claim();
    await makeWallet(account.accountId, first.workId);
    await inTransaction((tx) => idempotency.release(tx, first.claim));
    expect(await begin('{"count":2}')).toEqual({ kind: 'otherBody' });
    const second = await begin();
    expect(second).toMatchObject({ kind: 'resumed', workId: first.workId });
    expect(await begin()).toEqual({ kind: 'inUse' });
    await finish(begun(second).claim, { status: 200, body: 'wallets' });
    expect(await begin()).toEqual({ kind: 'rebuild', workId: first.workId });
  });

  test('are not touched any more by a claim that another request resumed', async () => {
    const { account, begin, claim } = await newRequest();
    const first = await claim();
    await makeWallet(account.accountId, first.workId);
    await inTransaction((tx) => idempotency.release(tx, first.claim));
    const second = begun(await begin());
    await inTransaction((tx) => idempotency.release(tx, first.claim));
    idempotency.end(first.claim);
    expect(await begin()).toEqual({ kind: 'inUse' });
    const late = finish(first.claim, { status: 200, body: 'wallets' });
    await expect(late).rejects.toMatchObject({ code: 'reservationClosed' });
    await finish(second.claim, { status: 200, body: 'wallets' });
  });

  test('that the store could not take back are free here once their work has ended', async () => {
    const { begin, claim } = await newRequest();
    const first = await claim();
    idempotency.end(first.claim);
    expect(await begin()).toMatchObject({ kind: 'resumed', workId: first.workId });
    expect(await begin()).toEqual({ kind: 'inUse' });
  });

  test('resume the work of a process that is gone', async () => {
    const { account, begin } = await newRequest();
    const gone = createIdempotency({ ownerId: randomUUID(), installationKey });
    const fingerprint = gone.fingerprint('createWallet', BODY);
    const request = { ...account, fingerprint, nowMs: NOW_MS };
    const found = begun(await inTransaction((tx) => gone.begin(tx, request)));
    const hold = (claim: Claim) => inTransaction((tx) => gone.hold(tx, claim));
    await hold(found.claim);
    const resumed = begun(await begin());
    expect(resumed).toMatchObject({ kind: 'resumed', workId: found.workId });
    await hold(resumed.claim);
    await expect(hold(found.claim)).rejects.toMatchObject({ code: 'reservationClosed' });
    const late = finish(found.claim, { status: 200, body: BODY }, gone);
    await expect(late).rejects.toMatchObject({ code: 'reservationClosed' });
  });

  test('are given back by work that made nothing', async () => {
    const { begin, claim } = await newRequest();
    const first = await claim();
    await inTransaction((tx) => idempotency.release(tx, first.claim));
    expect(await begin('{"count":2}')).toEqual(NEW);
  });

  test('are kept for 24 hours', async () => {
    const { begin, claim } = await newRequest();
    await finish((await claim()).claim, { status: 200, body: BODY });
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

  test('that were finished keep the work from being committed twice', async () => {
    const { claim } = await newRequest();
    const { claim: own } = await claim();
    const answer = { status: 201, body: BODY };
    await finish(own, answer);
    await expect(finish(own, answer)).rejects.toMatchObject({ code: 'reservationClosed' });
    await inTransaction((tx) => idempotency.release(tx, own));
    await expect(finish(own, answer)).rejects.toMatchObject({ code: 'reservationClosed' });
  });
});
