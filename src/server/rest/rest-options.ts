import type { Logger } from 'pino';
import type { ErrorName } from '../../../generated/errors.ts';
import type { RefusalLog } from '../../account/audit/refusal-log.ts';
import type { TrustsPeer } from '../../gate/client-address.ts';
import type { answerRequest } from '../../wallets/answer-request.ts';
import type { WalletDeps } from '../../wallets/wallet-deps.ts';
import type { AdmitOptions } from './admit.ts';

export type RestOptions = AdmitOptions & {
  readonly deps: WalletDeps;
  readonly answerRequest: typeof answerRequest;
  readonly maxBodyBytes: number;
  /** Origins whose pages may call. */
  readonly corsOrigins: readonly string[];
  readonly onRefusal: (error: ErrorName) => void;
  /** Records refusals before an operation begins; an operation records its own. */
  readonly refusals: Pick<RefusalLog, 'note'>;
  /** True for peers that are trusted proxies, which report where requests come from. */
  readonly trustsPeer: TrustsPeer;
  readonly log: Pick<Logger, 'error'>;
};
