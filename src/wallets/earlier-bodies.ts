/** What tells how many words a new mnemonic has where the body does not. */
const DEFAULT_WORDS = 24;

/**
 * The bodies of the requests that a request may be the repetition of: its own and, where it has a `mnemonic`, those of a new mnemonic of as
 * many words. The tree that such a request began goes on with the words of its first line.
 */
export function earlierBodies(body: object | undefined): readonly unknown[] {
  if (body === undefined || !('mnemonic' in body) || typeof body.mnemonic !== 'string') return [body];
  const { mnemonic, ...others } = body;
  const mnemonic_words = mnemonic.trim().split(/\s+/).length;
  const worded = { ...others, mnemonic_words };
  return mnemonic_words === DEFAULT_WORDS ? [body, worded, others] : [body, worded];
}
