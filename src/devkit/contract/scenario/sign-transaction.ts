import { signAsync } from '@noble/ed25519';
import { base58 } from '@scure/base';

/** A seed and its public key, as wallets export them: 64 bytes. */
export type SecretKey = { readonly secretKey: Uint8Array };

/** Roles of an account in an instruction, as sums of bits: 1 for writable, 2 for a signer. */
export const ROLE = { readonly: 0, writable: 1, readonlySigner: 2, writableSigner: 3 } as const;

export type Instruction = {
  readonly programAddress: string;
  readonly accounts: readonly { readonly address: string; readonly role: number }[];
  readonly data: Uint8Array;
};

/** The limits that a version 1 transaction carries. */
export type Limits = {
  readonly priorityFeeLamports?: bigint;
  readonly computeUnitLimit?: number;
  readonly loadedAccountsDataSizeLimit?: number;
  readonly heapSize?: number;
};

export type Plan = {
  readonly instructions: readonly Instruction[];
  /** Undefined: a legacy transaction; else one of version 1. */
  readonly limits?: Limits | undefined;
};

const VERSION_1 = 0x81;
const ONE_SIGNATURE = 1;

/** Builds a transaction that the wallet pays for and signs alone. In base-64, and the bytes that were signed. */
export async function signTransaction(wallet: SecretKey, blockhash: string, { instructions, limits }: Plan) {
  const roles = new Map<string, number>([[addressOf(wallet), ROLE.writableSigner]]);
  for (const { programAddress, accounts } of instructions)
    for (const { address, role } of [...accounts, { address: programAddress, role: ROLE.readonly }])
      roles.set(address, (roles.get(address) ?? ROLE.readonly) | role);
  // Roles fall in the order of keys in a message; the payer, who came first, stays first.
  const sorted = [...roles].sort(([, one], [, other]) => other - one);
  const keys = sorted.map(([address]) => address);
  const count = (...kinds: readonly number[]) => sorted.filter(([, role]) => kinds.includes(role)).length;
  const parts: Parts = {
    header: Buffer.from([
      count(ROLE.writableSigner, ROLE.readonlySigner),
      count(ROLE.readonlySigner),
      count(ROLE.readonly),
    ]),
    keys: keys.map((key) => base58.decode(key)),
    lifetime: base58.decode(blockhash),
    instructions: instructions.map(({ programAddress, accounts, data }) => ({
      program: keys.indexOf(programAddress),
      accounts: Buffer.from(accounts.map(({ address }) => keys.indexOf(address))),
      data,
    })),
  };
  const messageBytes = limits === undefined ? legacyMessage(parts) : version1Message(parts, limits);
  const signature = await signAsync(messageBytes, wallet.secretKey.subarray(0, 32));
  const wire =
    limits === undefined
      ? [Buffer.from([ONE_SIGNATURE]), signature, messageBytes]
      : [messageBytes, signature];
  return { text: Buffer.concat(wire).toString('base64'), messageBytes };
}

/** The address of a key pair. */
export function addressOf({ secretKey }: SecretKey): string {
  return base58.encode(secretKey.subarray(32));
}

type Parts = {
  readonly header: Uint8Array;
  readonly keys: readonly Uint8Array[];
  readonly lifetime: Uint8Array;
  readonly instructions: readonly {
    readonly program: number;
    readonly accounts: Uint8Array;
    readonly data: Uint8Array;
  }[];
};

function legacyMessage({ header, keys, lifetime, instructions }: Parts): Buffer {
  return Buffer.concat([
    header,
    compact(keys.length),
    ...keys,
    lifetime,
    compact(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Buffer.from([program]),
      compact(accounts.length),
      accounts,
      compact(data.length),
      data,
    ]),
  ]);
}

/** SIMD-0385: the headers of all instructions, then their payloads. */
function version1Message({ header, keys, lifetime, instructions }: Parts, limits: Limits): Buffer {
  const values = [
    { bits: 0b11, bytes: limits.priorityFeeLamports === undefined ? [] : u64(limits.priorityFeeLamports) },
    { bits: 0b100, bytes: limits.computeUnitLimit === undefined ? [] : u32(limits.computeUnitLimit) },
    {
      bits: 0b1000,
      bytes: limits.loadedAccountsDataSizeLimit === undefined ? [] : u32(limits.loadedAccountsDataSizeLimit),
    },
    { bits: 0b1_0000, bytes: limits.heapSize === undefined ? [] : u32(limits.heapSize) },
  ].filter(({ bytes }) => bytes.length > 0);
  return Buffer.concat([
    Buffer.from([VERSION_1]),
    header,
    u32(values.reduce((mask, { bits }) => mask | bits, 0)),
    lifetime,
    Buffer.from([instructions.length, keys.length]),
    ...keys,
    ...values.map(({ bytes }) => Buffer.from(bytes)),
    ...instructions.map(({ program, accounts, data }) =>
      Buffer.from([program, accounts.length, data.length & 0xff, data.length >> 8]),
    ),
    ...instructions.flatMap(({ accounts, data }) => [accounts, data]),
  ]);
}

/** A length in Solana's compact form: seven bits a byte, the low ones first. */
function compact(length: number): Buffer {
  return Buffer.from(length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
