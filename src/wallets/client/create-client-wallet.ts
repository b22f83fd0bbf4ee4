import type { PrintedAnswer } from '../../../generated/wallets/handlers.ts';
import { type DerivationIndexes, parseDerivationPath } from '../../keys/derivation-path.ts';
import { assertAffordable } from '../charging/assert-affordable.ts';
import { bodyInvalid } from '../body-invalid.ts';
import type { CreateWalletBody } from '../create-requests.ts';
import type { WalletContext } from '../wallet-context.ts';
import { chargeMade } from './charge-made.ts';

const WORK = { operation: 'wallet_creation', units: 1 } as const;

/** Makes a wallet whose secrets exist only in the answer. */
export async function createClientWallet(
  context: WalletContext,
  { mnemonic_words: mnemonicWords, passphrase, derivation_path, label }: CreateWalletBody,
): Promise<PrintedAnswer> {
  const { keys, signal, clock, claim } = context;
  const path = derivation_path === undefined ? undefined : readPath(derivation_path);
  const quote = claim.replacement === undefined ? await assertAffordable(context, WORK) : undefined;
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
