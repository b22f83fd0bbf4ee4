import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWire, UnreadableTransaction } from '../../../src/gateway/streams/block/read-wire.ts';
import { plans, readByKit, wireOf } from '../../core/wire/kit-transactions.ts';
import { rounds } from '../../support/tier.ts';

const [payer, other, reader] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
const BLOCKHASH = base58.encode(new Uint8Array(32).fill(7));

const instruction = new TransactionInstruction({
  programId: new PublicKey(new Uint8Array(32).fill(9)),
  keys: [
    { pubkey: reader.publicKey, isSigner: true, isWritable: false },
    { pubkey: other.publicKey, isSigner: true, isWritable: true },
    { pubkey: new PublicKey(new Uint8Array(32).fill(3)), isSigner: false, isWritable: true },
    { pubkey: new PublicKey(new Uint8Array(32).fill(4)), isSigner: false, isWritable: false },
  ],
  data: Buffer.from([1, 2, 3]),
});

describe('a transaction as web3.js builds it', () => {
  it('is read when it is a legacy one', () => {
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: BLOCKHASH });
    transaction.add(
      instruction,
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: other.publicKey, lamports: 5 }),
    );
    transaction.sign(payer, other, reader);
    const message = transaction.compileMessage();
    const { signature, accounts } = readWire(transaction.serialize());
    expect(signature).toBe(base58.encode(transaction.signature ?? new Uint8Array()));
    expect(accounts).toEqual(
      message.accountKeys.map((key, index) => ({
        address: key.toBase58(),
        isSigner: message.isAccountSigner(index),
        isWritable: message.isAccountWritable(index),
      })),
    );
  });

  it('is read when it is of version 0, its own accounts only', () => {
    const table = new AddressLookupTableAccount({
      key: new PublicKey(new Uint8Array(32).fill(5)),
      state: {
        deactivationSlot: 2n ** 64n - 1n,
        lastExtendedSlot: 0,
        lastExtendedSlotStartIndex: 0,
        addresses: [new PublicKey(new Uint8Array(32).fill(3))],
      },
    });
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: BLOCKHASH,
      instructions: [instruction],
    }).compileToV0Message([table]);
    const transaction = new VersionedTransaction(message);
    transaction.sign([payer, other, reader]);
    const { signature, accounts } = readWire(Buffer.from(transaction.serialize()));
    expect(signature).toBe(base58.encode(transaction.signatures[0] ?? new Uint8Array()));
    expect(accounts).toEqual(
      message.staticAccountKeys.map((key, index) => ({
        address: key.toBase58(),
        isSigner: message.isAccountSigner(index),
        isWritable: message.isAccountWritable(index),
      })),
    );
  });
});

it('says the version, and of version 1 the limits, of every transaction that kit encodes', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const wire = Buffer.from(await wireOf(plan));
      const { signatures, message } = readByKit(wire);
      const { version, config, signature, accounts } = readWire(wire);
      expect({ version, config, signature }).toEqual({
        version: plan.version,
        config: message.config,
        signature: signatures[0],
      });
      expect(accounts.map(({ address }) => address)).toEqual(message.staticKeys);
    }),
    { numRuns: rounds(100) },
  );
});

describe('bytes that are no transaction', () => {
  it.each([
    ['nothing', []],
    ['no signature', [0, 1, 0, 0, 0]],
    ['another version', [1, ...new Uint8Array(64), 0x82, 1, 0, 0, 0]],
    ['a length without an end', [0x80, 0x80, 0x80, 1]],
    ['a signature that is cut off', [1, 2, 3]],
    ['keys that are cut off', [1, ...new Uint8Array(64), 1, 0, 0, 9, 1, 2]],
    ['version 1 that is cut off', [0x81, 1, 0, 0, 0]],
  ])('%s', (_, bytes) => {
    expect(() => readWire(Buffer.from(bytes))).toThrow(UnreadableTransaction);
  });
});
