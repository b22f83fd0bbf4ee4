import type { KeyedAccount } from '../model.ts';
import type { Runtime } from './runtime.ts';

/** Returns an account with the lamports that make it rent-exempt, whatever it had. */
export function rentExempt(runtime: Runtime, { address, account }: KeyedAccount): KeyedAccount {
  return { address, account: { ...account, lamports: runtime.rentExemption(BigInt(account.data.length)) } };
}
