import { serviceError } from '../../core/service-error.ts';
import { supplyProblem } from '../accounts/supply-problem.ts';
import { UPGRADEABLE_LOADER } from '../addresses/program-ids.ts';
import { RESERVED_KEYS } from '../addresses/reserved-keys.ts';
import * as sysvars from '../addresses/sysvar-addresses.ts';
import type { AccountChange } from '../disk/account-bytes.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';

const SYSVARS: ReadonlySet<string> = new Set(Object.values(sysvars));

/** Reads an account as it is in the open slot. */
export function readOpen({ accounts, blocks }: Ledger, address: string): Account | undefined {
  return accounts.read(address, blocks.openSlot);
}

/**
 * Sets accounts in the open slot, all or none; one without lamports is removed. The code of a program comes before it.
 *
 * @throws ServiceError invalidParam: an account follows from the slot, the ledger cannot run without it, there are too many lamports, or
 *   the runtime refuses it with the reason `refusal`.
 */
export function writeAccounts(ledger: Ledger, changes: readonly AccountChange[], refusal: string): void {
  const { runtime, accounts, blocks } = ledger;
  for (const change of changes) assertSettable(ledger, change);
  assertSupply(ledger, changes);
  const written: string[] = [];
  try {
    for (const { address, account } of changes) {
      written.push(address);
      runtime.write(address, present(account));
    }
  } catch (error) {
    for (const address of written) ledger.bank.place(address, blocks.openSlot);
    throw serviceError('invalidParam', { reason: refusal }, error);
  }
  const code = changes.filter(({ address, account }) => isCode(account) || isCode(readOpen(ledger, address)));
  for (const { address, account } of changes) accounts.write(address, present(account), blocks.openSlot);
  // A program runs its new code, or none.
  if (code.length > 0)
    ledger.bank.follow(
      code.map(({ address }) => address),
      blocks.openSlot,
    );
}

function isCode(account: Account | undefined): boolean {
  return account?.owner === UPGRADEABLE_LOADER && !account.executable;
}

function assertSettable(ledger: Ledger, { address, account }: AccountChange): void {
  const isKept = ledger.accounts.isDerived(address) || SYSVARS.has(address);
  const isRemoved = present(account) === undefined;
  if (!isKept && !(isRemoved && isNeeded(ledger, address))) return;
  throw serviceError('invalidParam', {
    reason: `${address} is kept by the ledger itself and cannot be ${isKept ? 'set' : 'removed'}`,
  });
}

/** True for native programs, and for the accounts that the ledger pays and votes with. */
function isNeeded({ genesis }: Ledger, address: string): boolean {
  const { faucet, identity, voteAddress } = genesis;
  return RESERVED_KEYS.has(address) || [faucet.address, identity.address, voteAddress].includes(address);
}

function assertSupply(ledger: Ledger, changes: readonly AccountChange[]): void {
  let total = ledger.accounts.lamports;
  for (const { address, account } of changes) {
    const before = readOpen(ledger, address)?.lamports ?? 0n;
    const lamports = account?.lamports ?? 0n;
    const others = total - before;
    const reason = lamports > before ? supplyProblem(address, { lamports, others }) : undefined;
    if (reason !== undefined) throw serviceError('invalidParam', { reason });
    total = others + lamports;
  }
}

function present(account: Account | undefined): Account | undefined {
  return account?.lamports === 0n ? undefined : account;
}
