import { encodeBase64 } from '../../bytes/base64.ts';
import type { ByteReader } from '../../bytes/byte-reader.ts';

/** Sizes in bytes: an ElGamal key, an ElGamal ciphertext, an authenticated ciphertext. */
const KEY = 32;
const CIPHERTEXT = 64;
const DECRYPTABLE = 36;

// The confidential extensions of Token-2022: bytes in, the node's members out. Keys and ciphertexts are base-64 text; a reader rejects
// bytes that end early.

/** In a mint: the authority that approves accounts for confidential transfers, and the auditor. */
export function readConfidentialMint(reader: ByteReader) {
  return {
    authority: reader.nonZeroAddress(),
    autoApproveNewAccounts: reader.u8() !== 0,
    auditorElgamalPubkey: optionalKey(reader),
  };
}

/** In a token account: its encrypted balances, and the kinds of credit that it accepts. */
export function readConfidentialAccount(reader: ByteReader) {
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
export function readConfidentialFeeConfig(reader: ByteReader) {
  return {
    authority: reader.nonZeroAddress(),
    withdrawWithheldAuthorityElgamalPubkey: optionalKey(reader),
    harvestToMintEnabled: reader.u8() !== 0,
    withheldAmount: base64(reader, CIPHERTEXT),
  };
}

/** In a token account: the withheld transfer fees. */
export function readConfidentialFeeAmount(reader: ByteReader) {
  return { withheldAmount: base64(reader, CIPHERTEXT) };
}

/** In a mint that mints and burns confidentially: its encrypted supply. */
export function readConfidentialMintBurn(reader: ByteReader) {
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
