import { compileCidrs } from '../../../core/cidr.ts';

/** Origins and addresses that a key may be used from. An empty list allows everything. */
export type KeyRules = {
  /** Values of the header Origin, such as `https://app.example`. */
  readonly origins: readonly string[];
  /** Networks (`10.0.0.0/8`, `2001:db8::/32`) or single addresses. */
  readonly cidrs: readonly string[];
};

export const NO_RULES: KeyRules = { origins: [], cidrs: [] };

/** The reason why a request may not use a key, by its name in the catalogue. */
export type RuleBreach = 'apiKeyOriginRefused' | 'apiKeyAddressRefused';

/** Origin and address of a request, as far as they are known. */
export type RequestSource = { readonly origin: string | undefined; readonly address: string | undefined };

/** Compiled rules; undefined if there are none. A required value that is unknown is a breach. */
export type CheckSource = (source: RequestSource) => RuleBreach | undefined;

/** True for an origin as browsers send it: scheme, host and, unless it is the default, port. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

/** Compiles rules for checking. An entry that is not a CIDR allows nothing. */
export function compileRules({ origins, cidrs }: KeyRules): CheckSource | undefined {
  if (origins.length === 0 && cidrs.length === 0) return undefined;
  const known = new Set(origins);
  const isInside = compileCidrs(cidrs);
  return ({ origin, address }) => {
    if (cidrs.length > 0 && !isInside(address)) return 'apiKeyAddressRefused';
    return origins.length > 0 && !known.has(origin ?? '') ? 'apiKeyOriginRefused' : undefined;
  };
}
