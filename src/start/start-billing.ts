import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { BillingNotice } from '../account/billing/billing-notice.ts';
import { crossNow } from '../account/billing/cross-thresholds.ts';
import { readTerms } from '../account/billing/terms.ts';
import { createBillingWork } from '../account/billing/run-billing.ts';
import { billingMail } from '../account/mail/billing-mail.ts';
import type { MemberMail } from '../account/mail/member-mail.ts';
import type { Role } from '../account/members/sessions.ts';
import { readAccountName } from '../account/account-name.ts';
import type { Tell } from '../account/billing/tell-notices.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import { repeatSteps } from '../account/repeat-steps.ts';
import type { Clock } from '../base/clock.ts';
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
/** How late a notice of a low balance may be. */
const LOOK_MS = 5_000;
const TOLD = { kind: 'billing', roles: new Set<Role>(['owner', 'billing']) } as const;

/** The work on the money of accounts while it goes on. Close it when no request is under way, before the store. */
export type Billing = {
  /** Makes an account invoiced if it was charged enough this month and has a credit limit. @returns true if it is invoiced now. */
  readonly payLater: (accountId: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** Closes months, issues invoices and notices low balances. */
export function startBilling({ config, store, mail, clock, log }: BillingParts): Billing {
  const { seller, payment_note: paymentNote, payment_days: paymentDays } = config.billing;
  const tell: Tell = async (tx, notice, nowMs) => {
    if (mail === undefined) return;
    if (notice.kind === 'threshold') return tellOperators(tx, mail, notice, nowMs);
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
    ...{ store, texts: { seller, paymentNote, paymentDays }, tell, onNotice },
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
  const payLater = async (accountId: string): Promise<boolean> => {
    for (const notice of await crossNow(store, accountId, clock.nowMs(), tell)) onNotice(notice);
    // Another request may have made it so.
    return (await readTerms(store.db, accountId)).invoicedSince !== undefined;
  };
  return { payLater, close: stop };
}

async function tellOperators(
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
