import { type ByteReader, decodeBytes } from '../bytes/byte-reader.ts';

/** Sizes in bytes of the base states of SPL Token; Token-2022 appends a type byte and extensions to the first two. */
export const TOKEN_ACCOUNT_SIZE = 165;
export const MINT_SIZE = 82;
export const MULTISIG_SIZE = 355;

/** The type byte after a base state with extensions. */
const MINT_TYPE = 1;
const ACCOUNT_TYPE = 2;
const MAX_SIGNERS = 11;

/** States of a token account, by number. */
export const TOKEN_ACCOUNT_STATES = ['uninitialized', 'initialized', 'frozen'] as const;

export type TokenAccountState = {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly delegate: string | null;
  readonly state: (typeof TOKEN_ACCOUNT_STATES)[number];
  /** Lamports kept for rent in an account that wraps lamports; null in any other. */
  readonly nativeReserve: bigint | null;
  readonly delegatedAmount: bigint;
  readonly closeAuthority: string | null;
  readonly extensions: readonly TokenExtensionEntry[];
};

export type MintState = {
  readonly mintAuthority: string | null;
  readonly supply: bigint;
  readonly decimals: number;
  readonly freezeAuthority: string | null;
  readonly extensions: readonly TokenExtensionEntry[];
};

export type MultisigState = {
  readonly requiredSigners: number;
  readonly validSigners: number;
  /** The signers that are set, at most 11. */
  readonly signers: readonly string[];
};

/** Parses a token account (SPL Token or Token-2022); undefined if the data is not one or it is uninitialized. */
export function readTokenAccount(data: Uint8Array): TokenAccountState | undefined {
  if (data.length === MULTISIG_SIZE) return undefined;
  return decodeBytes(data, (reader) => {
    const base = {
      mint: reader.address(),
      owner: reader.address(),
      amount: reader.u64(),
      delegate: optionalAddress(reader),
      state: reader.oneOf(reader.u8(), TOKEN_ACCOUNT_STATES),
      nativeReserve: optionalU64(reader),
      delegatedAmount: reader.u64(),
      closeAuthority: optionalAddress(reader),
    };
    if (base.state === 'uninitialized') reader.reject();
    return { ...base, extensions: readTail(reader, ACCOUNT_TYPE, 0) };
  });
}

/** Parses an initialized mint (SPL Token or Token-2022), or returns undefined. */
export function readMint(data: Uint8Array): MintState | undefined {
  if (data.length === MULTISIG_SIZE) return undefined;
  return decodeBytes(data, (reader) => {
    const mintAuthority = optionalAddress(reader);
    const supply = reader.u64();
    const decimals = reader.u8();
    if (!reader.bool()) reader.reject();
    const freezeAuthority = optionalAddress(reader);
    const extensions = readTail(reader, MINT_TYPE, TOKEN_ACCOUNT_SIZE - MINT_SIZE);
    return { mintAuthority, supply, decimals, freezeAuthority, extensions };
  });
}

/** Parses an initialized multisignature authority, or returns undefined. */
export function readMultisig(data: Uint8Array): MultisigState | undefined {
  if (data.length !== MULTISIG_SIZE) return undefined;
  return decodeBytes(data, (reader) => {
    const requiredSigners = reader.u8();
    const validSigners = reader.u8();
    if (!reader.bool()) reader.reject();
    const slots = reader.list(MAX_SIGNERS, () => reader.nonZeroAddress());
    return { requiredSigners, validSigners, signers: slots.filter((signer) => signer !== null) };
  });
}

/** Reads padding, type byte and extensions after a base state; all absent in a plain SPL Token account. */
function readTail(reader: ByteReader, type: number, padding: number): readonly TokenExtensionEntry[] {
  if (reader.left === 0) return [];
  if (reader.bytes(padding).some((byte) => byte !== 0)) reader.reject();
  if (reader.u8() !== type) reader.reject();
  return readExtensions(reader);
}

function optionalAddress(reader: ByteReader): string | null {
  const present = isPresent(reader);
  const address = reader.address();
  return present ? address : null;
}

function optionalU64(reader: ByteReader): bigint | null {
  const present = isPresent(reader);
  const value = reader.u64();
  return present ? value : null;
}

/** Reads the four-byte presence tag of the program's fixed layout; the value's bytes are there either way. */
function isPresent(reader: ByteReader): boolean {
  return reader.oneOf(reader.u32(), [false, true]);
}

/** Number of each Token-2022 extension type (interface of the program, `ExtensionType`), in order and without gaps. */
export const EXTENSION = {
  transferFeeConfig: 1,
  transferFeeAmount: 2,
  mintCloseAuthority: 3,
  confidentialTransferMint: 4,
  confidentialTransferAccount: 5,
  defaultAccountState: 6,
  immutableOwner: 7,
  memoTransfer: 8,
  nonTransferable: 9,
  interestBearingConfig: 10,
  cpiGuard: 11,
  permanentDelegate: 12,
  nonTransferableAccount: 13,
  transferHook: 14,
  transferHookAccount: 15,
  confidentialTransferFeeConfig: 16,
  confidentialTransferFeeAmount: 17,
  metadataPointer: 18,
  tokenMetadata: 19,
  groupPointer: 20,
  tokenGroup: 21,
  groupMemberPointer: 22,
  tokenGroupMember: 23,
  confidentialMintBurn: 24,
  scaledUiAmount: 25,
  pausable: 26,
  pausableAccount: 27,
  permissionedBurn: 28,
} as const;

/** Name of each extension type as instructions list them, by number; 0 stands for an unused entry. */
export const EXTENSION_TYPE_NAMES: readonly string[] = ['uninitialized', ...Object.keys(EXTENSION)];

/** One entry of the list of extensions after a token account or mint. */
export type TokenExtensionEntry = { readonly type: number; readonly value: Uint8Array };

/**
 * Reads the type-length-value list up to its end or its first unused entry. A damaged list counts as empty, as on nodes: the account itself
 * is valid.
 */
function readExtensions(reader: ByteReader): readonly TokenExtensionEntry[] {
  const entries: TokenExtensionEntry[] = [];
  while (reader.left >= 2) {
    const type = reader.u16();
    if (type === 0) return entries;
    if (reader.left < 2) return [];
    const length = reader.u16();
    if (length > reader.left) return [];
    entries.push({ type, value: reader.bytes(length) });
  }
  return entries;
}
