/** Number of words of a new mnemonic if the body does not set it. */
const DEFAULT_WORDS = 24;

/**
 * Returns the bodies of the requests that a request may repeat: its own and, if it has a `mnemonic`, those of a new mnemonic with as many
 * words. A tree that such a request began is resumed with the words of its first line.
 */
export function earlierBodies(body: object | undefined): readonly unknown[] {
  if (body === undefined || !('mnemonic' in body) || typeof body.mnemonic !== 'string') return [body];
  const { mnemonic, ...others } = body;
  const mnemonic_words = mnemonic.trim().split(/\s+/).length;
  const worded = { ...others, mnemonic_words };
  return mnemonic_words === DEFAULT_WORDS ? [body, worded, others] : [body, worded];
}
