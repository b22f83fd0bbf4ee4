import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { newDatabase, startVault, type Vault } from './vault.ts';

/** A test starts several servers one after the other. */
vi.setConfig({ testTimeout: 600_000 });

const directory = useNewDirectory();

/** Two servers on one PostgreSQL, with one master key and a signer each, started at the same time. */
async function startTwo(skip: (reason: string) => never) {
  const databaseUrl = await newDatabase(skip);
  const masterKey = join(directory(), 'master.key');
  writeFileSync(masterKey, randomBytes(32), { mode: 0o600 });
  const env = { KEYSLOT_HSM_MASTER_KEY_FILE: masterKey };
  const first = await startVault({ databaseUrl, env });
  const second = await startVault({ databaseUrl, env });
  const query = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=keyslot' });
    await client.connect();
    return client.query(text, values).finally(() => client.end());
  };
  return { first, second, query };
}

/** The status of the answer to a request for what is known of a wallet. */
const fetchStatus = async ({ server }: Vault, id: string) => (await server.send(`/${id}`)).status;

/** Derives a child at one server, destroys it there, loses what the tables say of its place, and derives it at the other. */
async function deriveAgain(first: Vault, second: Vault, query: (text: string) => Promise<unknown>) {
  const answer = await first.server.send('/hd', { custody: 'managed', accounts: { start: 0, count: 1 } });
  const tree = (await answer.json()) as {
    master: { wallet_id: string };
    wallets: readonly { wallet_id: string }[];
  };
  await first.destroy(tree.wallets[0]?.wallet_id ?? '');
  await query('delete from derivation_tombstones');
  const again = await second.server.send('/hd', {
    custody: 'managed',
    master_wallet_id: tree.master.wallet_id,
    accounts: { start: 0, count: 1 },
  });
  const { code } = (await again.json()) as { code?: string };
  return { status: again.status, code };
}

test('a key that one server destroyed is refused at the other, row or no row', async ({ skip }) => {
  const { first, second, query } = await startTwo(skip);
  const [gone, live] = [await first.make(), await second.make()];
  expect(await Promise.all([second.sign(gone), first.sign(live)])).toEqual([200, 200]);
  const { rows } = await query('select * from wallets where id = $1', [gone]);
  await first.destroy(gone);
  expect([await second.sign(gone), await fetchStatus(second, gone)]).toEqual([404, 404]);
  const columns = Object.keys(rows[0]);
  await query(
    `insert into wallets (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
    columns.map((name) => rows[0][name]),
  );
  for (const vault of [first, second])
    expect([await vault.sign(gone), await fetchStatus(vault, gone)]).toEqual([404, 404]);
  expect(await second.sign(live)).toBe(200);
  const { status, code } = await deriveAgain(first, second, query);
  expect([status, code]).toEqual([409, 'derivation_destroyed']);
  await second.server.stop();
  await second.server.start();
  expect(await second.sign(gone)).toBe(404);
});

test('a server does not start on a store that lost what another destroyed, until that one has started', async ({
  skip,
}) => {
  const { first, second, query } = await startTwo(skip);
  const [gone] = [await first.make(), await second.make()];
  const { rows } = await query('select public_key, tombstones, hash, at, signature from signers');
  await first.destroy(gone);
  const heads = join(second.server.dataDir, 'audit-heads.jsonl');
  await eventually('the other server has written down how many', () =>
    existsSync(heads) && readFileSync(heads, 'utf8').includes('{"tombstones":1') ? true : undefined,
  );
  await Promise.all([first.server.stop(), second.server.stop()]);
  // As in an older store, in which nothing is missing by itself.
  await query('alter table signer_tombstones disable trigger user');
  await query('delete from signer_tombstones');
  for (const { public_key, ...row } of rows)
    await query(
      'update signers set tombstones = $2, hash = $3, at = $4, signature = $5 where public_key = $1',
      [public_key, ...Object.values(row)],
    );
  const message = /lost destroyed keys of another server's signer, [0-9a-f]{16}; start that server/;
  await expect(second.server.start()).rejects.toThrow(message);
  await first.server.start();
  await second.server.start();
});
