/** The memory of the process before it keeps anything, and room for a heap that is collected now and then. */
const BASE_MIB = 400;
/** A transfer in memory: its record, and its entries under signature and addresses. */
const MEMORY_BYTES_EACH = 4_000;
/** A transfer in the journal. */
const DISK_BYTES_EACH = 1_100;
/** Two segments of the journal whose blocks have not all been dropped, and four snapshots. */
const DISK_SLACK_MIB = 2 * 64 + 4 * 2;
const MIB = 1024 * 1024;

/** The most resident memory of a ledger that keeps this number of transfers. */
export function memoryBoundMiB(kept: number): number {
  return BASE_MIB + (kept * MEMORY_BYTES_EACH) / MIB;
}

/** The most room on disk. */
export function diskBoundMiB(kept: number): number {
  return DISK_SLACK_MIB + (kept * DISK_BYTES_EACH) / MIB;
}
