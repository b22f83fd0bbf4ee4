import { referenceOf } from '../../calls/places.ts';

type CostNoteProps = {
  /** Row of the price list. */
  readonly price: string;
  readonly per: string;
  /** The operation that is charged. */
  readonly operation: readonly [tag: string, name: string];
};

/** Says what an action is charged by, before it is. */
export function CostNote({ price, per, operation: [tag, name] }: CostNoteProps) {
  return (
    <p className="muted">
      {per} is charged by <code>{price}</code> of the price list of your account. If your prepaid balance does
      not cover it, nothing is done. <a href={referenceOf(tag, name, 'wallets')}>Reference of {name}</a>
    </p>
  );
}
