import { expect, test } from 'vitest';
import { describeUsage } from '../../src/cli/actions/usage.ts';

const SINCE = '2025-10-09T00:00:00.000Z';
const CALLS = { calls: 2, errors: 1, caller_errors: 3, refused: 0, weight: 4, messages: 30 };

test('wallet operations stand below the calls, with what was charged and a sum', () => {
  const rows = [
    { operation: 'sign', requests: 12, refused: 1, units: 12, cost_usd: '0.0012' },
    { operation: 'fetch', requests: 3, refused: 0, units: 0, cost_usd: '0.00' },
  ];
  const text = describeUsage({
    since: SINCE,
    by: 'method',
    rows: [{ method: 'slotSubscribe', ...CALLS }],
    wallets: { by: 'operation', rows },
  });
  expect(text.split('\n').slice(2)).toEqual([
    'METHOD         CALLS  ERRORS  CALLER ERRORS  REFUSED  WEIGHT  MESSAGES',
    'slotSubscribe      2       1              3        0       4        30',
    '',
    'Wallet operations. REQUESTS succeeded, REFUSED ones were answered with an error. UNITS and COST were charged.',
    '',
    'OPERATION  REQUESTS  REFUSED  UNITS  COST USD',
    'sign             12        1     12    0.0012',
    'fetch             3        0      0      0.00',
    'all              15        1     12    0.0012',
    '',
  ]);
});

test('what is not known is not shown: a cost by token, and wallet operations by network', () => {
  const token = { token: 't1', name: null, account: 'acme', requests: 1, refused: 0 };
  const byKey = describeUsage({ since: SINCE, by: 'key', rows: [], wallets: { by: 'token', rows: [token] } });
  expect(byKey).toMatch(
    /^No calls and no pushed messages since .*\n\nWallet operations\. .*error\.\n\nTOKEN {2}NAME/,
  );
  expect(byKey).not.toContain('COST');
  const byNetwork = [{ network: 'solana-localnet', ...CALLS }];
  expect(describeUsage({ since: SINCE, by: 'network', rows: byNetwork, wallets: null })).not.toContain(
    'Wallet',
  );
});
