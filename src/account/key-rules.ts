import { compileCidrs } from '../base/cidr.ts';

/** From where a key may be used. An empty list allows everything. */
export type KeyRules = {
  /** Values of the header Origin, such as `https://app.example`. */
  readonly origins: readonly string[];
  /** Networks (`10.0.0.0/8`, `2001:db8::/32`) or single addresses. */
  readonly cidrs: readonly string[];
};

export const NO_RULES: KeyRules = { origins: [], cidrs: [] };

/** Why a request may not use a key: the names are those of the catalogue. */
export type RuleBreach = 'apiKeyOriginRefused' | 'apiKeyAddressRefused';

/** Where a request comes from, as far as it is known. */
export type RequestPlace = { readonly origin: string | undefined; readonly address: string | undefined };

/** Rules made ready; undefined if there are none. What is asked for and not known is a breach. */
export type CheckPlace = (place: RequestPlace) => RuleBreach | undefined;

/** Whether a text is an origin as browsers send it: scheme, host and, unless it is the usual one, port. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

/** Makes rules ready to be checked. An entry that is no CIDR allows nothing. */
export function compileRules({ origins, cidrs }: KeyRules): CheckPlace | undefined {
  if (origins.length === 0 && cidrs.length === 0) return undefined;
  const known = new Set(origins);
  const isInside = compileCidrs(cidrs);
  return ({ origin, address }) => {
    if (cidrs.length > 0 && !isInside(address)) return 'apiKeyAddressRefused';
    return origins.length > 0 && !known.has(origin ?? '') ? 'apiKeyOriginRefused' : undefined;
  };
}
