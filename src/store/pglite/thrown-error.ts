/**
 * PGlite's file system does not throw an Error but `{name: 'ErrnoError', errno}`, with the numbers of WASI (wasi_snapshot_preview1, errno).
 * These are the ones that an operator can resolve.
 */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  [2, 'EACCES: permission denied'],
  [19, 'EDQUOT: the disk quota is exceeded'],
  [29, 'EIO: the disk failed'],
  [33, 'EMFILE: too many open files'],
  [41, 'ENFILE: too many open files on this machine'],
  [44, 'ENOENT: no such file or directory'],
  [51, 'ENOSPC: no space left on the disk'],
  [63, 'EPERM: operation not permitted'],
  [69, 'EROFS: read-only file system'],
]);

/** Returns an Error that describes any thrown value. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  if (typeof thrown !== 'object' || thrown === null || !('errno' in thrown)) return new Error(String(thrown));
  const { errno } = thrown;
  return new Error(REASONS.get(errno) ?? `the file system failed with errno ${String(errno)}`);
}
