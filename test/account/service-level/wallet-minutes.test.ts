import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../src/account/service-level/month-span.ts';
import { addWalletMinutes, type WalletMinute } from '../../../src/account/service-level/wallet-minutes.ts';
import { walletMinutes } from '../../../src/store/billing-tables.ts';
import { describeStores } from '../../store/backends.ts';

const MINUTE = Date.UTC(2026, 1, 3, 4, 5);
const [A, B] = [randomUUID(), randomUUID()];

const row = (own: Partial<WalletMinute> = {}): WalletMinute => ({
  minuteMs: MINUTE,
  accountId: A,
  requests: 3,
  failed: 1,
  ...own,
});

describeStores('wallet requests by minute', (backend) => {
  const opened = backend.emptied();
  const add = (rows: readonly WalletMinute[], { writerId = A, number = 1 } = {}) =>
    addWalletMinutes(opened(), { writerId, number, rows }, MINUTE);
  const stored = async () => {
    const rows = await opened().db.select().from(walletMinutes);
    return rows
      .map(({ minute, accountId, requests, failed }) => [
        ...[minute.getTime(), accountId === A ? 'a' : 'b', requests, failed],
      ])
      .sort();
  };

  test('are added to what is stored, a batch that is sent again only once', async () => {
    const batch = [
      row(),
      row({ requests: 1, failed: 0 }),
      row({ accountId: B }),
      row({ minuteMs: MINUTE + MINUTE_MS }),
    ];
    await add(batch);
    await add(batch);
    await add([row()], { number: 2 });
    expect(await stored()).toEqual([
      [MINUTE, 'a', 7, 2],
      [MINUTE, 'b', 3, 1],
      [MINUTE + MINUTE_MS, 'a', 3, 1],
    ]);
  });

  test('of processes that add to the same rows at once are all there', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => row({ minuteMs: MINUTE + index * MINUTE_MS }));
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        add(index % 2 === 0 ? rows : rows.toReversed(), { writerId: randomUUID() }),
      ),
    );
    expect(await stored()).toEqual(rows.map(({ minuteMs }) => [minuteMs, 'a', 24, 8]));
  });
});
