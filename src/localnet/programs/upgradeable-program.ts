import { base58 } from '@scure/base';
import { programAddress } from '../addresses/program-address.ts';
import { UPGRADEABLE_LOADER } from '../addresses/program-ids.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Account, KeyedAccount } from '../model.ts';

const PROGRAM_BYTES = 36;
const PROGRAM_TAG = 2;
const CODE_TAG = 3;
const CODE_HEAD_BYTES = 45;
const AUTHORITY_OFFSET = 12;
const ELF_MAGIC = Buffer.from('7f454c46', 'hex');
const RENT_EPOCH = 2n ** 64n - 1n;

export type UpgradeableProgram = {
  readonly address: string;
  readonly elf: Uint8Array;
  /** The upgrade authority; null: nobody can upgrade it. */
  readonly authority: string | null;
  /** The slot in which it was deployed. */
  readonly slot: bigint;
};

/** True for bytes that begin as an ELF file does. */
export function isElf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, ELF_MAGIC.length)).equals(ELF_MAGIC);
}

/** Returns the accounts of a program of the upgradeable loader without lamports, in the order in which the runtime takes them: its code first. */
export function upgradeableProgram(
  program: UpgradeableProgram,
): readonly [code: KeyedAccount, program: KeyedAccount] {
  const codeAddress = programAddress(UPGRADEABLE_LOADER, [base58.decode(program.address)]);
  return upgradeableAccounts(program, codeAddress);
}

/** Returns the same for a program whose code has an address that is known. */
export function upgradeableAccounts(
  { address, elf, authority, slot }: UpgradeableProgram,
  codeAddress: string,
): readonly [code: KeyedAccount, program: KeyedAccount] {
  const head = new ByteWriter(CODE_HEAD_BYTES).u32(CODE_TAG).u64(slot).bytes;
  const program = new ByteWriter(PROGRAM_BYTES).u32(PROGRAM_TAG).put(base58.decode(codeAddress)).bytes;
  const code = withUpgradeAuthority(loaded(Buffer.concat([head, elf]), false), authority);
  return [
    { address: codeAddress, account: code },
    { address, account: loaded(program, true) },
  ];
}

/** Returns the code account of a program with another authority; null: nobody. */
export function withUpgradeAuthority(code: Account, authority: string | null): Account {
  const data = Uint8Array.from(code.data);
  const field = new ByteWriter(CODE_HEAD_BYTES - AUTHORITY_OFFSET).u8(authority === null ? 0 : 1);
  data.set(authority === null ? field.bytes : field.put(base58.decode(authority)).bytes, AUTHORITY_OFFSET);
  return { ...code, data };
}

/** Returns the upgrade authority in a code account; null: nobody can upgrade the program. */
export function upgradeAuthority({ data }: Account): string | null {
  return data[AUTHORITY_OFFSET] === 1
    ? base58.encode(data.subarray(AUTHORITY_OFFSET + 1, CODE_HEAD_BYTES))
    : null;
}

function loaded(data: Uint8Array, executable: boolean): Account {
  return { lamports: 0n, data, owner: UPGRADEABLE_LOADER, executable, rentEpoch: RENT_EPOCH };
}
