import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { DEVELOPMENT_EMAIL } from '../../src/account/setup/development-login.ts';
import { SCOPES } from '../../src/account/identity/tokens/scopes.ts';
import { sessionIn } from '../account/api/sessions/member-server.ts';
import { type RunningKeyslot, startKeyslot, startLocalnet } from '../support/keyslot.ts';
import { addCredit, command, createToken } from '../support/wallet-account.ts';
import { LEDGER_ARGS, LEDGER_ENV } from '../support/test-ledger.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** JSON-RPC address of the server that all client suites share, with its API key. */
    readonly rpcUrl: string;
    /** Address of its topic streams. */
    readonly grpcUrl: string;
    /** JSON-RPC address of an embedded ledger of its own, with no gateway before it. */
    readonly ledgerUrl: string;
    /** Address of the same server, and an access token of an account that has money. */
    readonly baseUrl: string;
    readonly accessToken: string;
    /** An access token of an account that operates the server, with every scope. */
    readonly operatorToken: string;
    /** A dashboard session of the development account. */
    readonly session: string;
  }
}

/** Starts one server, and an embedded ledger without one, for all client suites of a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [server, ledger] = await Promise.all([
    startKeyslot({ env: LEDGER_ENV }),
    startLocalnet({ args: LEDGER_ARGS }),
  ]);
  const { token } = await createToken(server.dataDir, 'clients');
  await addCredit(server.dataDir, 'clients', '10');
  await command(server.dataDir, ['accounts', 'create', 'operator', '--operator']);
  const operator = await createToken(server.dataDir, 'operator', { scopes: SCOPES });
  project.provide('rpcUrl', server.rpcUrl);
  project.provide('grpcUrl', server.grpcUrl);
  project.provide('ledgerUrl', ledger.rpcUrl);
  project.provide('baseUrl', server.baseUrl);
  project.provide('accessToken', token);
  project.provide('operatorToken', operator.token);
  project.provide('session', await signIn(server));
  return async () => {
    await Promise.all([server.stop(), ledger.stop()]);
  };
}

async function signIn({ baseUrl, dataDir }: RunningKeyslot): Promise<string> {
  const { dashboard_password: password } = JSON.parse(
    await readFile(join(dataDir, 'dev.json'), 'utf8'),
  ) as Record<string, string>;
  const answer = await fetch(`${baseUrl}/account/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: DEVELOPMENT_EMAIL, password }),
  });
  const session = sessionIn(answer);
  if (session === undefined) throw new Error(`no session: ${answer.status} ${await answer.text()}`);
  return session;
}
