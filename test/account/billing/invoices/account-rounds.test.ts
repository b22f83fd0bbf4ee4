import { expect, test } from 'vitest';
import { createRounds, type Round } from '../../../../src/account/billing/invoices/balance-notices.ts';
import type { BillingNotice } from '../../../../src/account/billing/invoices/billing-notice.ts';

/** Rounds through accounts `a` to `e` in pages of 2, of which some fail. */
function newRounds(failing: Set<string>) {
  const all = ['a', 'b', 'c', 'd', 'e'].map((accountId) => ({ accountId }));
  const round: Round<{ readonly accountId: string }> = {
    pageSize: 2,
    find: async (after) => all.filter(({ accountId }) => accountId > (after?.accountId ?? '')).slice(0, 2),
    work: async ({ accountId }) => {
      if (failing.has(accountId)) throw new Error(`no ${accountId}`);
      return [{ kind: 'invoiced', accountId }];
    },
  };
  const told: BillingNotice[] = [];
  const failed: unknown[] = [];
  const step = createRounds(round, {
    onNotice: (notice) => told.push(notice),
    onFailure: (error, accountId) => failed.push([accountId, String(error)]),
  });
  return { step, failed, done: () => told.splice(0).map(({ accountId }) => accountId) };
}

test('go through all accounts page by page, and begin again', async () => {
  const { step, done } = newRounds(new Set());
  for (const [more, accounts] of [
    [true, ['a', 'b']],
    [true, ['c', 'd']],
    [false, ['e']],
    [true, ['a', 'b']],
  ] as const) {
    expect(await step(0)).toBe(more);
    expect(done()).toEqual(accounts);
  }
});

test('an account that fails does not hold up others; what was done before is told', async () => {
  const failing = new Set(['b']);
  const { step, failed, done } = newRounds(failing);
  expect(await step(0)).toBe(false);
  expect([done(), failed]).toEqual([['a'], [['b', 'Error: no b']]]);
  expect(await step(0)).toBe(true);
  expect(await step(0)).toBe(false);
  expect(done()).toEqual(['c', 'd', 'e']);
  failing.clear();
  expect(await step(0)).toBe(true);
  expect(done()).toEqual(['a', 'b']);
});
