import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import { shortestText } from '../float-text.ts';
import { EXTENSION, type TokenExtensionEntry } from '../token-extensions.ts';
import { TOKEN_ACCOUNT_STATES } from '../token-layout.ts';
import {
  readConfidentialAccount,
  readConfidentialFeeAmount,
  readConfidentialFeeConfig,
  readConfidentialMint,
  readConfidentialMintBurn,
} from './confidential-extension.ts';
import type { JsonValue } from './parsed-state.ts';

/** An extension of a token account or mint in parsed form. */
export type ParsedExtension = { readonly extension: string; readonly state?: JsonValue };

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
