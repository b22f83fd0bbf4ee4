import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { BillingNotice, Tell } from '../account/billing/invoices/billing-notice.ts';
import { crossNow, createBillingWork } from '../account/billing/invoices/run-billing.ts';
import { readTerms } from '../account/billing/invoices/terms.ts';
import { billingMail } from '../account/email/billing-mail.ts';
import type { MemberMail } from '../account/email/member-mail.ts';
import type { Role } from '../account/identity/members/sessions.ts';
import { readAccountName } from '../account/accounts/account-name.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import { repeatSteps } from '../core/repeat-steps.ts';
import type { Clock } from '../core/clock.ts';
import { eq } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import { withStoreErrors } from '../store/store-errors.ts';
import { innermostError } from '../store/store-fault.ts';
import { accounts } from '../store/tables.ts';

export type BillingParts = {
  readonly config: Pick<Config, 'billing'>;
  readonly store: Store;
  /** Undefined where the server sends no mail. */
  readonly mail: Pick<MemberMail, 'tellMembers'> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
};

const WHERE = 'billing';
/** A notice of a low balance may be this late. */
const LOOK_MS = 5_000;
const TOLD = { kind: 'billing', roles: new Set<Role>(['owner', 'billing']) } as const;

/** The running work on the money of accounts. Close it when no request is under way, before the store. */
export type Billing = {
  /**
   * Makes an account invoiced if it has a credit limit and was charged enough this month, or would be by an operation that costs `wanted`
   * micro-USD. @returns true if it is invoiced now.
   */
  readonly payLater: (accountId: string, wanted?: bigint) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** Closes months, issues invoices and notices low balances. */
export function startBilling({ config, store, mail, clock, log }: BillingParts): Billing {
  const { seller, payment_note: paymentNote, payment_days: paymentDays } = config.billing;
  const tell: Tell = async (tx, notice, nowMs) => {
    if (mail === undefined) return;
    if (notice.kind === 'threshold') return notifyOperators(tx, mail, notice, nowMs);
    const mailOf = (to: string, account: string) => billingMail(notice, { to, account });
    await mail.tellMembers(tx, { ...TOLD, accountId: notice.accountId, mailOf }, nowMs);
  };
  const onNotice = (notice: BillingNotice): void => {
    const { kind, accountId: account } = notice;
    if (kind === 'threshold')
      log.warn({ account }, 'an account was charged more than the invoice threshold, without a credit limit');
    else log.info({ account, notice: kind }, 'billing');
  };
  const work = createBillingWork({
    store,
    texts: { seller, paymentNote, paymentDays },
    tell,
    onNotice,
    onFailure: (error, account) => {
      log.error({ account, reason: messageOf(error) }, 'the billing of an account fails; trying again');
    },
  });
  const stop = repeatSteps({
    step: () => withStoreErrors(WHERE, () => work(clock.nowMs())),
    failure: 'the billing of accounts fails; trying again',
    restMs: LOOK_MS,
    log,
  });
  const payLater = async (accountId: string, wanted = 0n): Promise<boolean> => {
    const notices = await crossNow(store, accountId, clock.nowMs(), { tell, wanted });
    for (const notice of notices) onNotice(notice);
    // Another request may have made it so.
    return (await readTerms(store.db, accountId)).invoicedSince !== undefined;
  };
  return { payLater, close: stop };
}

async function notifyOperators(
  tx: StoreTransaction,
  mail: Pick<MemberMail, 'tellMembers'>,
  notice: BillingNotice,
  nowMs: number,
): Promise<void> {
  const account = await readAccountName(tx, notice.accountId);
  const mailOf = (to: string) => billingMail(notice, { to, account });
  const operators = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.operates, true));
  for (const { id: accountId } of operators)
    await mail.tellMembers(tx, { ...TOLD, accountId, mailOf }, nowMs);
}

function messageOf(error: unknown): string {
  const innermost = innermostError(error);
  return innermost instanceof Error ? innermost.message : String(innermost);
}
