import { relative, resolve } from 'node:path';
import { serviceError } from '../base/service-error.ts';

/** What unix(7) leaves of `sun_path` (108 bytes on Linux, 104 on macOS) after the closing zero. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/**
 * Where the server of a data directory is commanded: `<dataDir>/admin.sock`, absolute or seen from the working directory,
 * whichever is shorter.
 *
 * @throws ServiceError `adminPathTooLong`: the system takes no longer paths for sockets.
 */
export function adminSocketPath(dataDir: string): string {
  const absolute = resolve(dataDir, 'admin.sock');
  const fromHere = relative(process.cwd(), absolute);
  const path = fromHere.length < absolute.length ? fromHere : absolute;
  const sizeBytes = Buffer.byteLength(path);
  if (sizeBytes > MAX_PATH_BYTES) {
    throw serviceError('adminPathTooLong', { path, limit: MAX_PATH_BYTES, value: sizeBytes });
  }
  return path;
}
