import type { Address } from '@solana/kit';
import {
  getAddMemoInstruction,
  LEGACY_MEMO_PROGRAM_ADDRESS_V1,
  LEGACY_MEMO_PROGRAM_ADDRESS_V3,
  MEMO_PROGRAM_ADDRESS,
} from '@solana-program/memo';
import { expect, test } from 'vitest';
import { fundedSigner, land, rpc } from './client.ts';

const PROGRAMS: readonly Address[] = [
  MEMO_PROGRAM_ADDRESS,
  LEGACY_MEMO_PROGRAM_ADDRESS_V3,
  LEGACY_MEMO_PROGRAM_ADDRESS_V1,
];

test.each(PROGRAMS)('a memo of the program %s is in the history of its payer', async (programAddress) => {
  const payer = await fundedSigner();
  const { signature } = await land(payer, [
    getAddMemoInstruction({ memo: 'paid in full' }, { programAddress }),
  ]);
  const [entry] = await rpc.getSignaturesForAddress(payer.address, { limit: 1 }).send();
  expect(entry).toMatchObject({ signature, memo: '[12] paid in full' });
  const found = await rpc
    .getTransaction(signature, { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 })
    .send();
  expect(found?.transaction.message.instructions).toMatchObject([
    { program: 'spl-memo', parsed: 'paid in full' },
  ]);
});
