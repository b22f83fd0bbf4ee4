import type { ConnectionLimits } from './connections.ts';
import { readFileSync } from 'node:fs';

/** Number of connections that can always be served, whatever the system reports. */
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

/**
 * Returns how many files and connections the process may have open (RLIMIT_NOFILE, the soft limit); undefined where the system
 * does not report it.
 */
export function readDescriptorLimit(readLimits: () => string = readProcLimits): number | undefined {
  try {
    return toNumber(/^Max open files\s+(\S+)/m.exec(readLimits())?.[1]);
  } catch {
    return reportedLimit();
  }
}

function readProcLimits(): string {
  return readFileSync('/proc/self/limits', 'utf8');
}

/** For systems without /proc. */
function reportedLimit(): number | undefined {
  const report: unknown = process.report?.getReport();
  const { userLimits } = report as {
    readonly userLimits?: Readonly<Record<string, { readonly soft?: unknown }>>;
  };
  return toNumber(userLimits?.open_files?.soft);
}

/** `unlimited` is not a number. */
function toNumber(value: unknown): number | undefined {
  const number = Number(value ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
