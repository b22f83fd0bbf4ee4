import type { Logger } from 'pino';
import { ServiceError } from '../../core/service-error.ts';
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
import type { Check, Finding, Installation } from './finding.ts';

/** The checks in order, with the part to name if a check itself fails. The store comes later: opening it closes files to other users. */
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

/** Examines each part of an installation, independently of the others. */
export async function examine(installation: Installation, log: Logger): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [part, check] of CHECKS(log)) {
    try {
      const found = await check(installation);
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
      ? 'check that the database is running, can be reached from here, and has disk space; docs/operate.md, "Troubleshooting"'
      : 'fix what the message names; docs/operate.md, "Troubleshooting"';
  return { part, state: 'wrong', detail, remedy };
}
