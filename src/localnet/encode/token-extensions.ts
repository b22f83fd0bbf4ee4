import type { ByteReader } from '../bytes/byte-reader.ts';

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
export function readExtensions(reader: ByteReader): readonly TokenExtensionEntry[] {
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
