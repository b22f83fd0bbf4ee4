import type { ChainRecord } from './audit-chain.ts';
import type { BilledInvoice, BillLine } from './bill.ts';
import { invoiceLines } from './invoice-lines.ts';
import { parseUsd, printUsd } from './micro-usd.ts';
import { type PriceBook, priceOf } from './price-book.ts';
import type { ShownPrices } from './read-audit-record.ts';
import { PriceLog, type UsedPrices } from './used-prices.ts';

/** The prices that an invoice is checked with. */
export type BillPrices = {
  readonly book: PriceBook;
  /** Credits for missed availability, in percent of the charges: the last row above the availability counts. */
  readonly credits: readonly { readonly below_percent: number; readonly credit_percent: number }[];
};

/** The sums of a month's records, in micro-USD. */
export type Billed = { readonly charged: bigint; readonly serviceCredit: bigint; readonly total: bigint };

/** A difference between an invoice and its records. Amounts are USD. */
export type BillFault =
  /** A charge does not follow from the prices that its record states, or, if it states none, from the price list. */
  | {
      readonly kind: 'charge';
      readonly seq: number;
      readonly operation: string;
      readonly charged: string;
      readonly isStated: boolean;
      /** Undefined: the price list has no such row. */
      readonly expected: string | undefined;
    }
  | {
      readonly kind: 'line';
      readonly operation: string;
      readonly tier: BillLine['tier'];
      readonly stated: string;
      readonly recomputed: string;
    }
  /** A total: `charged_usd`, `service_credit_usd`, `total_usd`, `due_usd`. */
  | { readonly kind: 'total'; readonly member: string; readonly stated: string; readonly recomputed: string }
  /** The credit is not the one that its table gives for the availability. */
  | { readonly kind: 'credit'; readonly stated: string; readonly expected: string };

const SERVICE_CREDIT = 'service_credit';
const CREDIT_NOTE = 'credit_note';
const NOTHING = 'nothing';

type TalliedCharge = Sum & { readonly operation: string; readonly prices: ShownPrices | undefined };

type Sum = { units: bigint; amount: bigint };

/** Adds up the charges of an invoice's month, in the order in which they were made. */
export class BillTally {
  readonly #invoice: BilledInvoice;
  readonly #prices: BillPrices;
  readonly #sums = new Map<string, Sum>();
  readonly #priceLog: PriceLog;
  #serviceCredit = 0n;

  constructor(invoice: BilledInvoice, prices: BillPrices) {
    this.#invoice = invoice;
    this.#prices = prices;
    this.#priceLog = new PriceLog(prices.book);
  }

