import type { RefusalLog } from '../../account/audit/refusal-log.ts';
import type { ClientAddress } from '../../gate/client-address.ts';
import { createRequestId } from '../../base/request-id.ts';
import { requestOf } from './call-request.ts';
import type { TopicTokenOptions } from './topic-token.ts';

/** Records access tokens that were refused for a topic, as the wallet service does with those that it refuses. */
export function noteRefusedToken({
  refusals,
  clientAddress,
}: {
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly clientAddress: ClientAddress;
}): TopicTokenOptions['onTokenRefused'] {
  return (call, { code }, holder) =>
    refusals.note({
      ...{ holder, action: holder === undefined ? 'access' : 'subscribe', requestId: createRequestId() },
      outcome: code.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      address: clientAddress(requestOf(call)),
    });
}
