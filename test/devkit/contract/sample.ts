import { isThorough } from '../../support/tier.ts';

/** The cases of a method, a subscription or an operation that the short tier sends: the first of each kind. A thorough run sends all. */
export function sampleOf<T extends { readonly kind: string }>(cases: readonly T[]): readonly T[] {
  if (isThorough) return cases;
  return cases.filter(({ kind }, at) => cases.findIndex((each) => each.kind === kind) === at);
}
