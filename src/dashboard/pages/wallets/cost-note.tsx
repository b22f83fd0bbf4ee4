import { referenceOf } from '../../calls/places.ts';

type CostNoteProps = {
  /** Row of the price list. */
  readonly price: string;
  readonly per: string;
  /** The operation that is charged. */
  readonly operation: readonly [tag: string, name: string];
};

/** Shows the price of an action in advance. */
export function CostNote({ price, per, operation: [tag, name] }: CostNoteProps) {
  return (
    <p className="muted">
      {per} costs <code>{price}</code> on the price list of your account. If your prepaid balance does not
      cover it, nothing is done. <a href={referenceOf(tag, name, 'wallets')}>Reference of {name}</a>
    </p>
  );
}
