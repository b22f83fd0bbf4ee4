import type { InvoiceLine } from '../../../../../generated/account/types.ts';
import { Count, Usd } from '../../../parts/number.tsx';
import { priceRowName } from '../../../parts/price-row.ts';

const TIERS = {
  standard: 'standard price',
  volume: 'volume price',
  earlier_prices: 'difference to earlier prices',
} as const satisfies Record<InvoiceLine['tier'], string>;

/** The charges of an invoice: a line for each row of the price list and each of its prices. On a narrow screen units and price are below its name. */
export function InvoiceLines({ lines }: { readonly lines: readonly InvoiceLine[] }) {
  return (
    <table className="paper-table">
      <caption className="only-read">What was charged</caption>
      <thead>
        <tr>
          <th scope="col">What was charged</th>
          <th scope="col" className="cell-number paper-wide">
            Units
          </th>
          <th scope="col" className="cell-number paper-wide">
            Price
          </th>
          <th scope="col" className="cell-number">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Line key={`${line.operation} ${line.tier}`} line={line} />
        ))}
      </tbody>
    </table>
  );
}

function Line({
  line: { operation, tier, units, unit_price_usd, amount_usd },
}: {
  readonly line: InvoiceLine;
}) {
  const isDifference = tier === 'earlier_prices';
  return (
    <tr>
      <th scope="row">
        {priceRowName(operation)}{' '}
        <small className="muted">
          {TIERS[tier]}
          {!isDifference && (
            <span className="paper-narrow">
              : <Count value={units} /> × <Usd amount={unit_price_usd} />
            </span>
          )}
        </small>
      </th>
      <td className="cell-number paper-wide">{!isDifference && <Count value={units} />}</td>
      <td className="cell-number paper-wide">{!isDifference && <Usd amount={unit_price_usd} />}</td>
      <td className="cell-number">
        <Usd amount={amount_usd} />
      </td>
    </tr>
  );
}
