import type { Logger } from 'pino';
import type { ErrorName } from '../../../generated/errors.ts';
import type { RefusalLog } from '../../account/audit/refusal-log.ts';
import type { AuthenticateOptions } from './authenticate.ts';
import type { NoteUse } from '../../gate/key-uses.ts';
import type { CountAnswer } from '../../gate/wallet-request-counts.ts';
import type { Tracing } from '../../base/tracing.ts';
import type { ClientAddress } from '../../gate/client-address.ts';

/** What the endpoints of all services share. */
export type RestOptions = AuthenticateOptions & {
  readonly maxBodyBytes: number;
  /** Origins whose pages may call. */
  readonly corsOrigins: readonly string[];
  readonly onRefusal: (error: ErrorName) => void;
  /** Records refusals before an operation begins; an operation records its own. */
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly clientAddress: ClientAddress;
  /** Called with each token that is accepted. */
  readonly noteUse?: NoteUse;
  /** Called with each request of an account that was answered, or that this server failed to answer. */
  readonly countAnswer?: CountAnswer;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly log: Pick<Logger, 'error'>;
};
