import type { ConnectionLimits } from './connections.ts';

/** So many can always be served, whatever the system says. */
const LEAST_CONNECTIONS = 16;

/** Limits that the process can keep, and how many files are kept free for the rest of it. */
export type FittedLimits = ConnectionLimits & { readonly isLowered: boolean };

/**
 * Lowers limits of connections so that `reserved` of the files that the process may open are left. Where they are lowered, one address
 * has half of all at most, so that it cannot take what the others have.
 */
export function fitDescriptors(
  { maxConnections, maxPerAddress }: ConnectionLimits,
  { descriptors, reserved }: { readonly descriptors: number | undefined; readonly reserved: number },
): FittedLimits {
  const room = Math.max(LEAST_CONNECTIONS, (descriptors ?? Number.POSITIVE_INFINITY) - reserved);
  if (maxConnections <= room) return { maxConnections, maxPerAddress, isLowered: false };
  return {
    maxConnections: room,
    maxPerAddress: Math.min(maxPerAddress, Math.ceil(room / 2)),
    isLowered: true,
  };
}
