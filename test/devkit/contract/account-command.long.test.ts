import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { ACCOUNT_CONTRACT } from '../../../generated/contract/account/contract.ts';
import { OPERATIONS } from '../../../generated/account/operations.ts';
import { openMembers, type TestMembers } from '../../account/api/live/provision-members.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';
import { command, createToken } from '../../support/wallet-account.ts';
import { useContractCommand } from './use-contract-command.ts';
import { startWalletProxy } from './wallet-proxy.ts';

const { contract, running } = useContractCommand();

type Part = {
  readonly operation: string;
  readonly verdict: string;
  readonly held: number;
  readonly leftOut: number;
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly cases: readonly { readonly name: string; readonly outcome: string }[];
};

const partsIn = (stdout: string) => (JSON.parse(stdout) as { readonly account: readonly Part[] }).account;
const verdictsIn = (stdout: string) =>
  Object.fromEntries(partsIn(stdout).map(({ operation, verdict }) => [operation, verdict]));

/** Operations with the verdict of a run that can send those of their good requests for which `canSend` is true. */
const verdictsWhere = (canSend: (example: RestCase) => boolean) =>
  Object.fromEntries(
    Object.entries(ACCOUNT_CONTRACT).map(([name, { cases }]) => [
      name,
      cases.some((item) => item.kind === 'example' && (isPublicRead(item) || canSend(item)))
        ? 'holds'
        : 'unproven',
    ]),
  );
const isRead = ({ request }: RestCase): boolean => request.method === 'GET';
/** Needs something that a run without writes cannot make. */
const isOfMade = ({ request }: RestCase): boolean => request.path.includes('$fresh_');
/** Needs an invoice, which no run can make: a month has to end first. */
const isOfInvoice = ({ request }: RestCase): boolean => request.path.includes('$invoice_number');
/** Needs nothing, so that every run sends it. */
const isPublicRead = (item: RestCase): boolean =>
  isRead(item) && item.request.token === 'none' && item.request.session === undefined;
const takesToken = ({ request }: RestCase): boolean => request.token === '$token';
const READING = ['account:read', 'audit:read', 'billing:read'];
const takesSession = ({ request }: RestCase): boolean => request.session === '$session';

const postgres = await findPostgres();

if (postgres === undefined)
  test('the contract run of the account service', (context) => context.skip(POSTGRES_MISSING));
else describe('the contract run of the account service', () => onServer(postgres));

function onServer(postgresUrl: string): void {
  const stack = new AsyncDisposableStack();
  let server: RunningKeyslot;
  let members: TestMembers;

  beforeAll(async () => {
    const database = await createDatabase(postgresUrl);
    stack.defer(database.drop);
    server = await startKeyslot({ env: { KEYSLOT_DATABASE_URL: database.url } });
    stack.defer(server.stop);
    members = await openMembers({ dataDir: server.dataDir, databaseUrl: database.url });
    stack.defer(members.close);
  });
  afterAll(() => stack.disposeAsync());

  const activeOf = async (kind: 'keys' | 'tokens', account: string): Promise<number> => {
    const listed = (await command(server.dataDir, { kind: `${kind}.list`, account })) as unknown as Readonly<
      Record<string, readonly { readonly revoked_at: string | null }[]>
    >;
    return (listed[kind] ?? []).filter((each) => each.revoked_at === null).length;
  };

  test('a token alone reads and is refused, makes nothing, and every case left out says why', async () => {
    const { token } = await createToken(server.dataDir, 'reader', { scopes: READING });
    const { ended, stdout, stderr } = await contract('--url', server.baseUrl, '--token', token, '--json');
    expect([ended, stderr]).toEqual(['exit code 0', '']);
    expect(verdictsIn(stdout)).toEqual(
      verdictsWhere((item) => takesToken(item) && isRead(item) && !isOfMade(item) && !isOfInvoice(item)),
    );
    for (const { leftOut, reasons } of partsIn(stdout))
      expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(leftOut);
    expect(partsIn(stdout).reduce((sum, { held }) => sum + held, 0)).toBeGreaterThan(100);
    expect(stdout).toContain('no session is given (--session)');
    expect([await activeOf('keys', 'reader'), await activeOf('tokens', 'reader')]).toEqual([0, 1]);
    expect(stdout).not.toContain(token);
  });

  test('with writes and a session all that needs neither a person nor a link holds, and nothing is left behind', async () => {
    const { token } = await createToken(server.dataDir, 'writer');
    const owner = await members.newOwner(await members.accountIdOf('writer'));
    const session = await members.newSession(owner);
    const args = ['--url', server.baseUrl, '--token', token, '--session', session, '--allow-writes'];
    const { ended, stdout, stderr } = await contract(...args, '--json');
    expect([ended, stderr]).toEqual(['exit code 0', '']);
    expect(verdictsIn(stdout)).toEqual(
      verdictsWhere(
        (item) => !isOfInvoice(item) && (takesToken(item) || (takesSession(item) && isRead(item))),
      ),
    );
    expect(stdout).toContain('it would change the given member or session');
    expect([await activeOf('keys', 'writer'), await activeOf('tokens', 'writer')]).toEqual([0, 1]);
    expect(await members.holderOf(session)).toMatchObject({ role: 'owner' });
    expect(stdout).not.toContain(token);
    expect(stdout).not.toContain(session);
  });

  test('a fault of one operation is found there and nowhere else', async () => {
    const { token } = await createToken(server.dataDir, 'faulty', {
      scopes: ['account:read', 'keys:manage', 'tokens:manage'],
    });
    const { url, stop } = await startWalletProxy(server.baseUrl, (text, { method, url: path }) =>
      method === 'GET' && path?.startsWith(OPERATIONS.listTokens.path)
        ? text.replace('"tokens":', '"unheard_of":1,"tokens":')
        : text,
    );
    running.push({ stop });
    const { ended, stdout } = await contract('--url', url, '--token', token, '--json');
    expect(ended).toBe('exit code 1');
    expect(
      partsIn(stdout)
        .filter(({ verdict }) => verdict === 'differs')
        .map(({ operation }) => operation),
    ).toEqual(['listTokens']);
  });

  test('a token that may not read the account leaves the service out, unless it is asked for', async () => {
    const { token } = await createToken(server.dataDir, 'walleted', { scopes: ['wallets:read'] });
    const args = ['--url', server.baseUrl, '--token', token, '--json'];
    expect(partsIn((await contract(...args)).stdout)).toEqual([]);
    const asked = await contract(...args, '--account');
    expect(asked.ended).toBe('exit code 0');
    expect(partsIn(asked.stdout)).toHaveLength(Object.keys(ACCOUNT_CONTRACT).length);
  });

  test.each([
    [['--account'], '--account needs --token or --session'],
    [['--session', 'ks_ses_wrong'], 'the account service refuses the session (HTTP 401)'],
    [['--session', 'a;b'], '--session is not a valid session'],
  ])('%j is a mistake that is told without what is secret', async (args, reason) => {
    const { ended, stdout, stderr } = await contract('--url', server.baseUrl, ...args);
    expect([ended, stdout]).toEqual(['exit code 2', '']);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('ks_ses_wrong');
  });
}
