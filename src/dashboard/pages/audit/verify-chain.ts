import type {
  AuditChain,
  AuditHead,
  AuditHeadList,
  AuditRecord,
} from '../../../../generated/account/types.ts';
import {
  type ChainCrypto,
  type ChainFault as BareFault,
  type ChainPlace,
  findHeadFault,
  findRecordFault,
} from '../../../../runtime/audit-chain.ts';

/** Dependencies of the verification. */
export type VerifyDeps = ChainCrypto & {
  readonly readChain: (fromSeq: number) => Promise<AuditChain>;
  readonly readHeads: (fromSeq: number) => Promise<AuditHeadList>;
};

/** The last verified head, where later verifications start. */
export type VerifiedHead = { readonly seq: number; readonly hash: string; readonly publicKey: string };

/** The fault at the first record that was changed. */
export type ChainFault =
  | BareFault
  /** The record's hash differs from its last verification here. */
  | { readonly seq: number; readonly kind: 'rewritten'; readonly stored: string; readonly kept: string };

export type VerifyProgress = {
  /** The last record that was verified; 0 before the first. */
  readonly seq: number;
  readonly records: number;
  readonly heads: number;
  readonly head: VerifiedHead | undefined;
  /** The keys of the heads, each once. */
  readonly publicKeys: readonly string[];
};

export type Verdict = VerifyProgress & { readonly fault?: ChainFault };

type VerifyOptions = {
  readonly accountId: string;
  /** The head that was verified before: its record must still have the same hash. */
  readonly kept: VerifiedHead | undefined;
  /** True to verify earlier records again. */
  readonly isFromFirst: boolean;
  readonly onProgress: (progress: VerifyProgress) => void;
  readonly signal: AbortSignal;
};

const GENESIS_HASH = '0'.repeat(64);

/**
 * Recomputes the chain of an account, page by page, from the kept head or the first record: every number, link and hash, and every signed
 * head. Stops at the first fault. Throws the reason of the signal, and the errors of reads.
 */
export async function verifyChain(deps: VerifyDeps, options: VerifyOptions): Promise<Verdict> {
  const { accountId, kept, isFromFirst, onProgress, signal } = options;
  const from = isFromFirst ? undefined : kept;
  const heads = walkHeads(deps, from?.seq ?? 1);
  let head = (await heads.next()).value;
  let before: ChainPlace =
    from === undefined ? { seq: 0, hash: GENESIS_HASH } : { seq: from.seq - 1, hash: undefined };
  let progress: VerifyProgress = {
    seq: before.seq,
    records: 0,
    heads: 0,
    head: undefined,
    publicKeys: kept === undefined ? [] : [kept.publicKey],
  };
  for (;;) {
    signal.throwIfAborted();
    const { records, next_seq: next } = await deps.readChain(before.seq + 1);
    const fault = await findFault(deps, records, { ...before, accountId, kept });
    const last = records.at(-1);
    const sound = fault === undefined ? records : records.filter(({ seq }) => seq < fault.seq);
    const hashes = new Map(sound.map(({ seq, hash }) => [seq, hash]));
    while (head !== undefined && hashes.has(head.seq)) {
      const wrong = await findHeadFault(deps, head, { stored: hashes.get(head.seq) ?? '', accountId });
      if (wrong !== undefined) return { ...progress, fault: wrong };
      const { seq, hash, public_key: publicKey } = head;
      const publicKeys = [...new Set([...progress.publicKeys, publicKey])];
      progress = { ...progress, heads: progress.heads + 1, head: { seq, hash, publicKey }, publicKeys };
      head = (await heads.next()).value;
    }
    progress = {
      ...progress,
      seq: sound.at(-1)?.seq ?? progress.seq,
      records: progress.records + sound.length,
    };
    onProgress(progress);
    if (fault !== undefined) return { ...progress, fault };
    if (last !== undefined) {
      before = { seq: last.seq, hash: last.hash };
      // Read once more after the end if a head or a verified record is beyond it: the record is new, or gone.
      if (next !== undefined || isBeyond(before.seq, head, kept)) continue;
    } else if (isBeyond(before.seq, head, kept)) {
      return { ...progress, fault: { kind: 'missing', seq: before.seq + 1 } };
    }
    return progress;
  }
}

type Before = ChainPlace & Pick<VerifyOptions, 'accountId' | 'kept'>;

function isBeyond(seq: number, head: AuditHead | undefined, kept: VerifiedHead | undefined): boolean {
  return head !== undefined || (kept !== undefined && kept.seq > seq);
}

/** Finds the first fault in consecutive records, or a verified record whose hash has changed. */
async function findFault(
  deps: VerifyDeps,
  records: readonly AuditRecord[],
  { kept, ...before }: Before,
): Promise<ChainFault | undefined> {
  const fault = await findRecordFault(deps, records, before);
  const again = records.find(({ seq }) => seq === kept?.seq);
  if (kept === undefined || again === undefined || again.hash === kept.hash) return fault;
  if (fault !== undefined && fault.seq <= again.seq) return fault;
  return { kind: 'rewritten', seq: again.seq, stored: again.hash, kept: kept.hash };
}

async function* walkHeads({ readHeads }: VerifyDeps, fromSeq: number): AsyncGenerator<AuditHead, undefined> {
  let next: number | undefined = fromSeq;
  while (next !== undefined) {
    const page: AuditHeadList = await readHeads(next);
    yield* page.heads;
    next = page.next_seq;
  }
  return undefined;
}
