import { expect, test } from 'vitest';
import { ensureAccount } from '../../src/account/accounts/accounts.ts';
import { type AuditFact, appendAuditInOwnTransaction } from '../../src/account/audit/append-audit.ts';
import { GENESIS } from '../../runtime/audit-bytes.ts';
import { hashRecord } from '../../src/account/audit/record-hash.ts';
import { credit } from '../../src/account/billing/books/credit.ts';
import { createToken } from '../../src/account/identity/tokens/access-tokens.ts';
import { TokenRing } from '../../src/account/identity/tokens/token-ring.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { openStore } from '../../src/store/open-store.ts';
import { SILENT } from '../store/backends.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { useCommands } from './use-commands.ts';

const { directory, run, json, newNode, serve } = useCommands();

/** Micro-USD with which no notice of a low balance is recorded. */
const ABOVE_NOTICES = 20_000_000n;
const NOW_MS = Date.UTC(2025, 9, 9);
const WALLET = 'w_Mv1yfXSRds89fzXtB8iMzg';
const UNKNOWN = '4f8b1d0e-0000-4000-8000-000000000000';
/** The actions and subjects of the first records. */
const OWN = [
  { action: 'destroy', walletId: WALLET },
  { action: 'revokekey', subject: UNKNOWN },
] as const;

type Listed = {
  readonly records: readonly Record<string, string | number | null>[];
  readonly next_cursor?: string;
};

/** A store in which the account acme has a number of records, and three credits. */
async function fill(count: number): Promise<{ readonly accountId: string; readonly tokenId: string }> {
  prepareStore(directory());
  const store = await openStore({ dataDir: directory() }, SILENT);
  try {
    const accountId = await ensureAccount(store, 'acme', NOW_MS);
    const tokens = { store, tokens: new TokenRing() };
    const params = { accountId, name: 'till', scopes: ['wallets:sign'] as const, expiresAtMs: undefined };
    const { id: tokenId } = await createToken(tokens, params, NOW_MS);
    const facts = Array.from({ length: count }, (_, at): AuditFact => {
      const own = OWN[at] ?? { action: 'sign' };
      return { outcome: 'ok', requestId: `req_${at}`, tokenId, ...own };
    });
    await appendAuditInOwnTransaction(store, accountId, facts, NOW_MS);
    for (const amount of [ABOVE_NOTICES, 2n, 3n])
      await store.transaction((tx) => credit(tx, { accountId, amount, note: undefined, nowMs: NOW_MS }));
    return { accountId, tokenId };
  } finally {
    await store.close();
  }
}

test('the audit log is printed page by page, on a running server too, and can be verified', async () => {
  const { accountId, tokenId } = await fill(2_345);
  const pages: string[] = [];
  const export_ = async (): Promise<readonly string[]> => {
    pages.length = 0;
    const code = await runCommandLine(['audit', 'list', 'acme', '--jsonl'], {
      env: { KEYSLOT_DATA_DIR: directory() },
      writeOut: (text) => void pages.push(text),
      writeError: (text) => expect.unreachable(text),
    });
    expect([code, pages.map((page) => page.split('\n').length - 1)]).toEqual([0, [1_000, 1_000, 345]]);
    return pages.join('').trimEnd().split('\n');
  };
  const lines = await export_();
  let previous = GENESIS;
  for (const line of lines.toReversed()) {
    const record = JSON.parse(line) as Record<string, never>;
    expect([record.account_id, record.token]).toEqual([accountId, 'till']);
    const { seq, action, outcome, units, address } = record;
    const ids = { accountId, tokenId, requestId: record.request_id, walletId: record.wallet_id };
    const { member_id: memberId, subject } = record;
    const atMs = Date.parse(record.at ?? '');
    expect(record.previous_hash).toBe(Buffer.from(previous).toString('hex'));
    previous = hashRecord(previous, {
      ...ids,
      seq,
      action,
      outcome,
      units,
      address,
      atMs,
      memberId,
      subject,
    } as never);
    expect(record.hash).toBe(Buffer.from(previous).toString('hex'));
  }
  const node = await newNode();
  await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  expect(await export_()).toEqual(lines);
  const rare = ['--action', 'destroy', '--wallet', WALLET, '--token', tokenId, '--outcome', 'ok'];
  expect((await json<Listed>('audit', 'list', 'acme', ...rare)).records).toMatchObject([{ seq: 1 }]);
});

