import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Check } from '../finding.ts';

const part = 'disk';
const GIB = 2 ** 30;
/** An embedded store counts as full below 16 MiB. */
const LEAST = 256 * 2 ** 20;

/** Checks the free space of the data directory. */
export const checkDisk: Check = async ({ config: { data_dir: dataDir } }) => {
  const place = resolve(dataDir);
  const found = await statfs(place).catch(() => statfs(dirname(place)));
  const freeBytes = found.bavail * found.bsize;
  const detail = `${(freeBytes / GIB).toFixed(1)} GiB free for ${place}`;
  if (freeBytes >= GIB) return { part, state: 'ok', detail };
  return {
    part,
    state: freeBytes < LEAST ? 'wrong' : 'warning',
    detail,
    remedy:
      'free space or move the data directory: on a full disk wallets answer 503, and a backup needs as much space again as the embedded store',
  };
};
