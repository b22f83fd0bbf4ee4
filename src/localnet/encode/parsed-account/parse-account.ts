import type { ParsedAccount } from '../../../../generated/ledger/types.ts';
import type { Account } from '../../model.ts';
import * as programs from '../../addresses/program-ids.ts';
import { byName } from '../by-name.ts';
import { parseConfig } from './config.ts';
import type { ParsedState, JsonValue } from './parsed-state.ts';
import { parseStake } from './stake.ts';
import { parseSysvar } from './sysvar.ts';
import { parseVote } from './vote.ts';
import { decodeBytes, type ByteReader } from '../../bytes/byte-reader.ts';
import { encodeBase64 } from '../../bytes/base58.ts';
import { mintAmount } from '../token-amount.ts';
import {
  type MintState,
  type MultisigState,
  readMint,
  readMultisig,
  readTokenAccount,
  type TokenAccountState,
  EXTENSION,
  type TokenExtensionEntry,
  TOKEN_ACCOUNT_STATES,
} from '../token-layout.ts';
import { shortestText } from '../float-text.ts';

/** Sizes in bytes: an ElGamal key, an ElGamal ciphertext, an authenticated ciphertext. */
const KEY = 32;
const CIPHERTEXT = 64;
const DECRYPTABLE = 36;

// The confidential extensions of Token-2022: bytes in, the node's members out. Keys and ciphertexts are base-64 text; a reader rejects
// bytes that end early.

/** In a mint: the authority that approves accounts for confidential transfers, and the auditor. */
function readConfidentialMint(reader: ByteReader) {
  return {
    authority: reader.nonZeroAddress(),
    autoApproveNewAccounts: reader.u8() !== 0,
    auditorElgamalPubkey: optionalKey(reader),
  };
}

/** In a token account: its encrypted balances, and the kinds of credit that it accepts. */
function readConfidentialAccount(reader: ByteReader) {
  return {
    approved: reader.u8() !== 0,
    elgamalPubkey: base64(reader, KEY),
    pendingBalanceLo: base64(reader, CIPHERTEXT),
    pendingBalanceHi: base64(reader, CIPHERTEXT),
    availableBalance: base64(reader, CIPHERTEXT),
    decryptableAvailableBalance: base64(reader, DECRYPTABLE),
    allowConfidentialCredits: reader.u8() !== 0,
    allowNonConfidentialCredits: reader.u8() !== 0,
    pendingBalanceCreditCounter: reader.u64(),
    maximumPendingBalanceCreditCounter: reader.u64(),
    expectedPendingBalanceCreditCounter: reader.u64(),
    actualPendingBalanceCreditCounter: reader.u64(),
  };
}

/** In a mint: the authority that withdraws withheld transfer fees, and the fees harvested so far. */
function readConfidentialFeeConfig(reader: ByteReader) {
  return {
    authority: reader.nonZeroAddress(),
    withdrawWithheldAuthorityElgamalPubkey: optionalKey(reader),
    harvestToMintEnabled: reader.u8() !== 0,
    withheldAmount: base64(reader, CIPHERTEXT),
  };
}

/** In a token account: the withheld transfer fees. */
function readConfidentialFeeAmount(reader: ByteReader) {
  return { withheldAmount: base64(reader, CIPHERTEXT) };
}

/** In a mint that mints and burns confidentially: its encrypted supply. */
function readConfidentialMintBurn(reader: ByteReader) {
  return {
    confidentialSupply: base64(reader, CIPHERTEXT),
    decryptableSupply: base64(reader, DECRYPTABLE),
    supplyElgamalPubkey: base64(reader, KEY),
    pendingBurn: base64(reader, CIPHERTEXT),
  };
}

function base64(reader: ByteReader, length: number): string {
  return encodeBase64(reader.bytes(length));
}

/** A key; all zeros mean none. */
function optionalKey(reader: ByteReader): string | null {
  const key = reader.bytes(KEY);
  return key.every((byte) => byte === 0) ? null : encodeBase64(key);
}

/** An extension of a token account or mint in parsed form. */
type ParsedExtension = { readonly extension: string; readonly state?: JsonValue };

/** Parses one extension; an unknown one, or one of the wrong size, is named `unparseableExtension`. */
export function parseExtension(entry: TokenExtensionEntry): ParsedExtension {
  const form = FORMS.get(entry.type);
  if (form === undefined) return { extension: 'unparseableExtension' };
  const [extension, read] = form;
  if (read === undefined) return { extension };
  const state = decodeBytes(entry.value, read);
  return state === undefined ? { extension: 'unparseableExtension' } : { extension, state };
}

