import ipaddr from 'ipaddr.js';
import { compileCidrs } from '../base/cidr.ts';
import { isLoopback } from '../base/loopback.ts';

/** Says whether events may be sent to an IP address. */
export type IsAllowed = (address: string) => boolean;

/** Addresses that events may be sent to. */
export type AllowedAddresses = {
  readonly any: IsAllowed;
  /** Also without TLS: what an operator or the machine itself vouches for. */
  readonly plain: IsAllowed;
};

/**
 * Returns the rules for addresses: public ones, and those of the setting `webhooks.allowed_targets`. Private, loopback, link-local, multicast
 * and reserved addresses (the IANA special-purpose registries) are not public, nor are IPv6 addresses that stand for an IPv4 address.
 *
 * @param hasLoopback true for the development account of a server that only its own machine can reach.
 */
export function allowAddresses(allowedCidrs: readonly string[], hasLoopback: boolean): AllowedAddresses {
  const isListed = compileCidrs(allowedCidrs);
  const plain = (address: string): boolean => isListed(address) || (hasLoopback && isLoopback(address));
  return { plain, any: (address) => plain(address) || isPublic(address) };
}

function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast';
}
