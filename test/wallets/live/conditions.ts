import { readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { WalletCaseRequest } from '../../../generated/test/wallet-case.ts';
import { eventually } from '../../support/eventually.ts';
import type { RunningKeyslot } from '../../support/keyslot.ts';
import { sendByFetch, type WalletState } from '../run-contract.ts';
import { connectTo, query } from './query.ts';
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
  const rename = (from: string, to: string): Promise<unknown> =>
    query(databaseUrl, NEEDED.map((name) => `alter table ${from}${name} rename to ${to}${name}`).join(';'));
  await rename('', 'away_');
  return { [Symbol.asyncDispose]: async () => void (await rename('away_', '')) };
}

/** No sealed key can be opened. */
export async function spoilKeys(databaseUrl: string): Promise<WalletState> {
  const flip = (): Promise<unknown> =>
    query(databaseUrl, 'update wallets set sealed = set_byte(sealed, 50, 255 - get_byte(sealed, 50))');
  await flip();
  return { [Symbol.asyncDispose]: async () => void (await flip()) };
}

/** What an operation reads of an account before it does anything for it. */
const READ_FIRST = 'ledger_accounts';

/** The same request was sent before, and its work cannot go on. */
export async function holdRequest(
  { baseUrl }: RunningKeyslot,
  databaseUrl: string,
  request: WalletCaseRequest,
): Promise<WalletState> {
  const holder = await connectTo(databaseUrl);
  await holder.query(`begin; lock table ${READ_FIRST} in access exclusive mode`);
  const held = sendByFetch(baseUrl, request, true);
  held.catch(() => undefined);
  await eventually('the first request waits for the table', async () => {
    const waiting = await query(
      databaseUrl,
      `select 1 from pg_locks join pg_class on pg_class.oid = relation where relname = '${READ_FIRST}' and not granted`,
    );
    return waiting.length > 0 ? true : undefined;
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await holder.query('rollback');
      await holder.end();
      await held;
    },
  };
}

/** The signer is killed and cannot start again, for good. Once done, it is done. */
export async function stopSigner({ dataDir, pid, baseUrl }: RunningKeyslot): Promise<WalletState> {
  const signer = childOf(pid, 'src/signer/main.ts');
  if (signer !== undefined) {
    const key = join(dataDir, 'signer', 'master.key');
    await rename(key, `${key}.away`);
    process.kill(signer, 'SIGKILL');
    await eventually('the server is not ready any more', async () =>
      (await fetch(`${baseUrl}/readyz`)).ok ? undefined : true,
    );
  }
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

/** The child of a process that runs a module. */
function childOf(pid: number, module: string): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return children
    .map(Number)
    .find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(module));
}
