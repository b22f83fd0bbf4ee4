import { createHmac, randomBytes } from 'node:crypto';
import { and, count, eq, isNull } from '../../store/drizzle.ts';
import { backupCodes } from '../../store/member-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { InstallationKey } from '../installation-key.ts';
import { plainCode } from '../two-factor/totp.ts';
import type { MemberDeps } from './member-deps.ts';

type CodeDeps = Pick<MemberDeps, 'store' | 'installationKey'>;

const CODES = 10;
/** Crockford's base-32: no letter is taken for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 50 bits; too few for a bare hash, so that what is stored is keyed. */
const DIGITS = 10;
const CODE = /^[0-9A-HJKMNP-TV-Z]{10}$/;

/** Replaces the backup codes of a login. @returns them; they are stored nowhere. */
export async function replaceBackupCodes(
  tx: StoreTransaction,
  installationKey: InstallationKey,
  userId: string,
): Promise<readonly string[]> {
  const codes = Array.from({ length: CODES }, createCode);
  await tx.delete(backupCodes).where(eq(backupCodes.userId, userId));
  await tx
    .insert(backupCodes)
    .values(codes.map((code) => ({ userId, digest: digestCode(installationKey, userId, code) })));
  return codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`);
}

/** Uses a backup code up. @returns true if the login has it and it was not used before. */
export async function useBackupCode(
  { store, installationKey }: CodeDeps,
  { userId, code, nowMs }: { readonly userId: string; readonly code: string; readonly nowMs: number },
): Promise<boolean> {
  const plain = plainCode(code).toUpperCase();
  if (!CODE.test(plain)) return false;
  const { userId: owner, digest, usedAt } = backupCodes;
  const isSame = eq(digest, digestCode(installationKey, userId, plain));
  const used = await store.db
    .update(backupCodes)
    .set({ usedAt: new Date(nowMs) })
    .where(and(eq(owner, userId), isSame, isNull(usedAt)))
    .returning({ userId: owner });
  return used.length === 1;
}

/** The number of backup codes that a login has left. */
export async function countBackupCodes({ store }: CodeDeps, userId: string): Promise<number> {
  const [row] = await store.db
    .select({ left: count() })
    .from(backupCodes)
    .where(and(eq(backupCodes.userId, userId), isNull(backupCodes.usedAt)));
  return row?.left ?? 0;
}

function createCode(): string {
  return Array.from(randomBytes(DIGITS), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

function digestCode(installationKey: InstallationKey, userId: string, code: string): Uint8Array {
  const mark = JSON.stringify([userId, code]);
  return createHmac('sha256', installationKey.derive('backup codes')).update(mark).digest();
}