type Read = (reader: ByteReader) => JsonValue;

const FORMS: ReadonlyMap<number, readonly [name: string, read?: Read]> = new Map<
  number,
  readonly [string, Read?]
>([
  [EXTENSION.transferFeeConfig, ['transferFeeConfig', sized(readTransferFeeConfig)]],
  [EXTENSION.transferFeeAmount, ['transferFeeAmount', sized((r) => ({ withheldAmount: r.u64() }))]],
  [
    EXTENSION.mintCloseAuthority,
    ['mintCloseAuthority', sized((r) => ({ closeAuthority: r.nonZeroAddress() }))],
  ],
  [EXTENSION.confidentialTransferMint, ['confidentialTransferMint', sized(readConfidentialMint)]],
  [EXTENSION.confidentialTransferAccount, ['confidentialTransferAccount', sized(readConfidentialAccount)]],
  [EXTENSION.defaultAccountState, ['defaultAccountState', sized(readDefaultAccountState)]],
  [EXTENSION.immutableOwner, ['immutableOwner']],
  [EXTENSION.memoTransfer, ['memoTransfer', sized((r) => ({ requireIncomingTransferMemos: flag(r) }))]],
  [EXTENSION.nonTransferable, ['nonTransferable']],
  [EXTENSION.interestBearingConfig, ['interestBearingConfig', sized(readInterestBearingConfig)]],
  [EXTENSION.cpiGuard, ['cpiGuard', sized((r) => ({ lockCpi: flag(r) }))]],
  [EXTENSION.permanentDelegate, ['permanentDelegate', sized((r) => ({ delegate: r.nonZeroAddress() }))]],
  [EXTENSION.nonTransferableAccount, ['nonTransferableAccount']],
  [EXTENSION.transferHook, ['transferHook', sized(readPair('authority', 'programId'))]],
  [EXTENSION.transferHookAccount, ['transferHookAccount', sized((r) => ({ transferring: flag(r) }))]],
  [
    EXTENSION.confidentialTransferFeeConfig,
    ['confidentialTransferFeeConfig', sized(readConfidentialFeeConfig)],
  ],
  [
    EXTENSION.confidentialTransferFeeAmount,
    ['confidentialTransferFeeAmount', sized(readConfidentialFeeAmount)],
  ],
  [EXTENSION.metadataPointer, ['metadataPointer', sized(readPair('authority', 'metadataAddress'))]],
  [EXTENSION.tokenMetadata, ['tokenMetadata', readTokenMetadata]],
  [EXTENSION.groupPointer, ['groupPointer', sized(readPair('authority', 'groupAddress'))]],
  [EXTENSION.tokenGroup, ['tokenGroup', sized(readTokenGroup)]],
  [EXTENSION.groupMemberPointer, ['groupMemberPointer', sized(readPair('authority', 'memberAddress'))]],
  [EXTENSION.tokenGroupMember, ['tokenGroupMember', sized(readTokenGroupMember)]],
  [EXTENSION.confidentialMintBurn, ['confidentialMintBurn', sized(readConfidentialMintBurn)]],
  [EXTENSION.scaledUiAmount, ['scaledUiAmountConfig', sized(readScaledUiAmountConfig)]],
  [
    EXTENSION.pausable,
    ['pausableConfig', sized((r) => ({ authority: r.nonZeroAddress(), paused: flag(r) }))],
  ],
  [EXTENSION.pausableAccount, ['pausableAccount']],
]);

/** Requires the state to fill its entry. */
function sized(read: Read): Read {
  return (reader) => {
    const state = read(reader);
    reader.end();
    return state;
  };
}

/** Reads a byte that is true unless zero. */
function flag(reader: ByteReader): boolean {
  return reader.u8() !== 0;
}

function readPair(first: string, second: string): Read {
  return (reader) => ({ [first]: reader.nonZeroAddress(), [second]: reader.nonZeroAddress() });
}

function readTransferFeeConfig(reader: ByteReader) {
  const readFee = () => ({
    epoch: reader.u64(),
    maximumFee: reader.u64(),
    transferFeeBasisPoints: reader.u16(),
  });
  return {
    transferFeeConfigAuthority: reader.nonZeroAddress(),
    withdrawWithheldAuthority: reader.nonZeroAddress(),
    withheldAmount: reader.u64(),
    olderTransferFee: readFee(),
    newerTransferFee: readFee(),
  };
}

