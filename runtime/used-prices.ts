import type { ShownPrices } from './read-audit-record.ts';
import { parseUsd, printUsd } from './micro-usd.ts';
import type { Price, PriceBook } from './price-book.ts';

/** Prices of a row in the charges of a bill, in micro-USD per unit. */
export type UsedPrices = Price & {
  readonly operation: string;
  readonly volumeThreshold: bigint;
  /** The first record with them. */
  readonly fromSeq: number;
  readonly units: bigint;
  /** True: the records state them; otherwise they are those of this program's price list. */
  readonly isStated: boolean;
  /** True: this program's price list has the same prices. */
  readonly isListed: boolean;
};

/** Units of a charge and their position. */
export type UsedBy = { readonly operation: string; readonly seq: number; readonly units: bigint };

/** Collects the prices of charges, in the order in which they arrive. */
export class PriceLog {
  readonly #list: PriceBook;
  readonly #used = new Map<string, UsedPrices>();
  /** By row. */
  readonly #last = new Map<string, PriceBook>();

  constructor(list: PriceBook) {
    this.#list = list;
  }

  /** Returns the prices to check a charge with: those that its record states, otherwise those of the price list, if it has any. */
  add({ operation, seq, units }: UsedBy, stated: ShownPrices | undefined): PriceBook | undefined {
    const book = stated === undefined ? this.#listed(operation) : readStated(operation, stated);
    const price = book?.prices[operation];
    if (book === undefined || price === undefined) return undefined;
    if (stated !== undefined) this.#last.set(operation, book);
    const isStated = stated !== undefined;
    const key = [operation, price.standard, price.volume, book.volumeThreshold, isStated].join(' ');
    const before = this.#used.get(key) ?? {
      ...price,
      operation,
      volumeThreshold: book.volumeThreshold,
      fromSeq: seq,
      units: 0n,
      isStated,
      isListed: isSame(this.#listed(operation), book, operation),
    };
    this.#used.set(key, { ...before, units: before.units + units });
    return book;
  }

  used(): readonly UsedPrices[] {
    return [...this.#used.values()];
  }

  /** Returns the prices that the last record stated for a row. */
  lastStated(operation: string): PriceBook | undefined {
    return this.#last.get(operation);
  }

  #listed(operation: string): PriceBook | undefined {
    return Object.hasOwn(this.#list.prices, operation) ? this.#list : undefined;
  }
}

/** Describes the prices that were used. */
export function describePrices(used: UsedPrices): string {
  const { operation, standard, volume, volumeThreshold, units, fromSeq, isStated, isListed } = used;
  const amounts = `${printUsd(standard)} USD, ${printUsd(volume)} USD above ${volumeThreshold} units a month`;
  const source = isStated
    ? isListed
      ? ''
      : ' (not those of the price list of this program: compare them with the agreed prices)'
    : ' (of the price list of this program; the records do not state them)';
  return `${operation}: ${amounts}, for ${units} units from record ${fromSeq} on${source}`;
}

function isSame(listed: PriceBook | undefined, book: PriceBook, operation: string): boolean {
  const [own, other] = [listed?.prices[operation], book.prices[operation]];
  return (
    listed?.volumeThreshold === book.volumeThreshold &&
    own?.standard === other?.standard &&
    own?.volume === other?.volume
  );
}

/** Invalid amounts are 0: no charge follows from them. */
function readStated(operation: string, stated: ShownPrices): PriceBook {
  const { standard_usd: standard, volume_usd: volume, volume_threshold: threshold } = stated;
  const price = { standard: parseUsd(standard) ?? 0n, volume: parseUsd(volume) ?? 0n };
  return { prices: { [operation]: price }, volumeThreshold: BigInt(threshold) };
}
