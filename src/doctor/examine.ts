import type { Logger } from 'pino';
import { ServiceError } from '../base/service-error.ts';
import { checkBackup } from './checks/backup.ts';
import { checkDataDirectory } from './checks/data-directory.ts';
import { checkDisk } from './checks/disk.ts';
import { checkMail } from './checks/mail.ts';
import { checkNodeVersion } from './checks/node-version.ts';
import { checkNodes } from './checks/nodes.ts';
import { checkRedis } from './checks/redis.ts';
import { checkSegments } from './checks/segments.ts';
import { checkServer } from './checks/server.ts';
import { checkSigner } from './checks/signer.ts';
import { checkStore } from './checks/store.ts';
import { checkTls } from './checks/tls.ts';
import type { Check, Finding, Patient } from './finding.ts';

/** The checks in order, by the part that a failure of the check itself is said of. Before the store is opened: that closes what is open to others. */
const CHECKS = (log: Logger): readonly (readonly [part: string, check: Check])[] => [
  ['node', checkNodeVersion],
  ['data directory', checkDataDirectory],
  ['disk', checkDisk],
  ['topic files', checkSegments],
  ['server', checkServer],
  ['store', checkStore(log)],
  ['redis', checkRedis],
  ['signer', checkSigner],
  ['tls', checkTls],
  ['nodes', checkNodes],
  ['mail', checkMail],
  ['backup', checkBackup],
];

/** Examines an installation: each part by itself, whatever is wrong with the others. */
export async function examine(patient: Patient, log: Logger): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [part, check] of CHECKS(log)) {
    try {
      const found = await check(patient);
      findings.push(...('part' in found ? [found] : found));
    } catch (error) {
      findings.push(failed(part, error));
    }
  }
  return findings;
}

function failed(part: string, error: unknown): Finding {
  const detail = error instanceof Error ? error.message : String(error);
  const remedy =
    error instanceof ServiceError && error.code === 'storeUnavailable'
      ? 'see that the database runs and can be reached from here, and that there is space on its disk; docs/operate.md, "Troubleshooting"'
      : 'mend what the message names; docs/operate.md, "Troubleshooting"';
  return { part, state: 'wrong', detail, remedy };
}
