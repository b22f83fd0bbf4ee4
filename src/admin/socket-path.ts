import { relative, resolve } from 'node:path';
import { serviceError } from '../base/service-error.ts';

/** The bytes of `sun_path` before its closing zero (unix(7): 108 bytes on Linux, 104 on macOS). */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/**
 * The path of a server's admin socket: `<dataDir>/admin.sock`, absolute or relative to the working directory, whichever is
 * shorter.
 *
 * @throws ServiceError `adminPathTooLong`: the system limits the length of paths of sockets.
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
