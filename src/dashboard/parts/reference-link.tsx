import { referenceOf } from '../calls/places.ts';

/** Leads to the operation that a list or form is made of, by its tag and name in the reference. */
export function ReferenceLink({ operation }: { readonly operation: readonly [tag: string, name: string] }) {
  return (
    <a className="reference-link" href={referenceOf(...operation)}>
      API: {operation[1]}
    </a>
  );
}
