import type { ErrorName } from '../../../generated/errors.ts';
import type { SystemUser } from '../../core/process/system-user.ts';
import type { BackupCounts } from './backup-line.ts';
import type { DumpJob } from './dump-lines.ts';
import type { LastBackup } from './last-backup.ts';

/** The descriptor that lines are written to. */
export const OUTPUT = 4;

/** Messages to the process that reads an installation. `user`: the user that it becomes first. */
export type ToDump =
  | { readonly kind: 'dump'; readonly job: DumpJob; readonly user?: SystemUser | undefined }
  /** The backup is complete and in its place. */
  | { readonly kind: 'kept'; readonly backup: LastBackup };

/** Messages of it. */
export type FromDump =
  | { readonly kind: 'started' }
  /** Everything has been written to its standard output. */
  | { readonly kind: 'dumped'; readonly counts: BackupCounts }
  | {
      readonly kind: 'failed';
      readonly code: ErrorName;
      readonly context: Readonly<Record<string, unknown>>;
    };