function readDefaultAccountState(reader: ByteReader) {
  return { accountState: TOKEN_ACCOUNT_STATES[reader.u8()] ?? 'uninitialized' };
}

function readInterestBearingConfig(reader: ByteReader) {
  return {
    rateAuthority: reader.nonZeroAddress(),
    initializationTimestamp: reader.i64(),
    preUpdateAverageRate: reader.i16(),
    lastUpdateTimestamp: reader.i64(),
    currentRate: reader.i16(),
  };
}

function readTokenMetadata(reader: ByteReader) {
  const readPairOfTexts = (): [string, string] => [reader.shortText(), reader.shortText()];
  return {
    updateAuthority: reader.nonZeroAddress(),
    mint: reader.address(),
    name: reader.shortText(),
    symbol: reader.shortText(),
    uri: reader.shortText(),
    additionalMetadata: reader.list(reader.u32(), readPairOfTexts),
  };
}

function readTokenGroup(reader: ByteReader) {
  return {
    updateAuthority: reader.nonZeroAddress(),
    mint: reader.address(),
    size: reader.u64(),
    maxSize: reader.u64(),
  };
}

function readTokenGroupMember(reader: ByteReader) {
  return { mint: reader.address(), group: reader.address(), memberNumber: reader.u64() };
}

function readScaledUiAmountConfig(reader: ByteReader) {
  return {
    authority: reader.nonZeroAddress(),
    multiplier: shortestText(reader.f64()),
    newMultiplierEffectiveTimestamp: reader.i64(),
    newMultiplier: shortestText(reader.f64()),
  };
}

/** Addresses start here, with or without an authority. */
const META_SIZE = 56;
const LOOKUP_TABLE = 1;

/** An address lookup table; all integers of 64 bits become text. */
function parseLookupTable(data: Uint8Array): ParsedState | undefined {
  const meta = decodeBytes(data, readMeta);
  if (meta === undefined) return undefined;
  if (meta === 'uninitialized') return { type: meta };
  if (data.length < META_SIZE) return undefined;
  const addresses = decodeBytes(data.subarray(META_SIZE), readAddresses);
  return addresses && { type: 'lookupTable', info: { ...meta, addresses } };
}

function readMeta(reader: ByteReader) {
  const type = reader.u32();
  if (type === 0) return 'uninitialized';
  if (type !== LOOKUP_TABLE) reader.reject();
  const deactivationSlot = reader.u64().toString();
  const lastExtendedSlot = reader.u64().toString();
  const lastExtendedSlotStartIndex = reader.u8();
  const authority = reader.option(() => reader.address());
  const meta = { deactivationSlot, lastExtendedSlot, lastExtendedSlotStartIndex };
  return authority === null ? meta : { ...meta, authority };
}

function readAddresses(reader: ByteReader): string[] {
  if (reader.left % 32 !== 0) reader.reject();
  return reader.list(reader.left / 32, () => reader.address());
}

/** A program, its code, or a buffer with code to be deployed (loader-v3 state); code as a base-64 pair. */
function parseUpgradeableLoader(data: Uint8Array): ParsedState | undefined {
  return decodeBytes(data, (reader) => reader.oneOf(reader.u32(), STATES)(reader));
}

const STATES: readonly ((reader: ByteReader) => ParsedState)[] = [
  () => ({ type: 'uninitialized' }),
  (reader) => ({ type: 'buffer', info: { authority: readAuthority(reader), data: readCode(reader) } }),
  (reader) => ({ type: 'program', info: { programData: reader.address() } }),
  (reader) => ({
    type: 'programData',
    info: { slot: reader.u64(), authority: readAuthority(reader), data: readCode(reader) },
  }),
];

function readAuthority(reader: ByteReader): string | null {
  return reader.option(() => reader.address());
}

function readCode(reader: ByteReader): readonly [string, 'base64'] {
  return [encodeBase64(reader.rest()), 'base64'];
}

const VERSIONS = ['legacy', 'current'];
const INITIALIZED = 1;

/**
 * Parses the durable nonce in a system account. An account without one, even one of the right size, is not parsed: it may be meant for any
 * other program.
 */
