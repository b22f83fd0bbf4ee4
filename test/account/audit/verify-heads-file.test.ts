import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendAudit } from '../../../src/account/audit/append-audit.ts';
import { signDueHeads } from '../../../src/account/audit/sign-heads.ts';
import { verifyAudit } from '../../../src/account/audit/verify-audit.ts';
import { sql } from '../../../src/store/drizzle.ts';
import { describeStores } from '../../store/backends.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { createHeadKey } from './head-key.ts';

const directory = useNewDirectory();
const RECORDS = 5;
/** More than a call of a function takes arguments. */
const MANY = 130_000;

describeStores('a file of heads', (backend) => {
  const store = backend.shared();

  /** The log of a new account with a head of its last record, and the lines of the file of heads that are its own. */
  async function newLog() {
    const accountId = await newCustomer(store());
    const key = createHeadKey();
    const headsFile = join(directory(), 'heads.jsonl');
    const facts = Array.from({ length: RECORDS }, (_, n) => ({
      action: 'sign',
      outcome: 'ok',
      requestId: `req_${n}`,
      walletId: `w_${n}`,
    }));
    await store().transaction((tx) => appendAudit(tx, accountId, facts, NOW_MS));
    await signDueHeads({ store: store(), key, headsFile, clock: { nowMs: () => NOW_MS + 60_000 } });
    const lines = (await readFile(headsFile, 'utf8')).trimEnd().split('\n');
    const line = lines.find((each) => each.includes(accountId)) ?? '';
    const head = JSON.parse(line) as { readonly at: string };
    const verify = async () => {
      const verdict = await verifyAudit({ store: store(), headsFile, trustedKeys: [key.bytes] }, accountId);
      const [report] = verdict.accounts;
      const problems = report?.problems.map(({ kind, at }) => `${kind} ${at}`);
      return { signedUpTo: report?.signedUpTo, problems, signedBy: verdict.signedBy };
    };
    /** Changes a row, as an attacker with write access to the database can. */
    const tamper = async (table: string, change: string): Promise<void> => {
      const [name, what] = [sql.identifier(table), sql.raw(change)];
      await store().db.execute(sql`alter table ${name} disable trigger user`);
      await store().db.execute(sql`${what} where account_id = ${accountId} and seq = ${RECORDS}`);
      await store().db.execute(sql`alter table ${name} enable trigger user`);
    };
    const publicKey = Buffer.from(key.bytes).toString('hex');
    return { headsFile, line, head, verify, tamper, publicKey };
  }

  test('of any length is verified in turns with other work, and tells of a forged head behind all others', async () => {
    const { headsFile, line, head, verify, publicKey } = await newLog();
    const forged = JSON.stringify({ ...head, seq: 2 });
    await writeFile(headsFile, `${`${line}\n`.repeat(MANY)}${forged}\n`);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    const verified = await verify().finally(() => clearInterval(timer));
    expect(verified).toEqual({ signedUpTo: RECORDS, problems: ['headForged 2'], signedBy: [publicKey] });
    expect(turns).toBeGreaterThan(10);
  });

  test('tells of a head that differs from the stored one in its instant alone', async () => {
    const { headsFile, head, verify } = await newLog();
    const at = new Date(Date.parse(head.at) - 1).toISOString();
    await writeFile(headsFile, `${JSON.stringify({ ...head, at })}\n`);
    expect((await verify()).problems).toEqual([`headForged ${RECORDS}`]);
  });

  test('is compared with the records where the store has lost its heads', async () => {
    const { headsFile, verify, tamper, publicKey } = await newLog();
    await tamper('audit_heads', 'delete from audit_heads');
    expect(await verify()).toEqual({ signedUpTo: RECORDS, problems: [], signedBy: [publicKey] });
    await tamper('audit_records', "update audit_records set hash = decode(repeat('00', 32), 'hex')");
    expect((await verify()).problems).toEqual([`rewritten ${RECORDS}`, `edited ${RECORDS}`]);
    await tamper('audit_records', 'delete from audit_records');
    expect((await verify()).problems).toEqual([`cutOff ${RECORDS}`]);
    await appendFile(headsFile, 'no head\n');
    expect((await verify()).problems).toEqual([`cutOff ${RECORDS}`]);
  });
});
