import type { PrintedAnswer } from '../../../runtime/rest-operation.ts';
import { type DerivationIndexes, parseDerivationPath } from '../../core/keys/derivation-path.ts';
import { assertSufficientBalance } from '../charging/assert-affordable.ts';
import { type CreateWalletBody, bodyInvalid } from '../create-requests.ts';
import type { WalletContext } from '../wallet-context.ts';
import type { Quote } from '../../account/billing/books/money.ts';
import { settle } from '../charging/settle.ts';

const WORK = { operation: 'wallet_creation', units: 1 } as const;

/** Creates a wallet whose secrets exist only in the answer. */
export async function createClientWallet(
  context: WalletContext,
  { mnemonic_words: mnemonicWords, passphrase, derivation_path, label }: CreateWalletBody,
): Promise<PrintedAnswer> {
  const { keys, signal, clock, claim } = context;
  const path = derivation_path === undefined ? undefined : readPath(derivation_path);
  const quote = claim.replacement === undefined ? await assertSufficientBalance(context, WORK) : undefined;
  const createdAt = new Date(clock.nowMs());
  const { record } = await keys.single({ mnemonicWords, passphrase, path, createdAt }, signal);
  if (quote !== undefined) await chargeMade(context, quote, record);
  if (label === undefined) return { kind: 'printed', bytes: record };
  const bytes = withLabel(record, label);
  keys.engine.wipe(record);
  return { kind: 'printed', bytes };
}

/** Parses m/44'/501'/x'/y'. @throws ServiceError `bodyInvalid` with the reason. */
function readPath(text: string): DerivationIndexes {
  const parsed = parseDerivationPath(text);
  if (parsed.kind === 'refused') throw bodyInvalid('/derivation_path', parsed.reason);
  return parsed;
}

/** Returns the record, which is a JSON object, with one more member. */
function withLabel(record: Buffer, label: string): Buffer {
  const end = Buffer.from(`,"label":${JSON.stringify(label)}}`);
  return Buffer.concat([record.subarray(0, -1), end]);
}

/**
 * Charges for finished client wallets, all of them and before any is sent. On failure they are not handed out: their bytes are wiped, and
 * nothing is charged unless only PostgreSQL's answer was lost.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, if the money was spent elsewhere in the meantime.
 */
export async function chargeMade(context: WalletContext, quote: Quote, bytes: Uint8Array): Promise<void> {
  const facts = [{ action: 'create', outcome: 'ok', units: quote.units }];
  try {
    await settle(context, { quotes: [quote], facts, answer: { charged: quote.units } });
  } catch (error) {
    context.keys.engine.wipe(bytes);
    throw error;
  }
}
