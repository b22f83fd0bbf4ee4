import { eq } from '../../../src/store/drizzle.ts';
import { expect, test, vi } from 'vitest';
import { createRefusalLog, type RefusedAccess } from '../../../src/account/identity/refusal-log.ts';
import { verifyAudit } from '../../../src/account/audit/verify-audit.ts';
import { auditRecords } from '../../../src/store/audit-tables.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { describeStores } from '../../store/backends.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';

const MINUTE_MS = 60_000;
const TOKEN = '3f0c6c0e-6f6f-4f0e-9d57-0d5f8e6c0a11';

describeStores('refused requests', (backend) => {
  const store = backend.shared();

  /** A log of an account, on a store that can be out of order. */
  async function setUp() {
    const accountId = await newCustomer(store());
    let [nowMs, isBroken] = [NOW_MS, false];
    const refuse = (): never => {
      throw new Error('ENOSPC: no space left on the disk');
    };
    const db = new Proxy(store().db, {
      get: (target, name) => (isBroken ? refuse : Reflect.get(target, name)),
    }) as Store['db'];
    const error = vi.fn();
    const transaction: Store['transaction'] = async (work) =>
      isBroken ? refuse() : await store().transaction(work);
    const given = { db, transaction };
    const log = createRefusalLog({ store: given, clock: { nowMs: () => nowMs }, log: { error }, lookMs: 5 });
    const refused: RefusedAccess = {
      holder: { accountId, tokenId: TOKEN },
      action: 'fetch',
      outcome: 'scope_missing',
      address: '192.0.2.1',
      requestId: 'req_1',
    };
    const rows = () => store().db.select().from(auditRecords).where(eq(auditRecords.accountId, accountId));
    return {
      log,
      refused,
      rows,
      error,
      accountId,
      pass: (ms: number) => {
        nowMs += ms;
      },
      breakStore: (isIt: boolean) => {
        isBroken = isIt;
      },
    };
  }

  test('are on record when the log is closed, before their minute is over', async () => {
    const { log, refused, rows } = await setUp();
    for (let count = 0; count < 3; count += 1) log.note(refused);
    await log.close();
    expect(await rows()).toMatchObject([
      { units: 3, address: '192.0.2.1', tokenId: TOKEN, outcome: 'scope_missing' },
    ]);
  });

  test('of one network are one record: an IPv6 client has a whole /64, and fills no log with it', async () => {
    const { log, refused, rows } = await setUp();
    for (let host = 1; host <= 200; host += 1)
      log.note({ ...refused, address: `2001:db8:0:1::${host.toString(16)}` });
    log.note({ ...refused, address: '2001:db8:0:2::1' });
    log.note({ ...refused, address: '192.0.2.1' });
    log.note({ ...refused, address: '192.0.2.2' });
    await log.close();
    expect((await rows()).map(({ address, units }) => [address, units])).toEqual([
      ['2001:db8:0:1::1', 200],
      ['2001:db8:0:2::1', 1],
      ['192.0.2.1', 1],
      ['192.0.2.2', 1],
    ]);
  });

  test('are written once their minute is over, and never again', async () => {
    const { log, refused, rows, pass } = await setUp();
    log.note(refused);
    pass(MINUTE_MS);
    const [first] = await eventually('the first minute', async () =>
      (await rows()).length === 1 ? await rows() : undefined,
    );
    log.note(refused);
    log.note(refused);
    await log.close();
    const after = (await rows()).sort((a, b) => a.seq - b.seq);
    expect(after.map(({ units }) => units)).toEqual([1, 2]);
    expect(after[0]).toEqual(first);
    expect(first?.at.getTime()).toBeLessThanOrEqual(NOW_MS + MINUTE_MS);
  });

  test('wait for a store that is out of order, told once, and none is lost or counted twice', async () => {
    const { log, refused, rows, pass, breakStore, error, accountId } = await setUp();
    breakStore(true);
    log.note(refused);
    pass(MINUTE_MS);
    await eventually('the failure is told', () => (error.mock.calls.length > 0 ? true : undefined));
    log.note(refused);
    pass(MINUTE_MS);
    log.note(refused);
    breakStore(false);
    await log.close();
    const units = (await rows()).map((row) => row.units);
    expect(units.reduce((sum, each) => sum + each, 0)).toBe(3);
    expect(error).toHaveBeenCalledTimes(1);
    const places = { store: store(), headsFile: '/nowhere', trustedKeys: [] };
    expect((await verifyAudit(places, accountId)).isSound).toBe(true);
  });
});
