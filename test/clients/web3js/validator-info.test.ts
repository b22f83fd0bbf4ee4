import {
  Keypair,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  TransactionInstruction,
  VALIDATOR_INFO_KEY,
  ValidatorInfo,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { connection, fundedKeypair, land, signed } from './client.ts';

const CONFIG_PROGRAM = new PublicKey('Config1111111111111111111111111111111111111');
const SPACE = 500;

/** The instruction that publishes a text about a validator, which it signs. */
function publish(account: Keypair, validator: Keypair, text: string): TransactionInstruction {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const keys = [VALIDATOR_INFO_KEY.toBytes(), Buffer.of(0), validator.publicKey.toBytes(), Buffer.of(1)];
  return new TransactionInstruction({
    programId: CONFIG_PROGRAM,
    keys: [
      { pubkey: account.publicKey, isSigner: true, isWritable: true },
      { pubkey: validator.publicKey, isSigner: true, isWritable: false },
    ],
    data: Buffer.concat([Buffer.of(2), ...keys, length, Buffer.from(text)]),
  });
}

test('information of a validator is published and read, and another one cannot change it', async () => {
  const payer = await fundedKeypair();
  const [account, validator] = [Keypair.generate(), Keypair.generate()];
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: account.publicKey,
    programId: CONFIG_PROGRAM,
    space: SPACE,
    lamports: await connection.getMinimumBalanceForRentExemption(SPACE),
  });
  const text = '{"name":"One","website":"https://example.org"}';
  await land(payer, [create, publish(account, validator, text)], [account, validator]);
  const { data } = (await connection.getAccountInfo(account.publicKey)) ?? {};
  const info = ValidatorInfo.fromConfigData(data ?? []);
  expect(info?.key).toEqual(validator.publicKey);
  expect(info?.info).toEqual({ name: 'One', website: 'https://example.org' });
  const { value } = await connection.getParsedAccountInfo(account.publicKey);
  expect(value?.data).toMatchObject({ program: 'config', parsed: { info: { configData: { name: 'One' } } } });

  const other = Keypair.generate();
  const transaction = await signed(payer, [publish(account, other, '{"name":"Two"}')], [account, other]);
  const refused = connection.sendRawTransaction(transaction.serialize());
  await expect(refused).rejects.toBeInstanceOf(SendTransactionError);
  await expect(refused).rejects.toThrow('missing required signature for instruction');
});
