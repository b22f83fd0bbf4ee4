import { base58 } from '@scure/base';
import type { WalletRequest } from '../../../generated/wallets/handlers.ts';
import { BYTE_LIMITS } from '../../../generated/wallets/operations.ts';
import { bodyInvalid } from '../create-requests.ts';

type Encoding = WalletRequest<'signWithWallet'>['body']['encoding'];

const { message: MAX_BYTES } = BYTE_LIMITS.signWithWallet;
const POINTER = '/message';
/** Decoding base-58 is quadratic in its length. */
const MAX_BASE58 = 4_096;

const READERS: Readonly<Record<Encoding, (text: string) => Uint8Array | undefined>> = {
  base64: (text) => readExactly(text, 'base64'),
  hex: (text) => readExactly(text.toLowerCase(), 'hex'),
  base58: (text) => {
    try {
      return base58.decode(text);
    } catch {
      return undefined;
    }
  },
  utf8: (text) => (text.isWellFormed() ? Buffer.from(text) : undefined),
};

/**
 * Decodes a message to its bytes: 1 to 16,384.
 *
 * @throws ServiceError `bodyInvalid` if the text does not match its encoding, or decodes to too many bytes.
 */
export function readMessage({
  message: text,
  encoding,
}: {
  readonly message: string;
  readonly encoding: Encoding;
}): Uint8Array {
  if (encoding === 'base58' && text.length > MAX_BASE58) {
    throw bodyInvalid(
      POINTER,
      `has ${text.length} characters of base58; expected at most ${MAX_BASE58}; use base64 for longer messages`,
    );
  }
  const bytes = READERS[encoding](text);
  if (bytes === undefined) throw bodyInvalid(POINTER, `is not ${encoding}`);
  if (bytes.length === 0) throw bodyInvalid(POINTER, 'decodes to 0 bytes; expected at least 1');
  if (bytes.length > MAX_BYTES) {
    throw bodyInvalid(POINTER, `decodes to ${bytes.length} bytes; expected at most ${MAX_BYTES}`);
  }
  return bytes;
}

/** Node decodes leniently: the text is valid only if its bytes encode to the same text again. */
function readExactly(text: string, encoding: 'base64' | 'hex'): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
