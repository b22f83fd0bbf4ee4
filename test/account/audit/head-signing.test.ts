import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { appendAudit } from '../../../src/account/audit/append-audit.ts';
import { type HeadDeps, startHeadSigning } from '../../../src/account/audit/sign-heads.ts';
import { verifyAudit } from '../../../src/account/audit/verify-audit.ts';
import { describeStores } from '../../store/backends.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { createHeadKey } from './head-key.ts';

const directory = useNewDirectory();

describeStores('signing of heads', (backend) => {
  const store = backend.shared();

  async function setUp(laterMs: number, change: Partial<HeadDeps['key']> = {}) {
    const accountId = await newCustomer(store());
    const fact = { action: 'create', outcome: 'ok', requestId: 'req_1' };
    await store().transaction((tx) => appendAudit(tx, accountId, [fact], NOW_MS));
    const key = createHeadKey();
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
    const headsFile = join(directory(), 'heads.jsonl');
    const clock = { nowMs: () => NOW_MS + laterMs };
    const signing = startHeadSigning({ store: store(), key: { ...key, ...change }, headsFile, clock }, log);
    const signedUpTo = async (): Promise<number | undefined> => {
      const places = { store: store(), headsFile, trustedKeys: [key.bytes] };
      return (await verifyAudit(places, accountId)).accounts[0]?.signedUpTo;
    };
    return { signing, signedUpTo, lines };
  }

  test('continues by itself while the server runs', async () => {
    const { signing, signedUpTo } = await setUp(60_000);
    await eventually('the head is signed', async () => ((await signedUpTo()) === 1 ? true : undefined));
    await signing.close();
  });

  test('signs what is left when the server stops', async () => {
    const { signing, signedUpTo } = await setUp(0);
    await signing.close();
    expect(await signedUpTo()).toBe(1);
  });

  test('says once that it fails, and harms nothing', async () => {
    let attempts = 0;
    const fail = (): Promise<never> => {
      attempts += 1;
      return Promise.reject(new Error('no signer'));
    };
    const { signing, signedUpTo, lines } = await setUp(60_000, { publicKey: fail });
    await eventually('it was tried twice', () => (attempts >= 2 ? true : undefined));
    await signing.close();
    expect(lines).toHaveLength(1);
    expect(await signedUpTo()).toBe(0);
  });
});
