import { BlockList, isIP } from 'node:net';

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

/** Whether a text is an address, or a network in CIDR notation (RFC 4632, RFC 4291). */
export function isCidr(text: string): boolean {
  return readCidr(text) !== undefined;
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

/**
 * Makes networks ready to be asked whether an address lies in one of them. An entry that is no CIDR holds nothing. IPv4-mapped
 * addresses (RFC 4291, section 2.5.5.2) count as IPv4: BlockList sees to it.
 */
export function compileCidrs(cidrs: readonly string[]): (address: string | undefined) => boolean {
  const networks = new BlockList();
  for (const { address, bits, family } of cidrs.flatMap((cidr) => readCidr(cidr) ?? [])) {
    networks.addSubnet(address, bits, family);
  }
  return (address = '') => {
    const version = isIP(address);
    return version !== 0 && networks.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

type Network = { readonly address: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' };

function readCidr(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? most : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (version === 0 || address.includes('%') || rest.length > 0 || bits < 0 || bits > most) return undefined;
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' };
}
