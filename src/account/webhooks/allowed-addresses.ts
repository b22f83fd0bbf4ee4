import { isIP, isIPv6 } from 'node:net';
import { compileCidrs } from '../../core/cidr.ts';
import { isLoopback } from '../../core/loopback.ts';

/** Returns true if events may be sent to an IP address. */
export type IsAllowed = (address: string) => boolean;

/** Addresses that events may be sent to. */
export type AllowedAddresses = {
  readonly any: IsAllowed;
  /** Addresses that may be used without TLS, because an operator or the machine itself vouches for them. */
  readonly plain: IsAllowed;
};

/**
 * Returns the rules for addresses: public ones, and those of the setting `webhooks.allowed_targets`. Public addresses are those that IANA
 * has allocated for the internet without a special purpose; IPv6 addresses that stand for an IPv4 address are not public.
 *
 * @param hasLoopback true for the development account of a server that only its own machine can reach.
 */
export function allowAddresses(allowedCidrs: readonly string[], hasLoopback: boolean): AllowedAddresses {
  const isListed = compileCidrs(allowedCidrs);
  const plain = (address: string): boolean => isListed(address) || (hasLoopback && isLoopback(address));
  return { plain, any: (address) => plain(address) || isPublic(address) };
}

/**
 * The range that IPv6 addresses are allocated from (IANA IPv6 Global Unicast Address Assignments); `::/96` and `64:ff9b::/96` are outside.
 */
const GLOBAL_UNICAST = compileCidrs(['2000::/3']);

/**
 * The IANA IPv4 and IPv6 Special-Purpose Address Registries as of RFC 9780 (April 2025), where an entry in another is left out; multicast
 * (RFC 5771); and documentation and transition prefixes that those registries call deprecated.
 */
const SPECIAL_PURPOSE = compileCidrs([
  ...[
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
  ],
  ...[
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '192.175.48.0/24',
  ],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
]);

function isPublic(address: string): boolean {
  if (isIPv6(address) && !GLOBAL_UNICAST(address)) return false;
  return isIP(address) !== 0 && !SPECIAL_PURPOSE(address);
}
