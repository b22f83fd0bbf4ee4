import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from '../../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import {
  type AuditFact,
  appendAudit,
  appendAuditInOwnTransaction,
  createConditionalAudit,
} from '../../../src/account/audit/append-audit.ts';
import { GENESIS } from '../../../runtime/audit-bytes.ts';
import { hashRecord } from '../../../src/account/audit/record-hash.ts';
import { signDueHeads } from '../../../src/account/audit/sign-heads.ts';
import { verifyAudit } from '../../../src/account/audit/verify-audit.ts';
import { auditRecords } from '../../../src/store/audit-tables.ts';
import { describeStores } from '../../store/backends.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { createHeadKey } from './head-key.ts';

const directory = useNewDirectory();
const fact = (walletId: string): AuditFact => ({
  action: 'sign',
  outcome: 'ok',
  requestId: `req_${walletId}`,
  walletId,
});

describeStores('the audit log', (backend) => {
  const store = backend.shared();

  /** An account with a number of records, and the functions of its log. */
  async function logOf(count: number) {
    const accountId = await newCustomer(store());
    const key = createHeadKey();
    const headsFile = join(directory(), 'heads.jsonl');
    let nowMs = NOW_MS;
    const clock = { nowMs: () => nowMs };
    const append = (facts: readonly AuditFact[]): Promise<void> =>
      store().transaction((tx) => appendAudit(tx, accountId, facts, nowMs));
    await append(Array.from({ length: count }, (_, n) => fact(`w_${n + 1}`)));
    /** Signs what is due for this account after a time; other accounts of the store are signed too. */
    const signAfter = (ms: number): Promise<number> => {
      nowMs += ms;
      return signDueHeads({ store: store(), key, headsFile, clock });
    };
    const verify = async (trustedKeys: readonly Uint8Array[] = [key.bytes]) => {
      const verdict = await verifyAudit({ store: store(), headsFile, trustedKeys }, accountId);
      const [report] = verdict.accounts;
      const problems = report?.problems.map(({ kind, at }) => `${kind} ${at}`);
      return { ...report, problems, isSound: verdict.isSound, damagedLines: verdict.damagedLines };
    };
    /** The changes of an attacker with write access to the database. */
    const tamper = async (...changes: readonly SQL[]): Promise<void> => {
      const tables = ['audit_records', 'audit_heads'].map((table) => sql.identifier(table));
      for (const table of tables) await store().db.execute(sql`alter table ${table} disable trigger user`);
      for (const change of changes) await store().db.execute(change);
      for (const table of tables) await store().db.execute(sql`alter table ${table} enable trigger user`);
    };
    return { accountId, key, headsFile, append, signAfter, verify, tamper };
  }

  /** Rewrites a chain from one record on, hashes and tip included, as an attacker who knows how it is made. */
  async function rewrite(accountId: string, from: number): Promise<readonly SQL[]> {
    const rows = await store().db.select().from(auditRecords).where(eq(auditRecords.accountId, accountId));
    const ordered = rows.sort((a, b) => a.seq - b.seq);
    let previous: Uint8Array = ordered[from - 2]?.hash ?? GENESIS;
    const changes = ordered.slice(from - 1).map((row) => {
      const walletId = row.seq === from ? 'w_other' : row.walletId;
      const before = previous;
      previous = hashRecord(before, { ...row, walletId, atMs: row.at.getTime() });
      return sql`update audit_records set wallet_id = ${walletId}, previous_hash = ${Buffer.from(before)}, hash = ${Buffer.from(previous)}
        where account_id = ${accountId} and seq = ${row.seq}`;
    });
    return [
      ...changes,
      sql`update audit_tips set hash = ${Buffer.from(previous)} where account_id = ${accountId}`,
    ];
  }

  test('that nobody touched is sound, signed up to its last head', async () => {
    const log = await logOf(5);
    expect(await log.verify()).toMatchObject({ isSound: true, records: 5, signedUpTo: 0 });
    await log.signAfter(60_000);
    await log.append([fact('w_6')]);
    expect(await log.verify()).toMatchObject({ isSound: true, records: 6, signedUpTo: 5 });
    expect((await stat(log.headsFile)).mode & 0o777).toBe(0o600);
  });

  const own = (id: string) => sql`account_id = ${id}`;
  test.each([
    [
      'an edit',
      'edited 3',
      (id: string) => [sql`update audit_records set outcome = 'ok!' where ${own(id)} and seq = 3`],
    ],
    [
      'a moved instant',
      'edited 3',
      (id: string) => [sql`update audit_records set at = at + interval '1 ms' where ${own(id)} and seq = 3`],
    ],
    [
      'a record taken out',
      'missing 3',
      (id: string) => [sql`delete from audit_records where ${own(id)} and seq = 3`],
    ],
    [
      'records that changed places',
      'disordered 2',
      (id: string) => [
        sql`update audit_records set seq = 99 where ${own(id)} and seq = 2`,
        sql`update audit_records set seq = 2 where ${own(id)} and seq = 4`,
        sql`update audit_records set seq = 4 where ${own(id)} and seq = 99`,
      ],
    ],
    ['a cut tail', 'cutOff 4', (id: string) => [sql`delete from audit_records where ${own(id)} and seq > 3`]],
  ])('tells of %s', async (_what, problem, changes) => {
    const log = await logOf(5);
    await log.tamper(...changes(log.accountId));
    const { isSound, problems } = await log.verify();
    expect([isSound, problems?.includes(problem)]).toEqual([false, true]);
  });

  test('tells of a tail that was cut together with its tip, by the heads in the store', async () => {
    const log = await logOf(5);
    await log.signAfter(60_000);
    await log.tamper(
      sql`delete from audit_records where account_id = ${log.accountId} and seq > 3`,
      sql`update audit_tips set seq = 3, hash = (select hash from audit_records where account_id = ${log.accountId} and seq = 3) where account_id = ${log.accountId}`,
    );
    await writeFile(log.headsFile, '');
    expect((await log.verify()).problems).toEqual(['cutOff 4']);
  });

  test('tells of a log that was cut off or emptied with its tip and its heads, by the file of heads', async () => {
    const log = await logOf(5);
    await log.signAfter(60_000);
    const id = log.accountId;
    await log.tamper(
      ...['audit_heads', 'audit_tips', 'audit_records'].map(
        (table) => sql`delete from ${sql.identifier(table)} where account_id = ${id}`,
      ),
    );
    expect((await log.verify()).problems).toEqual(['cutOff 1']);
  });

  test('detects history rewritten with all its hashes, by the heads signed before', async () => {
    const log = await logOf(5);
    await log.signAfter(60_000);
    await log.tamper(...(await rewrite(log.accountId, 3)));
    expect((await log.verify()).problems).toEqual(['rewritten 5']);
    await log.append([fact('w_6')]);
    await log.signAfter(60_000);
    expect((await log.verify()).problems).toEqual(['rewritten 5']);
  });

  test('does not detect history rewritten before a head was signed: that is what heads are for', async () => {
    const log = await logOf(5);
    await log.tamper(...(await rewrite(log.accountId, 3)));
    expect((await log.verify()).problems).toEqual([]);
  });

  test('tells of a head that another key signed, and of one whose signature is of something else', async () => {
    const log = await logOf(5);
    await log.signAfter(60_000);
    expect((await log.verify([createHeadKey().bytes])).problems).toEqual(['headForged 5']);
    expect((await log.verify([createHeadKey().bytes, log.key.bytes])).problems).toEqual([]);
    await log.tamper(sql`update audit_heads set seq = 4 where account_id = ${log.accountId}`);
    expect((await log.verify()).problems).toEqual(['headForged 4']);
  });

  test('compares heads whose signature cannot be checked, and does not call records signed by them', async () => {
    const log = await logOf(5);
    await log.signAfter(60_000);
    expect(await log.verify([])).toMatchObject({ isSound: true, signedUpTo: 0 });
    await log.tamper(...(await rewrite(log.accountId, 3)));
    expect((await log.verify([])).problems).toEqual(['rewritten 5']);
  });

  test('tells of lines in the file of heads that are none', async () => {
    const log = await logOf(2);
    await log.signAfter(60_000);
    await appendFile(log.headsFile, '{"account":"x"}\n');
    const line = (await readFile(log.headsFile, 'utf8')).split('\n').length - 1;
    expect(await log.verify()).toMatchObject({ isSound: false, problems: [], damagedLines: [line] });
  });

  test('is signed when 1,000 records wait or one does for a minute, and not before', async () => {
    const log = await logOf(999);
    const signedUpTo = async (): Promise<number | undefined> => (await log.verify()).signedUpTo;
    await log.signAfter(59_999);
    expect(await signedUpTo()).toBe(0);
    await log.append([fact('w_1000')]);
    await log.signAfter(0);
    expect(await signedUpTo()).toBe(1_000);
    await log.append([fact('w_1001')]);
    await log.signAfter(59_999);
    expect(await signedUpTo()).toBe(1_000);
    await log.signAfter(1);
    expect(await signedUpTo()).toBe(1_001);
    expect(await log.signAfter(600_000)).toBe(0);
  });

  test('keeps its order when many write at once, and takes back what a failed transaction wrote', async () => {
    const log = await logOf(1);
    await Promise.all(Array.from({ length: 20 }, (_, n) => log.append([fact(`w_a${n}`), fact(`w_b${n}`)])));
    const failing = store().transaction(async (tx) => {
      await appendAudit(tx, log.accountId, [fact('w_lost')], NOW_MS);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await log.verify()).toMatchObject({ isSound: true, records: 41 });
    await log.append([fact('w_next')]);
    expect(await log.verify()).toMatchObject({ isSound: true, records: 42 });
  });

  test('takes facts that nothing else is written with, first ones, at once with others, and after a failed transaction', async () => {
    const log = await logOf(0);
    const alone = (id: string): Promise<void> =>
      appendAuditInOwnTransaction(store(), log.accountId, [fact(id)], NOW_MS);
    await alone('w_first');
    const others = Array.from({ length: 20 }, (_, n) => [alone(`w_a${n}`), log.append([fact(`w_b${n}`)])]);
    await Promise.all(others.flat());
    const failing = store().transaction(async (tx) => {
      await appendAudit(tx, log.accountId, [fact('w_lost')], NOW_MS);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    await alone('w_last');
    expect(await log.verify()).toMatchObject({ isSound: true, records: 42 });
  });

  test('takes facts on a condition', async () => {
    const { accountId, verify } = await logOf(1);
    const appendIf = createConditionalAudit((place) => sql`${place('walletId')}::text[] = array['w_2']`);
    const write = (id: string) => appendIf(store().db, accountId, fact(id), NOW_MS);
    expect([await write('w_1'), await write('w_2'), await write('w_3'), await write('w_2')]).toEqual([
      ...[false, true, false, true],
    ]);
    expect(await verify()).toMatchObject({ isSound: true, records: 3 });
    expect(await appendIf(store().db, await newCustomer(store()), fact('w_2'), NOW_MS)).toBe(false);
  });

  test('takes ten thousand records in one transaction', async () => {
    const log = await logOf(10_000);
    expect(await log.verify()).toMatchObject({ isSound: true, records: 10_000 });
  });

  test('is only ever added to', async () => {
    const log = await logOf(1);
    const changes = [
      sql`update audit_records set outcome = 'x' where account_id = ${log.accountId}`,
      sql`delete from audit_records where account_id = ${log.accountId}`,
      sql`truncate audit_heads`,
    ];
    for (const change of changes) {
      const cause = { message: expect.stringContaining('only ever added') };
      await expect(store().db.execute(change)).rejects.toMatchObject({ cause });
    }
  });
});