function parseNonce(data: Uint8Array): ParsedState | undefined {
  return decodeBytes(data, (reader) => {
    reader.oneOf(reader.u32(), VERSIONS);
    if (reader.u32() !== INITIALIZED) reader.reject();
    const authority = reader.address();
    const blockhash = reader.address();
    const feeCalculator = { lamportsPerSignature: reader.u64().toString() };
    return { type: 'initialized', info: { authority, blockhash, feeCalculator } };
  });
}

type Parser = {
  readonly program: string;
  readonly parse: (data: Uint8Array, address: string, terms: MintTerms) => ParsedState | undefined;
};

/**
 * Parses the data of an account by its owner; undefined if nodes do not know the owner or cannot read the data. The shapes are those of
 * crate solana-account-decoder.
 */
export function parseAccount(address: string, account: Account, terms: MintTerms): ParsedAccount | undefined {
  const parser = PARSERS.get(account.owner);
  const parsed = parser?.parse(account.data, address, terms);
  if (parser === undefined || parsed === undefined) return undefined;
  return {
    program: parser.program,
    parsed: byName(parsed),
    space: BigInt(account.data.length),
  } as ParsedAccount;
}

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  [programs.SYSTEM_PROGRAM, { program: 'nonce', parse: parseNonce }],
  [programs.TOKEN_PROGRAM, { program: 'spl-token', parse: (data, _, terms) => parseToken(data, terms) }],
  [
    programs.TOKEN_2022_PROGRAM,
    { program: 'spl-token-2022', parse: (data, _, terms) => parseToken(data, terms) },
  ],
  [programs.ADDRESS_LOOKUP_TABLE_PROGRAM, { program: 'address-lookup-table', parse: parseLookupTable }],
  [programs.UPGRADEABLE_LOADER, { program: 'bpf-upgradeable-loader', parse: parseUpgradeableLoader }],
  [programs.STAKE_PROGRAM, { program: 'stake', parse: parseStake }],
  [programs.VOTE_PROGRAM, { program: 'vote', parse: parseVote }],
  [programs.CONFIG_PROGRAM, { program: 'config', parse: parseConfig }],
  [programs.SYSVAR_OWNER, { program: 'sysvar', parse: (data, address) => parseSysvar(address, data) }],
]);

/** Inputs for the amounts of a token account: its mint, and the time for mints that bear interest or are scaled. */
export type MintTerms = {
  readonly mintOf: (mint: string) => Account | undefined;
  /** Unix time in seconds. */
  readonly nowSeconds: bigint;
};

/** A token account, mint or multisignature authority; a token account whose mint is missing is not parsed. */
function parseToken(data: Uint8Array, terms: MintTerms): ParsedState | undefined {
  const account = readTokenAccount(data);
  if (account !== undefined) return parseTokenAccount(account, terms);
  const mint = readMint(data);
  if (mint !== undefined) return { type: 'mint', info: mintInfo(mint) };
  const multisig = readMultisig(data);
  return multisig && { type: 'multisig', info: multisigInfo(multisig) };
}

function parseTokenAccount(account: TokenAccountState, terms: MintTerms): ParsedState | undefined {
  const mintData = terms.mintOf(account.mint)?.data;
  const mint = mintData && readMint(mintData);
  if (mint === undefined) return undefined;
  const amount = (units: bigint) => mintAmount(units, mint, terms.nowSeconds);
  const { delegate, closeAuthority, nativeReserve } = account;
  const info = {
    mint: account.mint,
    owner: account.owner,
    tokenAmount: amount(account.amount),
    ...(delegate !== null && { delegate, delegatedAmount: amount(account.delegatedAmount) }),
    state: account.state,
    isNative: nativeReserve !== null,
    ...(nativeReserve !== null && { rentExemptReserve: amount(nativeReserve) }),
    ...(closeAuthority !== null && { closeAuthority }),
    ...extensionsOf(account),
  };
  return { type: 'account', info };
}

function mintInfo(mint: MintState) {
  return {
    mintAuthority: mint.mintAuthority,
    supply: mint.supply.toString(),
    decimals: mint.decimals,
    isInitialized: true,
    freezeAuthority: mint.freezeAuthority,
    ...extensionsOf(mint),
  };
}

function multisigInfo(multisig: MultisigState) {
  return {
    numRequiredSigners: multisig.requiredSigners,
    numValidSigners: multisig.validSigners,
    isInitialized: true,
    signers: multisig.signers,
  };
}

function extensionsOf({ extensions }: TokenAccountState | MintState) {
  return extensions.length > 0 ? { extensions: extensions.map(parseExtension) } : {};
}
