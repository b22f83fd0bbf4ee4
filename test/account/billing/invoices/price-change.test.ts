import { expect, test } from 'vitest';
import { describePrices } from '../../../../runtime/used-prices.ts';
import { SPEC_PRICES } from '../../../../src/account/billing/books/prices.ts';
import { describeStores } from '../../../store/backends.ts';
import { charge, provedBut, signHeads, verifyInvoice } from './billed-account.ts';
import { CLOSING, HOUR, inOctober, NOVEMBER, OCTOBER, SEPTEMBER } from './october.ts';

/** As an operator had them before the price list of the specification. */
const DEARER = {
  volumeThreshold: 10n,
  prices: {
    ...SPEC_PRICES.prices,
    managed_signing: { standard: 300n, volume: 200n },
    wallet_creation: { standard: 5_000n, volume: 5_000n },
  },
};

describeStores('a price list that changes in the middle of a month', (backend) => {
  const store = backend.emptied();
  const { invoiced, close } = inOctober(store);

  test('leaves an invoice that its records come to, with the prices of each part of the month', async () => {
    const accountId = await invoiced();
    const work = { accountId, operation: 'managed_signing', nowMs: OCTOBER } as const;
    await charge(store(), { ...work, units: 15, prices: DEARER });
    await charge(store(), { ...work, units: 1, operation: 'wallet_creation', prices: DEARER });
    for (const units of [1_000_000, 3]) await charge(store(), { ...work, units, nowMs: OCTOBER + HOUR });
    await provedBut(store(), { fromMs: SEPTEMBER, untilMs: NOVEMBER });
    await close();
    await signHeads(store(), CLOSING + HOUR);
    const { problems, prices, billed } = await verifyInvoice(store(), 'INV-000001');
    expect(problems).toEqual([]);
    const before = 10n * 300n + 5n * 200n + 5_000n;
    expect(billed.charged).toBe(before + 999_985n * 100n + 18n * 40n);
    expect(prices.map(describePrices)).toEqual([
      expect.stringMatching(
        /^managed_signing: 0\.0003 USD, 0\.0002 USD above 10 units a month, for 15 units from record 1 on \(not/,
      ),
      expect.stringMatching(/^wallet_creation: 0\.005 USD, .* for 1 units from record 2 on \(not/),
      'managed_signing: 0.0001 USD, 0.00004 USD above 1000000 units a month, for 1000003 units from record 3 on',
    ]);
  });
});
