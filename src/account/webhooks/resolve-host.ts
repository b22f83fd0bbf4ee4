import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { Semaphore } from '../../core/rpc/semaphore.ts';
import type { Resolve } from './post-event.ts';

export type ResolveOptions = {
  /** DNS servers. Default: those of the system. */
  readonly servers?: readonly string[];
  /** Time for the first answer of a server; the second try takes longer. Default 3,000 ms. */
  readonly timeoutMs?: number;
  /** The resolver of the system, for names that are not in DNS: it reads the hosts file, and adds search domains to short names. */
  readonly lookup?: Resolve;
};

const TIMEOUT_MS = 3_000;
const TRIES = 2;

/** Codes of names that are not in DNS: the servers say so, or there is no server. */
const NOT_IN_DNS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Creates a function that resolves names by DNS, else by the system. Calls for a name that is being resolved share its addresses.
 *
 * The system looks names up in the few threads that files also need, for as long as its servers take: it gets one name at a time, and none
 * whose servers do not answer.
 */
export function createResolveHost({
  servers,
  timeoutMs = TIMEOUT_MS,
  lookup: lookUp = (host) => lookup(host, { all: true }),
}: ResolveOptions = {}): Resolve {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();
  const lookups = new Semaphore(1);
  const resolve = async (host: string): Promise<readonly LookupAddress[]> => {
    // RFC 6761, section 6.3: DNS is not asked for this name.
    const found = host === 'localhost' ? [] : await askDns(host, timeoutMs, servers);
    return found.length > 0 ? found : lookups.withPermit(() => lookUp(host));
  };
  return (host) => {
    const shared = underWay.get(host) ?? resolve(host).finally(() => underWay.delete(host));
    underWay.set(host, shared);
    return shared;
  };
}

/** Returns the addresses of a name, none if it is not in DNS. @throws Error with the code of DNS if that fails. */
async function askDns(
  host: string,
  timeoutMs: number,
  servers: readonly string[] | undefined,
): Promise<readonly LookupAddress[]> {
  // A new one knows the servers that the system has now.
  const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const [ofIpv4, ofIpv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [...addressesOf(ofIpv4, 4), ...addressesOf(ofIpv6, 6)];
  for (const asked of [ofIpv4, ofIpv6])
    if (found.length === 0 && asked.status === 'rejected' && !isNotInDns(asked.reason)) throw asked.reason;
  return found;
}

function addressesOf(asked: PromiseSettledResult<readonly string[]>, family: 4 | 6): LookupAddress[] {
  return asked.status === 'fulfilled' ? asked.value.map((address) => ({ address, family })) : [];
}

function isNotInDns(error: unknown): boolean {
  return NOT_IN_DNS.has((error as { readonly code?: unknown }).code);
}
