import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getAddressDecoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type SignatureBytes,
  signTransaction,
  type TransactionVersion,
} from '@solana/kit';
import fc from 'fast-check';
import type { DecodedTransaction, TransactionConfig } from '../../../src/core/wire/message.ts';

/** The parts of a test transaction. Accounts and programs are numbers: each stands for an address. */
export type TransactionPlan = {
  readonly version: TransactionVersion;
  readonly signers: number;
  readonly config: Partial<{ [Name in keyof TransactionConfig]: NonNullable<TransactionConfig[Name]> }>;
  readonly instructions: readonly {
    readonly program: number;
    readonly accounts: readonly { readonly account: number; readonly isWritable: boolean }[];
    readonly data: Uint8Array;
  }[];
};

const addresses = getAddressDecoder();
const toAddress = (number: number): Address => addresses.decode(Buffer.alloc(32, number + 10));

export const SIGNERS: readonly KeyPairSigner[] = await Promise.all(
  [1, 2, 3].map((number) => createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(number))),
);

/** The most that kit encodes. */
const MAX_COMPUTE_UNITS = 1_400_000;
const MAX_LOADED_BYTES = 64 * 1024 * 1024;

/** Plans of all versions that fit into 1,232 bytes, or into 4,096 of version 1. */
export const plans: fc.Arbitrary<TransactionPlan> = fc
  .constantFrom<TransactionVersion>('legacy', 0, 1)
  .chain((version) =>
    fc.record({
      version: fc.constant(version),
      signers: fc.integer({ min: 1, max: SIGNERS.length }),
      config: fc.record(
        {
          priorityFee: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
          computeUnitLimit: fc.nat(MAX_COMPUTE_UNITS),
          loadedAccountsDataSizeLimit: fc.integer({ min: 1, max: MAX_LOADED_BYTES }),
          heapSize: fc.integer({ min: 32, max: 256 }).map((kib) => kib * 1024),
        },
        { requiredKeys: [] },
      ),
      instructions: fc.array(
        fc.record({
          program: fc.integer({ min: 20, max: 24 }),
          accounts: fc.array(fc.record({ account: fc.nat(9), isWritable: fc.boolean() }), { maxLength: 5 }),
          data: fc.uint8Array({ maxLength: version === 1 ? 700 : 90 }),
        }),
        { maxLength: 5 },
      ),
    }),
  );

/** The plan as kit compiles, signs and encodes it. */
export async function wireOf({
  version,
  signers,
  config,
  instructions,
}: TransactionPlan): Promise<Uint8Array> {
  const own = SIGNERS.slice(0, signers);
  const [payer = SIGNERS[0]] = own;
  if (payer === undefined) throw new Error('a transaction needs a fee payer');
  const cosigned: Instruction = {
    programAddress: toAddress(29),
    accounts: own.map(({ address }) => ({ address, role: AccountRole.READONLY_SIGNER })),
  };
  const planned = instructions.map(({ program, accounts, data }) => ({
    programAddress: toAddress(program),
    accounts: accounts.map(({ account, isWritable }) => ({
      address: toAddress(account),
      role: isWritable ? AccountRole.WRITABLE : AccountRole.READONLY,
    })),
    data,
  }));
  const message = pipe(
    createTransactionMessage({ version: version as 0 }),
    (made) => setTransactionMessageFeePayer(payer.address, made),
    (made) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: toAddress(40) as string as Blockhash, lastValidBlockHeight: 1n },
        made,
      ),
    (made) => (version === 1 ? setTransactionMessageConfig(kitConfig(config), made as never) : made),
    (made) => appendTransactionMessageInstructions([cosigned, ...planned], made as never),
  );
  const compiled = compileTransaction(message as Parameters<typeof compileTransaction>[0]);
  const signed = await signTransaction(
    own.map(({ keyPair }) => keyPair),
    compiled as never,
  );
  return new Uint8Array(getTransactionEncoder().encode(signed as never));
}

function kitConfig({ priorityFee, ...limits }: TransactionPlan['config']) {
  const { computeUnitLimit, loadedAccountsDataSizeLimit, heapSize } = limits;
  return {
    ...(priorityFee !== undefined && { priorityFeeLamports: priorityFee }),
    ...(computeUnitLimit !== undefined && { computeUnitLimit }),
    ...(loadedAccountsDataSizeLimit !== undefined && { loadedAccountsDataSizeLimit }),
    ...(heapSize !== undefined && { heapSize }),
  };
}

/** Reads a transaction with kit, in the form of our own decoder. Throws the errors of kit. */
export function readByKit(wire: Uint8Array): Omit<DecodedTransaction, 'wire'> {
  const { messageBytes, signatures } = getTransactionDecoder().decode(wire);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { header } = message;
  const common = {
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    staticKeys: message.staticAccounts,
    recentBlockhash: message.lifetimeToken,
  };
  return {
    signatures: Object.values(signatures).map(signatureText),
    messageBytes: new Uint8Array(messageBytes),
    message:
      message.version === 1
        ? { version: 1, ...common, ...version1Parts(message) }
        : {
            version: message.version,
            ...common,
            instructions: message.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
              programIdIndex: programAddressIndex,
              accounts: [...(accountIndices ?? [])],
              data: new Uint8Array(data ?? []),
            })),
            lookups:
              'addressTableLookups' in message
                ? (message.addressTableLookups ?? []).map((lookup) => ({
                    accountKey: lookup.lookupTableAddress,
                    writableIndexes: [...lookup.writableIndexes],
                    readonlyIndexes: [...lookup.readonlyIndexes],
                  }))
                : [],
          },
  };
}

type CompiledMessage = ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>;

function version1Parts(message: Extract<CompiledMessage, { readonly version: 1 }>) {
  const { configMask: mask, configValues, instructionHeaders, instructionPayloads } = message;
  const values = configValues.map(({ value }) => value);
  const next = (bits: number) => ((mask & bits) === 0 ? null : (values.shift() ?? null));
  const config = {
    priorityFee: next(0b11) as bigint | null,
    computeUnitLimit: next(0b100) as number | null,
    loadedAccountsDataSizeLimit: next(0b1000) as number | null,
    heapSize: next(0b10000) as number | null,
  };
  const instructions = instructionHeaders.map(({ programAccountIndex }, index) => ({
    programIdIndex: programAccountIndex,
    accounts: [...(instructionPayloads[index]?.instructionAccountIndices ?? [])],
    data: new Uint8Array(instructionPayloads[index]?.instructionData ?? []),
  }));
  return { instructions, lookups: [], config };
}

/** kit has null for a signature of zeros. */
function signatureText(signature: SignatureBytes | null): string {
  return getBase58Decoder().decode(signature ?? new Uint8Array(64));
}
