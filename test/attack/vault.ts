import { cpSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { SILENT } from '../store/backends.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { ACCOUNT, type WalletServer } from '../wallets/open-wallet-server.ts';
import { startWalletServer } from '../wallets/wallet-server.ts';

/** A server with managed wallets, the acts of an operator on its files, and those of an attacker. */
export type Vault = {
  readonly server: WalletServer;
  readonly signerFile: (name: string) => string;
  readonly make: () => Promise<string>;
  /** The status of the answer to a request to sign. */
  readonly sign: (id: string) => Promise<number>;
  readonly destroy: (id: string) => Promise<void>;
  /** Copies the store of a server that is stopped. @returns what puts the copy in its place. */
  readonly backUpStore: () => Promise<() => void>;
  /** Copies a file or directory below the data directory. @returns what puts the copy in its place. */
  readonly backUp: (path: string) => Promise<() => void>;
  /** Runs a command of the command line. */
  readonly run: (...args: readonly string[]) => Promise<{ readonly code: number; readonly text: string }>;
  /** Opens the store of a server that is stopped, for as long as `use` takes. */
  readonly withStore: <T>(use: (store: Store) => Promise<T>) => Promise<T>;
};

export type VaultOptions = {
  readonly databaseUrl?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
};

const postgresUrl = await findPostgres();

/** A database of a test's own; skips the test where there is no PostgreSQL. */
export async function newDatabase(skip: (reason: string) => never): Promise<string> {
  if (postgresUrl === undefined) return skip(POSTGRES_MISSING);
  const { url, drop } = await createDatabase(postgresUrl);
  onTestFinished(drop);
  return url;
}

/** Starts a server whose account has a second factor. */
export async function startVault({ databaseUrl, env: more = {} }: VaultOptions = {}): Promise<Vault> {
  const env: Record<string, string> = { ...more };
  if (databaseUrl !== undefined) env.KEYSLOT_DATABASE_URL = databaseUrl;
  const server = await startWalletServer({ env });
  const copies = await mkdtemp(join(tmpdir(), 'keyslot-copies-'));
  onTestFinished(() => rm(copies, { recursive: true, force: true }));
  let count = 0;
  const backUp = async (path: string): Promise<() => void> => {
    const [from, to] = [join(server.dataDir, path), join(copies, String(++count))];
    cpSync(from, to, { recursive: true });
    return () => {
      rmSync(from, { recursive: true, force: true });
      cpSync(to, from, { recursive: true });
    };
  };
  return {
    server,
    backUp,
    signerFile: (name) => join(server.dataDir, 'signer', name),
    make: async () => {
      const answer = await server.send('', { custody: 'managed' });
      const { wallet_id } = (await answer.json()) as { wallet_id: string };
      return wallet_id;
    },
    sign: async (id) => (await server.send(`/${id}/sign`, { message: 'aGVsbG8=' })).status,
    destroy: async (id) => {
      // A code works once: a new secret for each spares waiting for the next one.
      await server.ask({ kind: 'two-factor.remove', account: ACCOUNT }).catch(() => undefined);
      const { secret } = await server.ask<{ secret: string }>({ kind: 'two-factor.enrol', account: ACCOUNT });
      const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
      const headers = { 'x-two-factor-code': code };
      const answer = await server.send(`/${id}`, undefined, { method: 'DELETE', headers });
      if (!answer.ok) throw new Error(`not destroyed: ${await answer.text()}`);
    },
    backUpStore: async () => {
      if (databaseUrl === undefined) return backUp('store');
      const copy = `${new URL(databaseUrl).pathname.slice(1)}_${++count}`;
      await copyDatabase(databaseUrl, copy);
      return () => {
        const url = new URL(databaseUrl);
        url.pathname = `/${copy}`;
        env.KEYSLOT_DATABASE_URL = url.href;
      };
    },
    run: async (...args) => {
      const texts: string[] = [];
      const write = (text: string): void => void texts.push(text);
      const settings = { ...env, KEYSLOT_DATA_DIR: server.dataDir };
      const code = await runCommandLine(args, { env: settings, writeOut: write, writeError: write });
      return { code: code ?? 0, text: texts.join('') };
    },
    withStore: async (use) => {
      const store = await openStore(
        { dataDir: server.dataDir, databaseUrl: env.KEYSLOT_DATABASE_URL },
        SILENT,
      );
      return use(store).finally(() => store.close());
    },
  };
}

/** A copy of a database that nobody is connected to, dropped after the test. */
async function copyDatabase(databaseUrl: string, copy: string): Promise<void> {
  const url = new URL(databaseUrl);
  const original = url.pathname.slice(1);
  url.pathname = '/test';
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`create database ${copy} template ${original}`);
  onTestFinished(() => run(`drop database ${copy} with (force)`));
}
