import type { PrintedAnswer } from '../../../generated/wallets/handlers.ts';
import { type DerivationIndexes, parseDerivationPath } from '../../keys/derivation-path.ts';
import { assertAffordable } from '../assert-affordable.ts';
import { audit } from '../audit.ts';
import { bodyInvalid } from '../body-invalid.ts';
import type { CreateWalletBody } from '../operations/createWallet.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

const WORK = { operation: 'wallet_creation', units: 1 } as const;

/** Makes a wallet whose secrets are in the answer, and nowhere else when that has left. */
export async function createClientWallet(
  context: WalletContext,
  { mnemonic_words: mnemonicWords, passphrase, derivation_path, label }: CreateWalletBody,
): Promise<PrintedAnswer> {
  const { keys, signal, clock, money, caller, claim } = context;
  const path = derivation_path === undefined ? undefined : readPath(derivation_path);
  await assertAffordable(context, WORK);
  const createdAt = new Date(clock.nowMs());
  const { record } = await keys.single({ mnemonicWords, passphrase, path, createdAt }, signal);
  try {
    await transact(context, async (tx) => {
      await claim.finish(tx, undefined);
      await money.chargeNow(tx, { ...WORK, accountId: caller.accountId, nowMs: clock.nowMs() });
      await audit(tx, context, [{ action: 'create', outcome: 'ok' }]);
    });
  } catch (error) {
    keys.engine.wipe(record);
    throw error;
  }
  if (label === undefined) return { kind: 'printed', bytes: record };
  const bytes = withLabel(record, label);
  keys.engine.wipe(record);
  return { kind: 'printed', bytes };
}

/** Reads m/44'/501'/x'/y'. @throws ServiceError `bodyInvalid` with the reason. */
function readPath(text: string): DerivationIndexes {
  const parsed = parseDerivationPath(text);
  if (parsed.kind === 'refused') throw bodyInvalid('/derivation_path', parsed.reason);
  return parsed;
}

/** The record, which is a JSON object, with one more member. */
function withLabel(record: Buffer, label: string): Buffer {
  const end = Buffer.from(`,"label":${JSON.stringify(label)}}`);
  return Buffer.concat([record.subarray(0, -1), end]);
}