  /** Adds the charges of a record. @returns those that do not follow from their prices. */
  add({ seq, charges = [] }: ChainRecord): readonly BillFault[] {
    return charges
      .filter(({ month }) => month === this.#invoice.month)
      .flatMap(({ operation, units, amount_usd: amount, prices }) =>
        this.#addCharge(seq, { operation, units: BigInt(units), amount: parseUsd(amount) ?? 0n, prices }),
      );
  }

  /** Returns the sums so far. */
  billed(): Billed {
    const charged = [...this.#sums.values()].reduce((sum, { amount }) => sum + amount, 0n);
    return { charged, serviceCredit: this.#serviceCredit, total: charged - this.#serviceCredit };
  }

  /** Returns the prices of the charges. */
  usedPrices(): readonly UsedPrices[] {
    return this.#priceLog.used();
  }

  /** Returns the differences between the invoice and the sums. */
  compare(): readonly BillFault[] {
    const { charged, serviceCredit, total } = this.billed();
    const invoice = this.#invoice;
    const due = total - (parseUsd(invoice.paid_usd) ?? 0n);
    const totals = {
      charged_usd: charged,
      service_credit_usd: serviceCredit,
      total_usd: total,
      due_usd: due,
    };
    const faults = Object.entries(totals).map(([member, amount]): BillFault | undefined => {
      const stated = invoice[member as keyof typeof totals];
      return stated === printUsd(amount)
        ? undefined
        : { kind: 'total', member, stated, recomputed: printUsd(amount) };
    });
    return [...this.#compareLines(), ...faults, this.#compareCredit(charged)].filter(
      (fault) => fault !== undefined,
    );
  }

  #addCharge(seq: number, charge: TalliedCharge): readonly BillFault[] {
    const { operation, units, amount, prices } = charge;
    if (operation === CREDIT_NOTE) return [];
    if (operation === SERVICE_CREDIT) {
      this.#serviceCredit -= amount;
      return [];
    }
    const sum = this.#sums.get(operation) ?? { units: 0n, amount: 0n };
    const book = this.#priceLog.add({ operation, seq, units }, prices);
    const expected = book === undefined ? undefined : priceOf(book, { operation, before: sum.units, units });
    this.#sums.set(operation, { units: sum.units + units, amount: sum.amount + amount });
    if (expected === amount) return [];
    const stated = {
      charged: printUsd(amount),
      expected: expected === undefined ? undefined : printUsd(expected),
    };
    return [{ kind: 'charge', seq, operation, isStated: prices !== undefined, ...stated }];
  }

  #compareLines(): readonly BillFault[] {
    const keyOf = ({ operation, tier }: Pick<BillLine, 'operation' | 'tier'>) => `${operation} ${tier}`;
    const stated = new Map(this.#invoice.lines.map((line) => [keyOf(line), line]));
    const lines = [...this.#sums].flatMap(([operation, sum]) =>
      invoiceLines(this.#bookOfLines(operation, sum.units), [{ operation, ...sum }]),
    );
    const recomputed = new Map(lines.map((line) => [keyOf(line), line]));
    return [...new Set([...stated.keys(), ...recomputed.keys()])].flatMap((key) => {
      const [own, other] = [stated.get(key), recomputed.get(key)];
      const { operation, tier } = own ?? other ?? { operation: '', tier: 'standard' };
      const texts = { stated: describe(own), recomputed: describe(other) };
      return texts.stated === texts.recomputed ? [] : [{ kind: 'line', operation, tier, ...texts } as const];
    });
  }

  /**
   * The prices of the lines of a row. An invoice is written with the price list of its day, which may be newer than every charge: then the
   * line of earlier prices has the difference. So if records state prices, those of the lines are taken, and only units and amounts are
   * compared with the records.
   */
  #bookOfLines(operation: string, units: bigint): PriceBook {
    const lastStated = this.#priceLog.lastStated(operation);
    if (lastStated === undefined) return this.#prices.book;
    const ofTier = (tier: BillLine['tier']) =>
      this.#invoice.lines.find((line) => line.operation === operation && line.tier === tier);
    const [first, second] = [ofTier('standard'), ofTier('volume')];
    const standard = parseUsd(first?.unit_price_usd ?? '');
    const volume = second === undefined ? standard : parseUsd(second.unit_price_usd);
    if (standard === undefined || volume === undefined || !Number.isSafeInteger(first?.units))
      return lastStated;
    const volumeThreshold = second === undefined ? units : BigInt(first?.units ?? 0);
    return { prices: { [operation]: { standard, volume } }, volumeThreshold };
  }

  /** Rounded up to a micro-USD, as in the books. */
  #compareCredit(charged: bigint): BillFault | undefined {
    const reached = Number(this.#invoice.availability_percent);
    const row = this.#prices.credits.findLast(({ below_percent: below }) => reached < below);
    const expected = (charged * BigInt(row?.credit_percent ?? 0) + 99n) / 100n;
    return expected === this.#serviceCredit
      ? undefined
      : { kind: 'credit', stated: printUsd(this.#serviceCredit), expected: printUsd(expected) };
  }
}

function describe(line: BillLine | undefined): string {
  if (line === undefined) return NOTHING;
  return `${line.units} at ${line.unit_price_usd} USD, ${line.amount_usd} USD`;
}
