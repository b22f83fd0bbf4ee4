import type { Check } from '../finding.ts';

/** Checks that a server runs on the data directory. */
export const checkServer: Check = async ({ config: { data_dir: dataDir }, status }) =>
  status === undefined
    ? {
        part: 'server',
        state: 'warning',
        detail: `no server runs on ${dataDir}`,
        remedy:
          'start it: keyslot serve, or systemctl start keyslot; if it does not start, journalctl -u keyslot says why',
      }
    : { part: 'server', state: 'ok', detail: `a server runs on ${dataDir}` };
