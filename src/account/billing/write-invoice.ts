import type { Invoice } from '../../../generated/account/types.ts';
import { type ChargedUnits, invoiceLines } from '../../../runtime/invoice-lines.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';
import { SPEC_PRICES } from '../money/prices.ts';
import type { Availability } from '../service-level/read-availability.ts';
import { printAvailability } from '../service-level/print-availability.ts';
import { creditPercentOf } from '../service-level/service-credit.ts';

/** What every invoice of an installation says. */
export type InvoiceTexts = {
  readonly seller: string;
  readonly paymentNote: string;
  readonly paymentDays: number;
};

/** What an invoice is made of; amounts in micro-USD. */
export type InvoiceFacts = {
  readonly number: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly recipient: string;
  readonly month: string;
  readonly units: readonly ChargedUnits[];
  readonly charged: bigint;
  readonly availability: Availability;
  readonly serviceCredit: bigint;
  /** What deposits do not pay of it. */
  readonly due: bigint;
  readonly fromSeq: number;
  readonly nowMs: number;
};

const DAY_MS = 86_400_000;

/** Writes an invoice. */
export function writeInvoice(
  { seller, paymentNote, paymentDays }: InvoiceTexts,
  facts: InvoiceFacts,
): Invoice {
  const { number, accountId, accountName, recipient, month, units, charged, serviceCredit, due } = facts;
  const total = charged - serviceCredit;
  return {
    ...{ number, account_id: accountId, account_name: accountName, month },
    issued_at: new Date(facts.nowMs).toISOString(),
    due_on: new Date(facts.nowMs + paymentDays * DAY_MS).toISOString().slice(0, 10),
    ...{ seller, recipient, payment_note: paymentNote, currency: 'USD' },
    lines: invoiceLines(SPEC_PRICES, units),
    charged_usd: printUsd(charged),
    availability_percent: printAvailability(facts.availability),
    service_credit_percent: creditPercentOf(facts.availability),
    service_credit_usd: printUsd(serviceCredit),
    ...{ total_usd: printUsd(total), paid_usd: printUsd(total - due), due_usd: printUsd(due) },
    from_seq: facts.fromSeq,
  };
}
