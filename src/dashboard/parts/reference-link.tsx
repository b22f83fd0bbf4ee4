import { referenceOf } from '../calls/places.ts';

/** A link to the operation behind a list or form, by its tag and name in the reference. */
export function ReferenceLink({ operation }: { readonly operation: readonly [tag: string, name: string] }) {
  return (
    <a className="reference-link" href={referenceOf(...operation)}>
      API: {operation[1]}
    </a>
  );
}
