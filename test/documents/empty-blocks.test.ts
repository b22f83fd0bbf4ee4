import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newLedger } from '../localnet/new-ledger.ts';

const GUIDE = readFileSync(new URL('../../docs/localnet.md', import.meta.url), 'utf8');

test('the guide of the embedded ledger names the blocks that are empty although its validator votes', () => {
  const { ledger, tick } = newLedger({ votes: true });
  tick(40);
  const { blocks } = ledger;
  const empty = [...blocks.ancestors(blocks.openSlot, 1_000n)].filter(
    (slot) => blocks.transactions(slot).length === 0,
  );
  expect(empty.toReversed()).toEqual(empty.map((_, at) => BigInt(at)));
  expect(GUIDE).toContain(`only those with which a ledger begins (0 to ${empty[0]}) are empty`);
  expect(GUIDE).not.toMatch(/\b(?:none|no block) is empty/);
});
