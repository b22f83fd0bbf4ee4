import type { AuditChange } from '../../../../runtime/audit-bytes.ts';
import { serviceError } from '../../../core/service-error.ts';
import { eq } from '../../../store/drizzle.ts';
import { apiKeys } from '../../../store/tables.ts';
import {
  assertEndsBefore,
  assertNotDevelopmentKey,
  type KeyDeps,
  type OwnApiKey,
  stateOfKey,
} from './api-keys.ts';
import { announceKey } from './follow-keys.ts';
import { endOf, type KeyRules, readRules, toColumns } from './key-rules.ts';
import { readKey } from './keyring.ts';

/** A change of a key. */
export type KeyChange = {
  readonly keyId: string;
  /** The rules to replace; the others stay. */
  readonly rules: Partial<KeyRules>;
  /** Expiry of the token that requests the change; undefined: there is no token, or it does not expire. */
  readonly callerEnd: Date | undefined;
  /** True: everything is checked, and nothing is changed. */
  readonly isDryRun?: boolean;
};

/** A key as it is after a change, and the differences. */
export type UpdatedApiKey = { readonly key: OwnApiKey; readonly changes: readonly AuditChange[] };

/**
 * Changes the rules of a key, and notifies every process that follows the keys of the store. Without a token that expires, a chosen end
 * replaces that of the token that made the key. What stays the same is not recorded.
 *
 * @throws ServiceError `keyNotFound`; `keyNotActive` for a key that was revoked or rotated, or has expired; `developmentKeyProtected`;
 *   `outlivesToken` for a key that would work for longer than the requesting token.
 */
export async function updateApiKey(
  { store, keyring, record }: KeyDeps,
  { keyId, rules: wanted, callerEnd, isDryRun = false }: KeyChange,
  nowMs: number,
): Promise<UpdatedApiKey> {
  const updated = await store.transaction(async (tx) => {
    const [old] = await tx.select().from(apiKeys).where(eq(apiKeys.id, keyId)).for('update');
    if (old === undefined) throw serviceError('keyNotFound', { id: keyId });
    const state = stateOfKey(old, nowMs);
    if (state !== 'active') throw serviceError('keyNotActive', { id: keyId, state });
    await assertNotDevelopmentKey(tx, old);
    const rules = { ...readRules(old), ...wanted };
    const replacesEnd = wanted.endsAt !== undefined && callerEnd === undefined;
    const ends = replacesEnd ? { expiresAt: null, endsWithToken: false } : {};
    const changed = { ...old, ...toColumns(rules), ...ends };
    assertEndsBefore(endOf(changed), callerEnd);
    if (wanted.endsAt !== undefined) assertEndsBefore(wanted.endsAt, callerEnd);
    const changes = compareRules(
      { ...readRules(old), endsAt: endOf(old) },
      { ...rules, endsAt: endOf(changed) },
    );
    if (isDryRun || changes.length === 0) return { key: changed, changes };
    await tx
      .update(apiKeys)
      .set({ ...toColumns(rules), ...ends })
      .where(eq(apiKeys.id, keyId));
    await announceKey(tx, keyId);
    await record?.(tx, keyId, changes);
    return { key: changed, changes };
  });
  // Read again: of two changes at once, the later one counts.
  if (!isDryRun) await readKey(store, keyring, keyId, nowMs);
  return updated;
}

/** The rules by their names in the account service, with their values in words. */
const IN_WORDS: {
  readonly [M in keyof KeyRules]: readonly [member: string, words: (rules: KeyRules) => string];
} = {
  origins: ['allowed_origins', ({ origins }) => listed(origins)],
  cidrs: ['allowed_cidrs', ({ cidrs }) => listed(cidrs)],
  networks: ['allowed_networks', ({ networks }) => listed(networks)],
  methods: ['allowed_methods', ({ methods }) => listed(methods)],
  requestsPerSecond: ['requests_per_second', ({ requestsPerSecond }) => counted(requestsPerSecond)],
  requestsPerDay: ['requests_per_day', ({ requestsPerDay }) => counted(requestsPerDay)],
  endsAt: ['expires_at', ({ endsAt }) => endsAt?.toISOString() ?? 'never'],
};

/** Returns the differences between rules, as the audit log has them. */
function compareRules(before: KeyRules, after: KeyRules): readonly AuditChange[] {
  return Object.values(IN_WORDS).flatMap(([member, words]) => {
    const [was, is] = [words(before), words(after)];
    return was === is ? [] : [{ member, before: cut(was), after: cut(is) }];
  });
}

function listed(texts: readonly string[]): string {
  return texts.length === 0 ? 'any' : texts.join(', ');
}

function counted(requests: number | null): string {
  return requests === null ? 'as the plan' : String(requests);
}

/** Records of the audit log are kept for good. */
const MAX_WORDS = 300;

function cut(text: string): string {
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS).toWellFormed()}…` : text;
}
