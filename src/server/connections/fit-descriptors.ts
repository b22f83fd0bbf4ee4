import type { ConnectionLimits } from './connections.ts';

/** This many connections can always be served, whatever the system reports. */
const LEAST_CONNECTIONS = 16;

/** Limits that the process can keep, and whether they were lowered. */
export type FittedLimits = ConnectionLimits & { readonly isLowered: boolean };

/**
 * Lowers connection limits so that `reserved` of the files that the process may open stay free. If they are lowered, one
 * address gets at most half of all connections, so that it cannot take everyone else's.
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
