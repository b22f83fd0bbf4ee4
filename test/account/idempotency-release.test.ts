import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createIdempotency } from '../../src/account/idempotency/idempotency.ts';
import type { IdempotencyFinding } from '../../src/account/idempotency/idempotent-request.ts';
import { gateways } from '../../src/store/access-tables.ts';
import { describeStores } from '../store/backends.ts';
import { newCustomer, NOW_MS } from './new-customer.ts';
import { newInstallationKey } from './test-installation-key.ts';

const installationKey = await newInstallationKey();

describeStores('an idempotency key that is released', (backend) => {
  const store = backend.shared();

  test('by a process that was not told that its work is committed is claimed at another one for what did not arrive', async () => {
    const ownerId = randomUUID();
    await store().db.insert(gateways).values({ id: ownerId, machine: 'm', pid: 1, started: 's' });
    const own = createIdempotency({ ownerId, installationKey });
    const other = createIdempotency({ ownerId: randomUUID(), installationKey });
    const fingerprint = own.fingerprint('createWallet');
    const request = { accountId: await newCustomer(store()), key: 'k', fingerprint, nowMs: NOW_MS };
    const replacement = { received: 0, free: 0, fingerprints: [fingerprint] };
    const ask = (asked: object, by = other): Promise<IdempotencyFinding> =>
      store().transaction((tx) => by.begin(tx, { ...request, ...asked }));
    const found = await ask({}, own);
    if (found.kind !== 'new') throw new Error(`it is ${found.kind}`);
    const { claim } = found;
    await store().transaction((tx) => own.finish(tx, claim, { status: 200, body: { charged: 10 } }));
    expect(await ask({ replacement })).toEqual({ kind: 'inUse' });
    await store().transaction((tx) => own.release(tx, claim));
    expect(await ask({ replacement })).toMatchObject({ kind: 'replacement', charged: 10 });
  });
});
