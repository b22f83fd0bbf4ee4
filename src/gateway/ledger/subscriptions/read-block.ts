import { type AskedNode, readNodeValue } from './node-reads.ts';

/** The parts of a transaction in a block that subscriptions need. */
export type BlockTransaction = {
  readonly signature: string;
  readonly err: unknown;
  readonly logs: readonly string[];
  /** Every account that it names, those of lookup tables included. */
  readonly accounts: ReadonlySet<string>;
  /** The accounts that it may write. */
  readonly writable: readonly string[];
  readonly isVote: boolean;
};

type Instruction = { readonly programIdIndex: number };
type Message = {
  readonly accountKeys: readonly string[];
  readonly header: {
    readonly numRequiredSignatures: number;
    readonly numReadonlySignedAccounts: number;
    readonly numReadonlyUnsignedAccounts: number;
  };
  readonly instructions: readonly Instruction[];
};
type Loaded = { readonly writable: readonly string[]; readonly readonly: readonly string[] };
type Entry = {
  readonly version?: unknown;
  readonly transaction: { readonly signatures: readonly string[]; readonly message: Message };
  readonly meta: {
    readonly err: unknown;
    readonly logMessages?: readonly string[] | null;
    readonly loadedAddresses?: Loaded;
  } | null;
};

const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';
const NOTHING_LOADED: Loaded = { writable: [], readonly: [] };

/** Returns the transactions of a block, in order. Throws like `readNode`. */
export async function readBlock(
  node: AskedNode,
  slot: number,
  commitment: string,
): Promise<readonly BlockTransaction[]> {
  const config = {
    commitment,
    encoding: 'json',
    transactionDetails: 'full',
    rewards: false,
    maxSupportedTransactionVersion: 255,
  };
  const block = (await readNodeValue(node, 'getBlock', [slot, config])) as {
    transactions?: readonly Entry[];
  } | null;
  return (block?.transactions ?? []).map(toTransaction);
}

function toTransaction({ version, transaction: { signatures, message }, meta }: Entry): BlockTransaction {
  const loaded = meta?.loadedAddresses ?? NOTHING_LOADED;
  const { accountKeys, instructions } = message;
  const [only] = instructions;
  const isVote =
    instructions.length === 1 &&
    signatures.length <= 2 &&
    (version === undefined || version === 'legacy') &&
    only !== undefined &&
    accountKeys[only.programIdIndex] === VOTE_PROGRAM;
  return {
    signature: signatures[0] ?? '',
    err: meta?.err ?? null,
    logs: meta?.logMessages ?? [],
    accounts: new Set([...accountKeys, ...loaded.writable, ...loaded.readonly]),
    writable: [...writableKeys(message), ...loaded.writable],
    isVote,
  };
}

/** The header gives the number of read-only keys at the end of each group. */
function writableKeys({ accountKeys, header }: Message): readonly string[] {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header;
  const firstReadOnly = accountKeys.length - numReadonlyUnsignedAccounts;
  return accountKeys.filter((_, index) =>
    index < numRequiredSignatures
      ? index < numRequiredSignatures - numReadonlySignedAccounts
      : index < firstReadOnly,
  );
}
