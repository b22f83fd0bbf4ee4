import { createBase58Encoder } from '../../../core/keys/base58.ts';
import type { MessageVersion, TransactionConfig } from '../../../core/wire/message.ts';
import { layoutOf, type TransactionLayout } from '../../../core/wire/transaction-layout.ts';
import { MalformedBytes } from '../../../core/wire/wire-reader.ts';

/** The fields of a wire transaction, except its instructions. */
export type WireTransaction = {
  readonly version: MessageVersion;
  /** Set for version 1 only. */
  readonly config: TransactionConfig | undefined;
  /** The first one, base-58. */
  readonly signature: string;
  /** Base-58, in the order of the message. */
  readonly accounts: readonly {
    readonly address: string;
    readonly isSigner: boolean;
    readonly isWritable: boolean;
  }[];
};

/** A transaction that is truncated or of an unknown form. */
export class UnreadableTransaction extends Error {
  override readonly name = 'UnreadableTransaction';
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Reads signature and accounts of a transaction of any version.
 *
 * @throws UnreadableTransaction.
 */
export function readWire(wire: Buffer): WireTransaction {
  const layout = readLayout(wire);
  const { version, config, signatureCount, signaturesAt } = layout;
  if (signatureCount === 0) throw new UnreadableTransaction('it has no signature');
  return {
    version,
    config,
    signature: encode(wire.subarray(signaturesAt, signaturesAt + SIGNATURE_BYTES)),
    accounts: readAccounts(wire, layout),
  };
}

function readLayout(wire: Buffer): TransactionLayout {
  try {
    const layout = layoutOf(wire);
    if (layout === undefined) throw new UnreadableTransaction('its version is unknown');
    return layout;
  } catch (error) {
    if (error instanceof MalformedBytes) throw new UnreadableTransaction(error.reason);
    throw error;
  }
}

/** The header gives the number of signers, and of read-only keys of each kind. */
function readAccounts(wire: Buffer, { headerAt, keyCount, keysAt }: TransactionLayout) {
  const [signers = 0, readonlySigners = 0, readonlyOthers = 0] = wire.subarray(headerAt, headerAt + 3);
  return Array.from({ length: keyCount }, (_, index) => {
    const isSigner = index < signers;
    const isWritable = index < (isSigner ? signers - readonlySigners : keyCount - readonlyOthers);
    const start = keysAt + index * KEY_BYTES;
    return { address: encode(wire.subarray(start, start + KEY_BYTES)), isSigner, isWritable };
  });
}

const KEY_ENCODER = createBase58Encoder(KEY_BYTES);
const SIGNATURE_ENCODER = createBase58Encoder(SIGNATURE_BYTES);
const DIGITS = Buffer.alloc(SIGNATURE_ENCODER.maxDigits);

function encode(bytes: Buffer): string {
  const encoder = bytes.length === KEY_BYTES ? KEY_ENCODER : SIGNATURE_ENCODER;
  return DIGITS.toString('latin1', 0, encoder.writeInto(DIGITS, 0, bytes));
}
