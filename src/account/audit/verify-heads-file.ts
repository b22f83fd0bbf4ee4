import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { createStatement } from '../../store/statement.ts';
import type { AuditHead } from './audit-head.ts';
import { ChainFindings, MAX_PROBLEMS, type TrustedKeys } from './chain-findings.ts';
import { readHeads } from './heads-file.ts';

/** Heads that are verified at a time: a server does its other work in between. */
const BATCH = 100;

export type VerifiedHeadsFile = {
  readonly chains: ReadonlyMap<string, ChainFindings>;
  /** Numbers of lines, from 1, that do not hold a head: the first 100. */
  readonly damagedLines: readonly number[];
};

type Stated = {
  readonly hash: Uint8Array | null;
  readonly head_hash: Uint8Array | null;
  readonly head_key: Uint8Array | null;
  readonly head_signature: Uint8Array | null;
  readonly head_at: string | null;
};

/** The records that heads state, and the stored heads of the same records, in the order of the heads. */
const selectStated = createStatement<
  { readonly accounts: readonly string[]; readonly seqs: readonly string[] },
  Stated
>(
  (param) => sql`
    select record.hash, head.hash as head_hash, head.public_key as head_key, head.signature as head_signature,
      (extract(epoch from head.at) * 1000)::bigint::text as head_at
    from unnest(${param('accounts')}::text[]::uuid[], ${param('seqs')}::text[]::bigint[])
      with ordinality as stated (account_id, seq, position)
    left join audit_records record on record.account_id = stated.account_id and record.seq = stated.seq
    left join audit_heads head on head.account_id = stated.account_id and head.seq = stated.seq
    order by position`,
);

/**
 * Compares the heads of a heads file with the records that they state: of one account, or of all. Heads that are stored too, byte for byte,
 * are left to who verifies those.
 */
export async function verifyHeadsFile(
  store: Store,
  { headsFile, trustedKeys }: { readonly headsFile: string; readonly trustedKeys: TrustedKeys },
  accountId: string | undefined,
): Promise<VerifiedHeadsFile> {
  const chains = new Map<string, ChainFindings>();
  const damagedLines: number[] = [];
  const verify = async (heads: readonly AuditHead[]): Promise<void> => {
    const { rows } = await selectStated(store.db, {
      accounts: heads.map((head) => head.accountId),
      seqs: heads.map(({ seq }) => String(seq)),
    });
    for (const [at, head] of heads.entries()) {
      const chain = chains.get(head.accountId) ?? new ChainFindings(trustedKeys);
      chains.set(head.accountId, chain);
      const stated = rows[at];
      if (stated === undefined || !isStored(head, stated)) chain.addHead(head, stated?.hash ?? undefined);
    }
    await nextTurn();
  };
  let batch: AuditHead[] = [];
  for await (const { number, head } of readHeads(headsFile)) {
    if (head === undefined) {
      if (damagedLines.length < MAX_PROBLEMS) damagedLines.push(number);
    } else if (accountId === undefined || head.accountId === accountId) batch.push(head);
    if (batch.length < BATCH) continue;
    await verify(batch);
    batch = [];
  }
  if (batch.length > 0) await verify(batch);
  return { chains, damagedLines };
}

function isStored({ hash, publicKey, signature, atMs }: AuditHead, stated: Stated): boolean {
  const { head_hash, head_key, head_signature, head_at } = stated;
  return (
    isSame(hash, head_hash) &&
    isSame(publicKey, head_key) &&
    isSame(signature, head_signature) &&
    head_at === String(atMs)
  );
}

function isSame(one: Uint8Array, other: Uint8Array | null): boolean {
  return other !== null && Buffer.compare(one, other) === 0;
}
