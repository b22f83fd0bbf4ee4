import type { PrintedAnswer, StreamAnswer } from '../../../runtime/rest-operation.ts';
import { isMnemonic, readMnemonic } from '../../core/keys/mnemonic.ts';
import type { HdJob, KeyChunk, KeyChunks } from '../../core/keys/pool.ts';
import { serviceError } from '../../core/service-error.ts';
import type { TreeRequest } from '../create-requests.ts';
import type { WalletContext } from '../wallet-context.ts';
import { assertSufficientBalance } from '../charging/assert-affordable.ts';
import { beginCharged } from './begin-charged.ts';
import { chargeMade } from './create-client-wallet.ts';

const NEW_WORDS = 24;

/**
 * Creates a master from a new or a given mnemonic, and its children, and stores none of them.
 *
 * @throws ServiceError `mnemonicInvalid`, `balanceInsufficient`, `creditLimitReached`.
 */
export async function createClientHd(
  context: WalletContext,
  wanted: TreeRequest,
): Promise<PrintedAnswer | StreamAnswer> {
  const { keys, signal, clock, claim } = context;
  const { accounts, change, form, children: asked, mnemonic } = wanted;
  if (mnemonic !== undefined && !isMnemonic(mnemonic)) {
    throw serviceError('mnemonicInvalid', { reason: reasonOf(mnemonic) });
  }
  const children = claim.replacement?.charged ?? asked;
  // A tree with a given mnemonic resumes where it stopped; a new mnemonic makes another tree, which is sent whole.
  const skip = mnemonic === undefined || form === 'json' ? 0 : (claim.replacement?.received ?? 0);
  const work = { operation: 'hd_child_derivation', units: asked } as const;
  const make = () => {
    const source = sourceOf(wanted);
    const createdAt = new Date(clock.nowMs());
    const job: HdJob = { source, accounts, change, format: form, createdAt, part: { skip, children } };
    return wiping(source, keys.hd(job, signal));
  };
  if (form === 'json') {
    const quote = claim.replacement === undefined ? await assertSufficientBalance(context, work) : undefined;
    const bytes = await joined(context, make());
    if (quote !== undefined) await chargeMade(context, quote, bytes);
    return { kind: 'printed', bytes };
  }
  const chunks = await beginCharged(context, work, make);
  return { kind: 'stream', form, count: children + 1 - skip, chunks };
}

/** Returns the whole of a bounded tree; its chunks are wiped as they are read. */
async function joined({ keys }: WalletContext, chunks: AsyncIterable<KeyChunk>): Promise<Buffer> {
  const parts: KeyChunk[] = [];
  try {
    for await (const part of chunks) parts.push(part);
    return Buffer.concat(parts.map(({ bytes }) => bytes));
  } finally {
    for (const part of parts) keys.drop(part);
  }
}

/** The pool copies the words when the stream begins; they are wiped here when it ends. */
async function* wiping(source: HdJob['source'], chunks: AsyncIterable<KeyChunk>): KeyChunks {
  try {
    yield* chunks;
  } finally {
    if (source.kind === 'mnemonic') source.mnemonic.fill(0);
  }
}

function sourceOf({ mnemonic, mnemonic_words: words = NEW_WORDS, passphrase }: TreeRequest): HdJob['source'] {
  const bytes = mnemonic === undefined ? undefined : readMnemonic(mnemonic);
  if (bytes === undefined) return { kind: 'new', words, passphrase };
  return { kind: 'mnemonic', mnemonic: bytes, passphrase };
}

/** Returns the reason why a text is not a mnemonic, without repeating the words. */
function reasonOf(text: string): string {
  const { length } = text.trim().split(/\s+/);
  return length === 12 || length === 24
    ? 'a word is not in the English BIP39 list, or the checksum is wrong'
    : `it has ${length} words; expected 12 or 24`;
}
