import {
  AccountRole,
  type Address,
  address,
  fixEncoderSize,
  generateKeyPairSigner,
  getAddressEncoder,
  getArrayEncoder,
  getBooleanEncoder,
  getBytesEncoder,
  getShortU16Encoder,
  getStructEncoder,
  getTupleEncoder,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import { fundedSigner, land, landed, rpc, send, signed } from './client.ts';

const CONFIG_PROGRAM = address('Config1111111111111111111111111111111111111');
const SPACE = 120n;

const storeEncoder = getStructEncoder([
  [
    'keys',
    getArrayEncoder(getTupleEncoder([getAddressEncoder(), getBooleanEncoder()]), {
      size: getShortU16Encoder(),
    }),
  ],
  ['data', fixEncoderSize(getBytesEncoder(), 4)],
]);

const own = (signer: KeyPairSigner) => ({
  address: signer.address,
  role: AccountRole.WRITABLE_SIGNER,
  signer,
});
const other = (signer: KeyPairSigner) => ({
  address: signer.address,
  role: AccountRole.READONLY_SIGNER,
  signer,
});

function store(
  accounts: NonNullable<Instruction['accounts']>,
  keys: [Address, boolean][],
  data: Uint8Array,
): Instruction {
  return { programAddress: CONFIG_PROGRAM, accounts, data: storeEncoder.encode({ keys, data }) };
}

test('a configuration is created by its own key, and written by the keys that it names', async () => {
  const [payer, config, keeper] = [
    await fundedSigner(),
    await generateKeyPairSigner(),
    await generateKeyPairSigner(),
  ];
  const lamports = await rpc.getMinimumBalanceForRentExemption(SPACE).send();
  const create = getCreateAccountInstruction({
    payer,
    newAccount: config,
    lamports,
    space: SPACE,
    programAddress: CONFIG_PROGRAM,
  });
  const keys: [Address, boolean][] = [[keeper.address, true]];
  await land(payer, [create, store([own(config), other(keeper)], keys, Buffer.from('1234'))]);

  const unsigned = { address: config.address, role: AccountRole.WRITABLE };
  await land(payer, [store([unsigned, other(keeper)], keys, Buffer.from('5678'))]);
  const { value } = await rpc.getAccountInfo(config.address, { encoding: 'base64' }).send();
  const data = Buffer.from(value?.data[0] ?? '', 'base64');
  expect(data.subarray(34, 38).toString()).toBe('5678');
  const found = await rpc
    .getProgramAccounts(CONFIG_PROGRAM, { encoding: 'base64', filters: [{ dataSize: SPACE }] })
    .send();
  expect(found.map(({ pubkey }) => pubkey)).toContain(config.address);

  const without = await signed(payer, [store([unsigned], [], Buffer.from('none'))]);
  expect(await landed(await send(without, { skipPreflight: true }))).toMatchObject({
    err: { InstructionError: [0n, 'MissingRequiredSignature'] },
  });
});
