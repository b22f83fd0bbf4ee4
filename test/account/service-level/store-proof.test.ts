import { expect, test } from 'vitest';
import { storeProof } from '../../../src/account/service-level/store-proof.ts';
import { serviceMinutes } from '../../../src/store/billing-tables.ts';
import { describeStores } from '../../store/backends.ts';

const MINUTE = Date.UTC(2026, 1, 3, 4, 5);

describeStores('proofs that wallets are served', (backend) => {
  const opened = backend.emptied();
  const prove = (sinceMs: number, isLate = () => false) => storeProof(opened(), MINUTE + sinceMs, isLate);
  const stored = async () => {
    const rows = await opened().db.select().from(serviceMinutes);
    return rows.map(({ minute, slots }) => [minute.getTime() - MINUTE, slots.toString(2)]).sort();
  };

  test('set the bit of their five seconds, and keep those of others', async () => {
    for (const sinceMs of [0, 4_999, 5_000, 59_999, 60_000]) expect(await prove(sinceMs)).toBe(true);
    expect(await stored()).toEqual([
      [0, '100000000011'],
      [60_000, '1'],
    ]);
  });

  test('of several processes at once add up', async () => {
    await Promise.all(Array.from({ length: 24 }, (_, index) => prove((index % 12) * 5_000)));
    expect(await stored()).toEqual([[0, '111111111111']]);
  });

  test('that are late before or after they are written are not stored', async () => {
    let asked = 0;
    expect(await prove(0, () => true)).toBe(false);
    expect(await prove(0, () => ++asked === 2)).toBe(false);
    expect(asked).toBe(2);
    expect(await stored()).toEqual([]);
  });
});
