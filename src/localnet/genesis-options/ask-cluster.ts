import { callNodeAt } from '../fork/call-node.ts';
import { fetchAccounts } from '../fork/fetch-accounts.ts';
import type { Account } from '../model.ts';
import { optionProblem } from './option-problem.ts';

/** A call with `ACCOUNTS_PER_CALL` accounts of the largest size in base-64 is answered within these limits. */
const LIMITS = { deadlineMs: 60_000, maxAnswerBytes: 160 * 1024 * 1024, attempts: 1 };
/** Accounts of one call: programs are large. */
const ACCOUNTS_PER_CALL = 10;

/**
 * Fetches accounts from a ledger node, in order; undefined: there is none.
 *
 * @throws ServiceError invalidConfig naming the host alone: the rest of an address may contain a key.
 */
export async function askCluster(
  url: URL,
  addresses: readonly string[],
): Promise<readonly (Account | undefined)[]> {
  const call = callNodeAt(url, LIMITS);
  const accounts: (Account | undefined)[] = [];
  for (let at = 0; at < addresses.length; at += ACCOUNTS_PER_CALL) {
    const fetched = await fetchAccounts(call, addresses.slice(at, at + ACCOUNTS_PER_CALL));
    if (fetched.kind === 'refusal')
      throw optionProblem(`--url: accounts cannot be cloned from ${url.host}: ${fetched.reason}`);
    accounts.push(...fetched.accounts.map(({ account }) => account));
  }
  return accounts;
}
