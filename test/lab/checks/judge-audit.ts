import type { WalletBook } from '../clients/wallets/wallet-book.ts';
import type { GatewayProcess } from '../gateways/lab-gateway.ts';
import type { Findings } from './findings.ts';

/** A record as the command `audit list` shows it. */
export type AuditRecord = {
  readonly seq: number;
  readonly action: string;
  readonly outcome: string;
  readonly wallet_id: string | null;
};
type AuditPage = { readonly records: readonly AuditRecord[]; readonly next_cursor?: string };

const LIMIT = 100;

/** Reads every record of an account's audit log. */
export async function readAudit({ ask }: GatewayProcess, account: string): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const words = ['audit', 'list', account, '--limit', String(LIMIT)];
    const page: AuditPage = await ask(cursor === undefined ? words : [...words, '--cursor', cursor]);
    records.push(...page.records);
    cursor = page.next_cursor;
  }
  return records;
}

type Booked = Omit<WalletBook, 'token' | 'secret' | 'creditUsd'>;
type Judged = Omit<AuditRecord, 'seq'>;

/** Every operation that was answered has its record, and none has two. */
export function judgeRecords(book: Booked, records: readonly Judged[], findings: Findings): void {
  const done = records.filter(({ outcome }) => outcome === 'ok');
  const of = (wanted: string): readonly Judged[] => done.filter(({ action }) => action === wanted);
  const created = book.created + book.derived + book.trees.size;
  const wanted = { create: created, sign: book.signed, destroy: book.destroyed.size };
  for (const [action, times] of Object.entries(wanted)) {
    findings.check('lost_event', times);
    const found = of(action).length;
    if (found < times || found > times + book.unanswered.length)
      findings.break('lost_event', `${book.account}: ${times} times ${action}, and ${found} records of it`);
  }
  const recorded = new Set(of('create').map(({ wallet_id: id }) => id));
  for (const id of [...book.living.keys(), ...book.destroyed.keys()])
    if (!recorded.has(id))
      findings.break('lost_event', `${book.account}: no record says that ${id} was created`);
}

type Verdict = { readonly is_sound: boolean; readonly public_keys: readonly string[] };

/** Verifies the chains of all accounts, and the heads that the signers of all gateways have signed. */
export async function judgeChains(gateways: readonly GatewayProcess[], findings: Findings): Promise<void> {
  const [first] = gateways;
  if (first === undefined) return;
  const keys = await Promise.all(
    gateways.map(async ({ ask }) => (await ask<Verdict>({ kind: 'audit.verify' })).public_keys),
  );
  const publicKeys = [...new Set(keys.flat())];
  const { is_sound: isSound } = await first.ask<Verdict>({ kind: 'audit.verify', publicKeys });
  findings.check('lost_event');
  if (!isSound) findings.break('lost_event', 'the audit log does not verify');
}
