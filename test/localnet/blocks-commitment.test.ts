import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';

const { call, refusal, tick } = newLedger();
tick(2);

test.each(['confirmed', 'finalized', null] as const)('lists of blocks accept %s', async (commitment) => {
  expect(await call('getBlocks', 0n, 1n, { commitment })).toEqual([0n, 1n]);
  expect(await call('getBlocks', 0n, { commitment })).not.toEqual([]);
  expect(await call('getBlocksWithLimit', 0n, 2n, { commitment })).toEqual([0n, 1n]);
});

test.each(['processed', 'recent', 'max', 'Confirmed', ''])(
  'lists of blocks refuse %o',
  async (commitment) => {
    for (const [method, ...params] of [
      ['getBlocks', 0n, 1n],
      ['getBlocks', 0n, null],
      ['getBlocks', 0n],
      ['getBlocksWithLimit', 0n, 2n],
    ] as const) {
      const { message } = await refusal(method, ...params, { commitment });
      expect(message).toBe('Method does not support commitment below `confirmed`');
    }
  },
);
