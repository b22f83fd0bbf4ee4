import { CUSTOMER_SCOPES } from '../../src/account/identity/tokens/scopes.ts';
import { askAdmin } from '../../src/operate/admin/ask-admin.ts';
import { runAction } from './run-action.ts';

/** A request of the admin socket that has no form over HTTP, or the words of a command. */
export type Commanded = { readonly kind: string; readonly [member: string]: unknown } | readonly string[];

/** Gives a command to the server of a data directory; its result. */
export async function command(
  dataDir: string,
  request: Commanded,
): Promise<Readonly<Record<string, string>>> {
  const ask = async (sent: unknown): Promise<unknown> => {
    const answer = await askAdmin(dataDir, sent);
    if (answer === undefined) throw new Error(`no server runs on ${dataDir}`);
    return answer.result;
  };
  const isLine = (given: Commanded): given is readonly string[] => Array.isArray(given);
  const result = isLine(request) ? await runAction(request, ask) : await ask(request);
  return result as Readonly<Record<string, string>>;
}

/** Makes an access token, with every scope of a customer unless told otherwise, and the account if it is not there. */
export async function createToken(
  dataDir: string,
  account: string,
  options: { readonly scopes?: readonly string[]; readonly expiresInMs?: number } = {},
): Promise<{ readonly id: string; readonly token: string }> {
  const { id = '', token = '' } = await command(dataDir, {
    kind: 'tokens.create',
    account,
    scopes: CUSTOMER_SCOPES,
    ...options,
  });
  return { id, token };
}

/** Puts money into an account. */
export async function addCredit(dataDir: string, account: string, amountUsd: string): Promise<void> {
  await command(dataDir, { kind: 'money.credit', account, amountUsd });
}

/** Gives an account a second factor; its secret in base-32. */
export async function enrol(dataDir: string, account: string): Promise<string> {
  const { secret = '' } = await command(dataDir, { kind: 'two-factor.enrol', account });
  return secret;
}
