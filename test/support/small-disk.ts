import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of a test's own, in memory. */
export type SmallDisk = {
  readonly path: string;
  /** Leaves no byte free. */
  readonly fill: () => void;
  readonly makeRoom: () => void;
  readonly unmount: () => void;
};

/** Why tests that fill a disk do not run, and what would make them run. */
export const SMALL_DISK_MISSING =
  'a disk of the test’s own cannot be mounted; run the tests as root on Linux';

/** Mounts a disk of a number of MiB, which any user can read; undefined where that is not allowed. */
export function mountSmallDisk(sizeMiB: number, parent = tmpdir()): SmallDisk | undefined {
  const path = mkdtempSync(join(parent, 'keyslot-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  chmodSync(path, 0o755);
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => fill(filler),
    makeRoom: () => rmSync(filler),
    unmount: () => {
      execFileSync('umount', ['--lazy', path]);
      rmdirSync(path);
    },
  };
}

/** In pieces that get smaller: a piece for which there is no room is not written at all. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  for (const sizeBytes of [1 << 20, 1 << 12, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(sizeBytes));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
  closeSync(file);
}
