import { readLastBackup } from '../../backup/last-backup.ts';
import type { Check } from '../finding.ts';

const part = 'backup';
const HOUR_MS = 3_600_000;
/** A nightly backup, with one missed. */
const OLD_HOURS = 48;
const REMEDY = 'keyslot backup create FILE, from a timer (docs/deploy/keyslot-backup.timer)';

/** Checks the age of the last backup that was made by `keyslot backup create`. */
export const checkBackup: Check = async ({ config: { data_dir: dataDir }, nowMs }) => {
  const last = await readLastBackup(dataDir);
  if (last === undefined)
    return { part, state: 'warning', detail: 'keyslot backup create has made no backup yet', remedy: REMEDY };
  const hours = Math.floor((nowMs - Date.parse(last.made_at)) / HOUR_MS);
  const detail = `the last one was made at ${last.made_at}, ${hours} hours ago: ${last.file}`;
  return hours <= OLD_HOURS
    ? { part, state: 'ok', detail }
    : { part, state: 'warning', detail, remedy: REMEDY };
};
