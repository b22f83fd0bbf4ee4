import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestCaseRequest } from '../../../runtime/rest-case.ts';
import { eventually } from '../../../src/core/eventually.ts';
import type { RunningKeyslot } from '../../support/keyslot.ts';
import { sendByFetch, type WalletState } from '../../../src/devkit/contract/wallets/run-contract.ts';
import { change, connectTo, query } from './query.ts';
import { sendWithoutBody } from './slow-body.ts';

/** A state that needs no way back. */
const LASTING = { [Symbol.asyncDispose]: async () => undefined } satisfies WalletState;

/** The body does not come. */
export function slowBody({ baseUrl }: RunningKeyslot): WalletState {
  return { ...LASTING, send: (request) => sendWithoutBody(baseUrl, request) };
}

/** Without these tables no operation gets anywhere: each writes the one, and those that cost read the other first. */
const NEEDED = ['audit_records', 'ledger_accounts'];

/** The tables that operations need are not where they should be. */
export async function breakStore(databaseUrl: string): Promise<WalletState> {
  const rename = (from: string, to: string): Promise<void> =>
    change(databaseUrl, NEEDED.map((name) => `alter table ${from}${name} rename to ${to}${name}`).join(';'));
  await rename('', 'away_');
  return { [Symbol.asyncDispose]: () => rename('away_', '') };
}

/** The tables that operations write first: the log, or the reservation. */
const WRITTEN_FIRST = ['audit_records', 'ledger_transactions'];

/** Nothing more goes into the tables, as on a full disk. */
export async function fillStore(databaseUrl: string): Promise<WalletState> {
  const onEach = (write: (table: string) => string): string => WRITTEN_FIRST.map(write).join(';');
  await change(
    databaseUrl,
    `create or replace function tell_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    ${onEach((table) => `create trigger a_full before insert on ${table} execute function tell_full()`)}`,
  );
  const empty = onEach((table) => `drop trigger a_full on ${table}`);
  return { [Symbol.asyncDispose]: () => change(databaseUrl, empty) };
}

/** No sealed key can be opened. */
export async function spoilKeys(databaseUrl: string): Promise<WalletState> {
  const flip = (): Promise<unknown> =>
    query(databaseUrl, 'update wallets set sealed = set_byte(sealed, 50, 255 - get_byte(sealed, 50))');
  await flip();
  return { [Symbol.asyncDispose]: async () => void (await flip()) };
}

/** The table that an operation reads before it does anything for an account. */
const READ_FIRST = 'ledger_accounts';

/** The same request was sent before, and its work cannot continue. */
export async function holdRequest(
  { baseUrl }: RunningKeyslot,
  databaseUrl: string,
  request: RestCaseRequest,
): Promise<WalletState> {
  const holder = await connectTo(databaseUrl);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => holder.end());
  await holder.query(`begin; lock table ${READ_FIRST} in access exclusive mode`);
  const held = sendByFetch(baseUrl, request, true);
  held.catch(() => undefined);
  stack.defer(async () => void (await held));
  stack.defer(async () => void (await holder.query('rollback')));
  await eventually('the first request waits for the table', async () => {
    const waiting = await query(
      databaseUrl,
      `select 1 from pg_locks where relation = '${READ_FIRST}'::regclass and not granted and database = (select oid from pg_database where datname = current_database())`,
    );
    return waiting.length > 0 ? true : undefined;
  });
  return stack.move();
}

/** The signer of a server that logs everything is killed and cannot start again, for good. Once done, it is done. */
export async function stopSigner({ dataDir, stderr, baseUrl }: RunningKeyslot): Promise<WalletState> {
  const key = join(dataDir, 'signer', 'master.key');
  if (!existsSync(key)) return LASTING;
  await rename(key, `${key}.away`);
  process.kill(signerOf(stderr()), 'SIGKILL');
  await eventually('the server is not ready any more', async () =>
    (await fetch(`${baseUrl}/readyz`)).ok ? undefined : true,
  );
  return LASTING;
}

/** The token that keeps the keys is removed, for good. */
export async function removeToken(tokens: string): Promise<WalletState> {
  await rename(tokens, `${tokens}.away`).catch(() => undefined);
  return LASTING;
}

/** A state that the server was started in. */
export function asStarted(): WalletState {
  return LASTING;
}

/** The process of the signer, as the log tells it. */
function signerOf(log: string): number {
  const line = log
    .split('\n')
    .find((each) => each.includes('"child":"signer"') && each.includes('"childPid"'));
  const pid = Number(/"childPid":(\d+)/.exec(line ?? '')?.[1]);
  if (!(pid > 0)) throw new Error('the log does not tell the process of the signer');
  return pid;
}
