import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { OPERATIONS } from '../../../../generated/account/operations.ts';
import { PLANS } from '../../../../generated/plans.ts';
import { createKeyText } from '../../../../src/account/identity/api-keys/key-text.ts';
import { SCOPES } from '../../../../src/account/identity/tokens/scopes.ts';
import {
  credentialsOf,
  sendByFetch,
  type WalletState,
} from '../../../../src/devkit/contract/wallets/run-contract.ts';
import { type RunningKeyslot, startKeyslot } from '../../../support/keyslot.ts';
import { command, createToken } from '../../../support/wallet-account.ts';
import { change, connectTo } from '../../../wallets/live/query.ts';

/** Every operation reads or writes one of these tables. */
const TABLES = [
  'api_keys',
  'access_tokens',
  'login_sessions',
  'members',
  'member_invitations',
  'setup_links',
  'accounts',
  'limit_requests',
  'plans',
  'audit_records',
  'audit_heads',
  'ledger_transactions',
  'invoices',
  'billing_terms',
  'webhooks',
  'webhook_deliveries',
  'network_calls',
  'planned_work',
];

const onEach = (write: (table: string) => string): string => TABLES.map(write).join(';');

/** Written first where nothing else is used. Its statements do not work on a view. */
const COUNTS = 'sign_in_attempts';

/** The tables are not where they should be. */
export async function loseTables(databaseUrl: string): Promise<WalletState> {
  await change(
    databaseUrl,
    [...TABLES, COUNTS].map((table) => `alter table ${table} rename to away_${table}`).join(';'),
  );
  const restore = [...TABLES, COUNTS]
    .map((table) => `alter table away_${table} rename to ${table}`)
    .join(';');
  return { [Symbol.asyncDispose]: async () => void (await change(databaseUrl, restore)) };
}

/** Every use of the tables fails as on a full disk, reading too, which may need room to sort; of empty ones as well. */
export async function fillDisk(databaseUrl: string): Promise<WalletState> {
  await change(
    databaseUrl,
    `create or replace function raise_full() returns boolean language plpgsql stable as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create or replace function refuse_row() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    ${onEach(
      (table) => `alter table ${table} rename to away_${table};
        create trigger a_full before insert on away_${table} execute function refuse_row();
        create view ${table} as select * from away_${table} where raise_full()`,
    )};
    create trigger a_full before insert on ${COUNTS} execute function refuse_row()`,
  );
  const restore = `drop trigger a_full on ${COUNTS};${onEach(
    (table) => `drop view ${table}; drop trigger a_full on away_${table};
      alter table away_${table} rename to ${table}`,
  )}`;
  return { [Symbol.asyncDispose]: async () => void (await change(databaseUrl, restore)) };
}

const { served, waiting } = PLANS.account_concurrency;

/** Requests hang on locked tables until none more is taken: those of an account, or of the address of a client without a token. */
export async function holdRequests(
  { baseUrl, dataDir }: Pick<RunningKeyslot, 'baseUrl' | 'dataDir'>,
  databaseUrl: string,
  isByToken: boolean,
): Promise<WalletState> {
  const account = `busy-${randomUUID()}`;
  if (isByToken) await command(dataDir, ['accounts', 'create', account, '--operator']);
  const token = isByToken ? (await createToken(dataDir, account, { scopes: SCOPES })).token : 'none';
  const session = isByToken ? 'none' : createKeyText('ks_ses_');
  const headers = credentialsOf(baseUrl, { method: 'GET', path: '', headers: {}, token, session });
  const locks = await connectTo(databaseUrl);
  await locks.query('begin; lock table api_keys, login_sessions in access exclusive mode');
  const held = Array.from({ length: served + waiting + 1 }, async () => {
    const answer = await fetch(`${baseUrl}${OPERATIONS.listKeys.path}`, { headers });
    return [answer.status, await answer.text()];
  });
  // The first answer is a refusal: all others are in progress then.
  expect(await Promise.race(held)).toEqual([429, expect.stringContaining('too_many_requests_at_once')]);
  return {
    send: (request, isRead) => sendByFetch(baseUrl, isByToken ? { ...request, token } : request, isRead),
    [Symbol.asyncDispose]: async () => {
      await locks.end();
      await Promise.all(held);
    },
  };
}

/** Requests go to a server without mail settings. */
export async function withoutMail(): Promise<WalletState> {
  const other = await startKeyslot();
  return {
    send: (request, isRead) => sendByFetch(other.baseUrl, request, isRead),
    [Symbol.asyncDispose]: other.stop,
  };
}
