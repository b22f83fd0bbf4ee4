import { verifyAsync } from '@noble/ed25519';
import {
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { newKeyPair } from '../../../src/devkit/contract/scenario/legacy.ts';
import {
  addressOf,
  type Limits,
  ROLE,
  signTransaction,
} from '../../../src/devkit/contract/scenario/sign-transaction.ts';

const limits: Limits = { priorityFeeLamports: 7n, computeUnitLimit: 450, heapSize: 65_536 };

test.each([
  ['legacy', undefined, 300],
  [1, limits, 1_500],
  [1, {}, 0],
] as const)('kit reads a transaction of version %s as it was planned', async (version, given, size) => {
  const [wallet, ...others] = await Promise.all(Array.from({ length: 5 }, newKeyPair));
  if (wallet === undefined) throw new Error('no wallet');
  const [to = '', reader = '', program = '', second = ''] = others.map(addressOf);
  const payer = { address: addressOf(wallet), role: ROLE.writableSigner };
  const instructions = [
    {
      programAddress: program,
      accounts: [payer, { address: reader, role: ROLE.readonly }],
      data: Buffer.alloc(size, 5),
    },
    {
      programAddress: second,
      accounts: [{ address: to, role: ROLE.writable }, payer],
      data: Buffer.from([1]),
    },
  ];
  const { text, messageBytes } = await signTransaction(wallet, reader, { instructions, limits: given });
  const { messageBytes: read, signatures } = getTransactionDecoder().decode(Buffer.from(text, 'base64'));
  expect(Buffer.from([...read]).equals(messageBytes)).toBe(true);
  const [signature] = Object.values(signatures);
  expect(await verifyAsync(signature as Uint8Array, messageBytes, wallet.secretKey.subarray(32))).toBe(true);
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(read));
  expect(message).toMatchObject({
    version,
    feePayer: { address: payer.address },
    lifetimeConstraint: { blockhash: reader },
  });
  const found: readonly Instruction[] = message.instructions;
  expect(
    found.map(({ programAddress, accounts, data }) => ({
      programAddress,
      accounts,
      data: Buffer.from([...(data ?? [])]),
    })),
  ).toEqual(instructions.map((each) => ({ ...each, data: Buffer.from(each.data) })));
  if (given !== undefined && 'heapSize' in given) expect(message).toMatchObject({ config: given });
});
