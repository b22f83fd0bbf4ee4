import { connect, type Socket } from 'node:net';
import { relative, resolve } from 'node:path';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import { readAnswer, readLine } from './wire.ts';

/** Longer than the store's own deadlines, so that the server reports what went wrong there. Callers give slow requests more. */
const ANSWER_DEADLINE_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Errors of connect(2) when the socket or its directory does not exist, or no process listens on it. */
const NOT_LISTENING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED']);

/**
 * Sends a request to the server of a data directory.
 *
 * @returns undefined when no server runs there.
 * @throws ServiceError from the server; `adminFailed` when it does not answer or access is denied;
 *   `adminPathTooLong`.
 */
export async function askAdmin(
  dataDir: string,
  request: unknown,
  deadlineMs = ANSWER_DEADLINE_MS,
): Promise<{ readonly result: unknown } | undefined> {
  const path = adminSocketPath(dataDir);
  const socket = await openConnection(path);
  if (socket === undefined) return undefined;
  socket.setTimeout(deadlineMs, () => socket.destroy(new Error('no answer in time')));
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    const line = await readLine(socket, MAX_ANSWER_BYTES);
    if (line === undefined) throw new Error('the server closed the connection');
    return { result: readAnswer(line) };
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'internalError') throw error;
    throw failed(path, error instanceof ServiceError ? new Error('the server failed; see its log') : error);
  } finally {
    socket.destroy();
  }
}

/** Checks if a server answers for a data directory. @throws ServiceError like `askAdmin`. */
export async function isServed(dataDir: string): Promise<boolean> {
  const socket = await openConnection(adminSocketPath(dataDir));
  socket?.destroy();
  return socket !== undefined;
}

/**
 * A connection to the server that listens on a socket; undefined if none does.
 *
 * @throws ServiceError `adminFailed` with the system's reason, such as missing permission.
 */
function openConnection(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (NOT_LISTENING.has(error.code)) resolve(undefined);
      else reject(failed(path, error));
    });
  });
}

function failed(path: string, error: unknown): ServiceError {
  const reason = error instanceof Error ? error.message : String(error);
  return serviceError('adminFailed', { path, reason }, error);
}

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
