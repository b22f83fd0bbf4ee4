import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { MAX_BLOCKHASH_AGE } from '../../src/localnet/blocks/recent-blockhashes.ts';
import { newLedger } from '../localnet/new-ledger.ts';

const read = (name: string, folder = 'docs'): string =>
  readFileSync(new URL(`../../${folder}/${name}.md`, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

test('the guide of the embedded ledger names the blocks that are empty although its validator votes', () => {
  const { ledger, tick } = newLedger({ votes: true });
  tick(40);
  const { blocks } = ledger;
  const empty = [...blocks.ancestors(blocks.openSlot, 1_000n)].filter(
    (slot) => blocks.transactions(slot).length === 0,
  );
  expect(empty.toReversed()).toEqual(empty.map((_, at) => BigInt(at)));
  expect(read('localnet')).toContain(`only those with which a ledger begins (0 to ${empty[0]}) are empty`);
  expect(read('localnet')).not.toMatch(/\b(?:none|no block) is empty/);
});

test('the guides say when a transfer is final, as a ledger of each consensus has it', async () => {
  const behind = async (consensus: 'alpenglow' | 'tower'): Promise<bigint> => {
    const { call, tick } = newLedger({ consensus });
    tick(40);
    const slot = (commitment: 'confirmed' | 'finalized') => call('getSlot', { commitment });
    return (await slot('confirmed')) - (await slot('finalized'));
  };
  expect(await behind('alpenglow')).toBe(0n);
  const later = await behind('tower');
  for (const name of ['websocket', 'streams'])
    expect(read(name)).toContain(
      `nder Alpenglow a transfer is \`confirmed\` and \`finalized\` within two slots (about 0.4 s); under Tower BFT \`finalized\` comes ${later} slots later.`,
    );
});

test('the guide and the error say for how long a blockhash is valid, and that web3.js v1 reuses one', () => {
  const slotMs = CONFIG_INTEGERS['localnet.slot_ms'].default;
  const seconds = (Number(MAX_BLOCKHASH_AGE) * slotMs) / 1_000;
  expect(read('localnet')).toContain(
    `A blockhash is valid for ${MAX_BLOCKHASH_AGE} blocks: ${seconds} s with slots of ${slotMs} ms`,
  );
  expect(read('localnet')).toContain('web3.js v1 reuses one for up to 30 s');
  const error = read('TransactionError', 'generated/docs/ledger/types');
  expect(error).toContain(
    `BlockhashNotFound ("Blockhash not found"): the blockhash is unknown, or more than ${MAX_BLOCKHASH_AGE} blocks old, which is ${seconds} s with slots of ${slotMs} ms. web3.js v1 reuses a blockhash for up to 30 s`,
  );
});
