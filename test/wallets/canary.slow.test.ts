import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { TOTP } from 'otpauth';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import { openStore } from '../../src/store/open-store.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { badRequestsWith, type Secrets } from './canary/bad-requests.ts';
import { formsOfSecretKey, formsOfText, foundIn } from './canary/forms.ts';
import { ACCOUNT, type WalletServer } from './open-wallet-server.ts';
import { startWalletServer } from './wallet-server.ts';

type Wallet = {
  readonly address: string;
  readonly wallet_id: string;
  readonly secret_key: string;
  readonly mnemonic: string;
};
type Tree = { readonly master: Wallet; readonly wallets: readonly Wallet[] };

const canary = (): string => `canary-${randomBytes(16).toString('hex')}`;

async function read<T>(asked: Promise<Response>): Promise<T> {
  const answer = await asked;
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Uses everything that takes or gives a secret, as it should be used. @returns what must be found nowhere afterwards. */
async function useSecrets(server: WalletServer, label: string) {
  const mnemonic = generateMnemonic(wordlist, 256);
  const [passphrase, message, batchPassphrase] = [canary(), canary(), canary()];
  const body = { mnemonic, passphrase, accounts: { start: 0, count: 2 } };
  const tree = await read<Tree>(server.send('/hd', body, { headers: { 'idempotency-key': 'tree' } }));
  for (const format of ['jsonl', 'csv']) await (await server.send('/hd', { ...body, format })).text();
  const path = { derivation_path: "m/44'/501'/3'/1'" };
  const single = await read<Wallet>(server.send('', { mnemonic_words: 24, passphrase, ...path }));
  const batch = { count: 20, mnemonic_words: 12, passphrase: batchPassphrase };
  const lines = (await (await server.send('/batch', batch)).text()).trim().split('\n');
  const [first] = lines.map((line) => JSON.parse(line) as Wallet);
  const managed = await read<Wallet>(server.send('', { custody: 'managed', label }));
  const sign = `/${managed.wallet_id}/sign`;
  const encodings = ['utf8', 'base64', 'hex'] as const;
  for (const encoding of encodings) {
    const asked = { message: Buffer.from(message).toString(encoding), encoding };
    await read(server.send(sign, asked, { headers: { 'idempotency-key': `sign-${encoding}` } }));
  }
  const { secret: totpSecret } = await server.ask<{ secret: string }>({
    kind: 'two-factor.enrol',
    account: ACCOUNT,
  });
  const code = new TOTP({ secret: totpSecret }).generate();
  const doomed = await read<Wallet>(server.send('', { custody: 'managed' }));
  const destroy = { method: 'DELETE', headers: { 'x-two-factor-code': code } };
  await read(server.send(`/${doomed.wallet_id}`, undefined, destroy));
  const told = { mnemonic, passphrase, message, code, secretKey: single.secret_key, token: server.token };
  const answered = [single, tree.master, ...tree.wallets, ...(first === undefined ? [] : [first])];
  return {
    told,
    walletId: managed.wallet_id,
    spent: destroy,
    forms: {
      ...Object.fromEntries(answered.map(({ secret_key: key }, at) => [`key ${at}`, formsOfSecretKey(key)])),
      ...Object.fromEntries(
        [mnemonic, passphrase, message, batchPassphrase, single.mnemonic, first?.mnemonic ?? '', server.token]
          .concat(totpSecret)
          .map((text, at) => [`text ${at}`, formsOfText(text)]),
      ),
    },
  };
}

/** Sends the secrets where they do not belong; every answer, with its head. */
async function sendBadly(server: WalletServer, secrets: Secrets, walletId: string): Promise<string> {
  const answers: string[] = [];
  for (const { path, body, ...how } of badRequestsWith(secrets, walletId)) {
    const answer = await server.send(path, body, how);
    const text = await answer.text();
    if (answer.ok) throw new Error(`${path} ${JSON.stringify(body)} was not refused`);
    answers.push(`${JSON.stringify([...answer.headers])}\n${text}`);
  }
  return answers.join('\n');
}

/** Every row of every table, as text; bytes are in hex. */
async function dumpRows(dataDir: string, databaseUrl: string | undefined): Promise<string> {
  const store = await openStore({ dataDir, databaseUrl }, pino({ level: 'silent' }));
  try {
    const tables = await store.db.execute<{ name: string }>(
      sql`select table_name as name from information_schema.tables where table_schema = 'keyslot'`,
    );
    const rows: string[] = [];
    for (const { name } of tables.rows) {
      const found = await store.db.execute<{ row: string }>(
        sql`select t::text as row from ${sql.identifier(name)} t`,
      );
      rows.push(...found.rows.map(({ row }) => `${name} ${row}`));
    }
    return rows.join('\n');
  } finally {
    await store.close();
  }
}

async function filesBelow(path: string): Promise<readonly (readonly [string, Buffer])[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.map(async (file) => [file, await readFile(file)] as const));
}

async function assertNowhere(databaseUrl?: string): Promise<void> {
  const label = canary();
  const env = databaseUrl === undefined ? {} : { KEYSLOT_DATABASE_URL: databaseUrl };
  const server = await startWalletServer({ args: ['--log-level', 'trace'], env });
  const { told, walletId, spent, forms } = await useSecrets(server, label);
  const refused = await server.send(`/${walletId}`, undefined, spent);
  expect(refused.status).toBe(403);
  const answers = `${await refused.text()}\n${await sendBadly(server, told, walletId)}`;
  const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const readiness = await (await fetch(`${server.baseUrl}/readyz`)).text();
  await server.stop();
  const rows = await dumpRows(server.dataDir, databaseUrl);
  const places = { log: server.written(), answers, metrics, readiness, rows };
  for (const [place, text] of Object.entries(places)) {
    expect([place, foundIn(Buffer.from(text), forms)]).toEqual([place, []]);
    expect([place, new RegExp(`\\b${told.code}\\b`).exec(text)]).toEqual([place, null]);
  }
  const files = await filesBelow(server.dataDir);
  const found = files.flatMap(([file, bytes]) => foundIn(bytes, forms).map((what) => `${file}: ${what}`));
  expect(found).toEqual([]);
  // The searched places are readable: the label of a wallet is in its row, and in the files of the embedded store.
  expect(rows).toContain(label);
  expect(server.written()).toContain('"kind":"ready"');
  const isFiled = files.some(([, bytes]) => bytes.includes(label));
  expect(isFiled).toBe(databaseUrl === undefined);
  expect(answers).toContain('mnemonic_invalid');
}

test('secrets that came in or went out are in no log, error, metric, row or file of a server with embedded defaults', () =>
  assertNowhere());

test('nor on PostgreSQL', async (context) => {
  const url = await findPostgres();
  if (url === undefined) return context.skip(POSTGRES_MISSING);
  const database = await createDatabase(url);
  try {
    await assertNowhere(database.url);
  } finally {
    await database.drop();
  }
});
