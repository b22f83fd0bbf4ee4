import { readFileSync } from 'node:fs';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { expect, test } from 'vitest';
import * as accessTables from '../../src/store/access-tables.ts';
import * as auditTables from '../../src/store/audit-tables.ts';
import * as billingTables from '../../src/store/billing-tables.ts';
import * as mailTables from '../../src/store/mail-tables.ts';
import * as memberTables from '../../src/store/member-tables.ts';
import * as moneyTables from '../../src/store/money-tables.ts';
import * as requestTables from '../../src/store/request-tables.ts';
import * as signerTables from '../../src/store/signer-tables.ts';
import * as topicTables from '../../src/store/topic-tables.ts';
import * as usageTables from '../../src/store/usage-tables.ts';
import * as walletTables from '../../src/store/wallet-tables.ts';
import * as webhookTables from '../../src/store/webhook-tables.ts';
import * as firstTables from '../../src/store/tables.ts';

const tables = {
  ...firstTables,
  ...accessTables,
  ...auditTables,
  ...billingTables,
  ...mailTables,
  ...memberTables,
  ...moneyTables,
  ...requestTables,
  ...signerTables,
  ...topicTables,
  ...usageTables,
  ...walletTables,
  ...webhookTables,
};

const FOLDER = new URL('../../src/store/migrations/', import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

const journal = JSON.parse(read('meta/_journal.json')) as { entries: { idx: number; tag: string }[] };

test('the migrations make the tables that src/store describes', async () => {
  const last = journal.entries.at(-1)?.tag.slice(0, 4);
  const applied = JSON.parse(read(`meta/${last}_snapshot.json`)) as ReturnType<typeof generateDrizzleJson>;
  expect(await generateMigration(applied, generateDrizzleJson(tables, applied.id))).toEqual([]);
});

test.each(journal.entries)(
  'migration $tag names no schema: tables lie where the store is opened',
  ({ tag }) => {
    expect(read(`${tag}.sql`)).not.toContain('"public".');
  },
);
