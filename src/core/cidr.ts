import { BlockList, isIP } from 'node:net';

/** True for an IP address, or a network in CIDR notation (RFC 4632, RFC 4291). */
export function isCidr(text: string): boolean {
  return readCidr(text) !== undefined;
}

/**
 * Compiles networks into a test of whether an address lies in one of them. An entry that is not a valid CIDR matches nothing.
 * IPv4-mapped addresses (RFC 4291, section 2.5.5.2) count as IPv4; BlockList handles that.
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
