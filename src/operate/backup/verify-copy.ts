import { join } from 'node:path';
import { verifyAudit } from '../../account/audit/verify-audit.ts';
import { verifyBooks } from '../../account/billing/books/verify-books.ts';
import { isCopyWhole } from '../../account/signer-records/copies.ts';
import { readSigners } from '../../account/signer-records/known-signers.ts';
import { ServiceError } from '../../core/service-error.ts';
import { readIfThere } from '../../signer/files/write-durably.ts';
import { readPublicKey } from '../../signer/process/audit-key.ts';
import { FINGERPRINT_BYTES } from '../../signer/tombstones/fingerprint-set.ts';
import { readTombstoneFile } from '../../signer/tombstones/read-tombstone-file.ts';
import { addEntries, EMPTY_RECORD, isSameRecord } from '../../signer/tombstones/record-chain.ts';
import type { Store } from '../../store/open-store.ts';

/** A verified part, and the result. */
export type CopyCheck = {
  readonly name: 'audit log' | 'books' | 'destroyed keys';
  readonly ok: boolean;
  readonly detail: string;
};

export type VerifiedPlace = {
  readonly headsFile: string;
  /** The signer's files; undefined if this user cannot read them. */
  readonly signerDirectory: string | undefined;
};

/**
 * Verifies a copy of an installation that no process uses: the chains of the audit log with their signed heads, every balance of the
 * books, and the records of destroyed keys.
 */
export async function verifyCopy(store: Store, place: VerifiedPlace): Promise<readonly CopyCheck[]> {
  return [
    await checkAudit(store, place.headsFile),
    await checkBooks(store),
    await checkDestroyed(store, place.signerDirectory),
  ];
}

/** Heads count if the key that they name signed them. Comparing it with the published key is left to the reader. */
async function checkAudit(store: Store, headsFile: string): Promise<CopyCheck> {
  const verdict = await verifyAudit({ store, headsFile, trustedKeys: 'named' });
  const { isSound, accounts, damagedLines, signedBy } = verdict;
  const records = accounts.reduce((sum, account) => sum + account.records, 0);
  const problems = accounts.flatMap(({ accountId, problems: [first] }) =>
    first === undefined ? [] : [`${first.kind} at ${first.at} of account ${accountId}`],
  );
  const lines = damagedLines.map((line) => `line ${line} of the file of heads is damaged`);
  const detail = isSound
    ? `${records} records in ${accounts.length} chains, heads signed by ${signedBy.join(', ') || 'nobody yet'}`
    : [...problems, ...lines].join('; ');
  return { name: 'audit log', ok: isSound, detail };
}

async function checkBooks(store: Store): Promise<CopyCheck> {
  const { movements, unbalanced, wrongBalances } = await verifyBooks(store);
  const ok = unbalanced === 0 && wrongBalances === 0;
  const detail = ok
    ? `${movements} movements, each sums to zero, and every balance is the sum of its entries`
    : `${unbalanced} of ${movements} movements do not sum to zero; ${wrongBalances} balances are not the sum of their entries`;
  return { name: 'books', ok, detail };
}

async function checkDestroyed(store: Store, directory: string | undefined): Promise<CopyCheck> {
  const signers = await readSigners(store);
  const faults: string[] = [];
  for (const signer of signers)
    if (!(await isCopyWhole(store, signer)))
      faults.push(`the store lacks entries of the signer ${hex(signer.publicKey).slice(0, 16)}`);
  const own = directory === undefined ? undefined : await readOwnKey(directory);
  const known = signers.find(({ publicKey }) => own !== undefined && hex(publicKey) === hex(own));
  if (directory !== undefined && own !== undefined) {
    const fault = await faultOfRecord(join(directory, 'tombstones'), known ?? EMPTY_RECORD);
    if (fault !== undefined) faults.push(fault);
  }
  const count = signers.reduce((sum, signer) => sum + signer.count, 0);
  const detail =
    faults.length > 0 ? faults.join('; ') : `${count} destroyed keys of ${signers.length} signers`;
  return { name: 'destroyed keys', ok: faults.length === 0, detail };
}

/** Checks that the signer's own record contains all destroyed keys that the store knows. */
async function faultOfRecord(path: string, known: typeof EMPTY_RECORD): Promise<string | undefined> {
  try {
    const { fingerprints } = await readTombstoneFile({
      path,
      mayCreate: false,
      acceptsLoss: false,
      onCut: () => undefined,
    });
    const first = addEntries(EMPTY_RECORD, fingerprints.subarray(0, known.count * FINGERPRINT_BYTES));
    return isSameRecord(first, known)
      ? undefined
      : `the signer's record lacks destroyed keys that the store knows`;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

async function readOwnKey(directory: string): Promise<Uint8Array | undefined> {
  const path = join(directory, 'audit.key');
  const bytes = await readIfThere(path);
  return bytes === undefined ? undefined : readPublicKey(bytes, path);
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
