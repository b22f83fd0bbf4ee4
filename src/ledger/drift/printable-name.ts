import { isBase58 } from '../../../generated/runtime/base58.ts';

const MAX_CHARACTERS = 64;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$+-]*$/;
const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** What stands for a text that is no name. */
export const NO_NAME = '*';

/** A text of an answer, if it looks like a name; `*` if it is too long or looks like a value, such as an address. */
export function printableName(text: string): string {
  const isName = text.length <= MAX_CHARACTERS && IDENTIFIER.test(text);
  return !isName || isBase58(text, ADDRESS_BYTES) || isBase58(text, SIGNATURE_BYTES) ? NO_NAME : text;
}
