import { and, gt, lte, or, sql, eq } from '../../store/drizzle.ts';
import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import { auditHeads, auditTips } from '../../store/audit-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { headBytes } from '../../../runtime/audit-bytes.ts';
import type { AuditHead } from './audit-head.ts';
import { appendHeads } from './heads-file.ts';

/** The key that signs heads. The signer holds it. */
export type HeadKey = {
  /** Ed25519, 32 bytes. */
  readonly publicKey: () => Promise<Uint8Array>;
  /** @returns the signature, 64 bytes. */
  readonly signHead: (bytes: Uint8Array) => Promise<Uint8Array>;
};

export type HeadDeps = {
  readonly store: Store;
  readonly key: HeadKey;
  /** Heads are also appended to this file, before they are stored: the setting `audit_heads_file`. */
  readonly headsFile: string;
  readonly clock: Clock;
};

const RECORDS = 1_000;
const WAIT_MS = 60_000;
const LOOK_MS = 1_000;

/**
 * Signs the heads of chains with 1,000 uncovered records, or with an uncovered record that is a minute old.
 * @param isAll true: signs every chain that has uncovered records, as when a server stops.
 * @returns the number of signed heads.
 */
export async function signDueHeads(deps: HeadDeps, isAll = false): Promise<number> {
  const { store, key, headsFile, clock } = deps;
  const nowMs = clock.nowMs();
  const longAgo = new Date(nowMs - WAIT_MS);
  const { seq, signedSeq, unsignedSince } = auditTips;
  const isDue = or(gt(sql`${seq} - ${signedSeq}`, RECORDS - 1), lte(unsignedSince, longAgo));
  const tips = await store.db
    .select()
    .from(auditTips)
    .where(isAll ? gt(seq, signedSeq) : and(gt(seq, signedSeq), isDue));
  if (tips.length === 0) return 0;
  const publicKey = await key.publicKey();
  const heads: AuditHead[] = [];
  for (const tip of tips) {
    const head = { accountId: tip.accountId, seq: tip.seq, hash: tip.hash, atMs: nowMs };
    heads.push({ ...head, publicKey, signature: await key.signHead(headBytes(head)) });
  }
  await appendHeads(headsFile, heads);
  for (const head of heads) await keepHead(store, head);
  return heads.length;
}

/** Signs heads when they are due; checks every second. A failure is logged once and retried until it is over. */
export function startHeadSigning(deps: HeadDeps, log: Logger): { readonly close: () => Promise<void> } {
  let isFailing = false;
  const sign = async (isAll: boolean): Promise<void> => {
    try {
      await signDueHeads(deps, isAll);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'cannot sign audit checkpoints');
      isFailing = true;
    }
  };
  let work: Promise<void> = Promise.resolve();
  let isIdle = true;
  const timer = setInterval(() => {
    if (!isIdle) return;
    isIdle = false;
    work = sign(false).finally(() => {
      isIdle = true;
    });
  }, LOOK_MS);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await work;
      await sign(true);
    },
  };
}

async function keepHead(store: Store, { atMs, ...head }: AuditHead): Promise<void> {
  const at = new Date(atMs);
  await store.transaction(async (tx) => {
    await tx
      .insert(auditHeads)
      .values({ ...head, at })
      .onConflictDoNothing();
    await tx
      .update(auditTips)
      .set({
        signedSeq: sql`greatest(${auditTips.signedSeq}, ${head.seq})`,
        unsignedSince: sql`case when ${auditTips.seq} > ${head.seq} then ${at.toISOString()}::timestamptz end`,
      })
      .where(eq(auditTips.accountId, head.accountId));
  });
}
