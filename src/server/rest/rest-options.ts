import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ErrorName } from '../../../generated/errors.ts';
import type { RefusalLog } from '../../account/audit/refusal-log.ts';
import { recordedAddress, type TrustsPeer } from '../../gate/client-address.ts';
import type { answerRequest } from '../../wallets/answer-request.ts';
import type { WalletPlaces } from '../../wallets/wallet-places.ts';
import type { AdmitOptions } from './admit.ts';

export type RestOptions = AdmitOptions & {
  readonly places: WalletPlaces;
  readonly answerRequest: typeof answerRequest;
  readonly maxBodyBytes: number;
  /** Origins whose pages may call. */
  readonly corsOrigins: readonly string[];
  readonly onRefusal: (error: ErrorName) => void;
  /** Told of what is refused before an operation begins; what an operation refuses is on record by itself. */
  readonly refusals: Pick<RefusalLog, 'note'>;
  /** Which peers are proxies that tell where requests come from. */
  readonly trustsPeer: TrustsPeer;
  readonly log: Pick<Logger, 'error'>;
};

/** Where a request comes from. */
export function addressOf(
  { trustsPeer }: Pick<RestOptions, 'trustsPeer'>,
  { raw }: FastifyRequest,
): string | undefined {
  return recordedAddress(raw, trustsPeer);
}
