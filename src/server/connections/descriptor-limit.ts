import { readFileSync } from 'node:fs';

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