test('a list has as many entries as are asked for, and a cursor where it continues', async () => {
  await fill(5);
  const first = await json<Listed>('audit', 'list', 'acme', '--limit', '3');
  expect(first.records.map(({ seq }) => seq)).toEqual([5, 4, 3]);
  const second = await json<Listed>('audit', 'list', 'acme', '--cursor', first.next_cursor ?? '');
  expect([second.records.map(({ seq }) => seq), second.next_cursor]).toEqual([[2, 1], undefined]);
  const { stdout } = await run('audit', 'list', 'acme', '--limit', '1');
  expect(stdout).toMatch(
    /^TIME +RECORD +ACTION +OUTCOME .*\n.* 5 +sign +ok .* till +req_4\n\nMore entries: --cursor \S+\n$/,
  );
  const revoked = (await run('audit', 'list', 'acme', '--action', 'revokekey')).stdout;
  expect(revoked).toMatch(/ SUBJECT +TOKEN .*\n.* 2 +revokekey +ok +1 +4f8b1d0e-0{4}-\S+ +till +req_1\n$/);
  const limited = await run('audit', 'list', 'acme', '--jsonl', '--limit', '2');
  expect(limited.stdout.split('\n').length).toBe(3);
  const none = await run('audit', 'list', 'acme', '--since', '2025-10-10');
  expect(none.stdout).toBe('No matching records in the audit log of the account acme.\n');
});

test('the entries of the books are printed for people and as JSON', async () => {
  await fill(1);
  const { entries } = await json<{ entries: readonly object[] }>('entries', 'acme', '--limit', '2');
  expect(entries).toEqual([
    expect.objectContaining({ id: '3', kind: 'credit', amount_usd: '0.000003', balance_usd: '20.000005' }),
    expect.objectContaining({ id: '2', at: '2025-10-09T00:00:00.000Z', operation: null, units: null }),
  ]);
  const { stdout } = await run('entries', 'acme', '--since', '2025-10-09', '--until', '2025-10-10');
  expect(stdout).toMatch(/^TIME +KIND .*BALANCE USD +NOTE\n(.+ credit .+\n){3}$/);
  expect((await run('entries', 'acme', '--until', '2025-10-09')).stdout).toContain('No matching entries');
});

test.each([
  [['audit', 'list'], 2, 'missing ACCOUNT'],
  [['audit', 'acme'], 2, 'expected a subcommand: list, verify'],
  [['audit', 'list', 'nobody'], 1, 'There is no account nobody'],
  [['entries', 'nobody'], 1, 'There is no account nobody'],
  [['entries', 'acme', '--limit', '0'], 2, '--limit must be a whole number from 1 to 1000, got 0'],
  [['entries', 'acme', '--limit', '1001'], 2, '--limit must be a whole number from 1 to 1000, got 1001'],
  [['audit', 'list', 'acme', '--limit', 'all'], 2, 'from 1 to 1000, got "all"'],
  [['audit', 'list', 'acme', '--since', 'yesterday'], 2, '--since must be a duration such as 30m'],
  [['audit', 'list', 'acme', '--until', '2025-13-01'], 2, '--until must be a duration such as 30m'],
  [['entries', 'acme', '--since', '1h', '--until', '2h'], 2, '--since must be before --until, got'],
  [['entries', 'acme', '--cursor', 'AAAA'], 2, 'next_cursor of a page of this list, got "AAAA"'],
  [
    ['audit', 'list', 'acme', '--action', 'fly'],
    2,
    '--action must be one of access, announcework, balance.low',
  ],
  [['audit', 'list', 'acme', '--outcome', 'Not OK'], 2, 'such as scope_missing, got "Not OK"'],
  [['audit', 'list', 'acme', '--wallet', 'x'], 2, '--wallet must be the id of a wallet'],
  [['audit', 'list', 'acme', '--token', 'x'], 2, '--token must be the id of a token'],
  [['entries', 'acme', '--json', '--jsonl'], 2, 'expected either --json or --jsonl, got both'],
])('%j ends with a line that says why', async (args, code, reason) => {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stdout]).toEqual([`exit code ${code}`, '']);
  expect(stderr).toContain(reason);
});

test('a token of another account is not taken for one without records', async () => {
  await fill(1);
  const { end, stderr } = await run('audit', 'list', 'acme', '--token', UNKNOWN);
  expect([end, stderr]).toEqual([
    'exit code 1',
    expect.stringContaining(`no access token with the id ${UNKNOWN}`),
  ]);
});
