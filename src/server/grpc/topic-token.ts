import { topicEntry, type TopicName } from '../../../generated/stream/topics.ts';
import {
  authenticateToken,
  type TokenHolder,
  type TokenDeps,
} from '../../account/identity/tokens/authenticate-token.ts';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import { type CallHead, textOf, requestOf } from './call-request.ts';
import type { RefusalLog } from '../../account/identity/refusal-log.ts';
import type { ClientAddress } from '../access/client-address.ts';
import { createRequestId } from '../../core/request-id.ts';

export type TopicTokenOptions = TokenDeps & {
  /** Called for an access token that was refused for a topic, with its holder; undefined: the token has none. */
  readonly onTokenRefused: (call: CallHead, error: ServiceError, holder: TokenHolder | undefined) => void;
};

/**
 * Checks that a call may read a topic. If the topic requires an access token, it must belong to the account of the API key.
 *
 * @throws ServiceError those of `authenticateToken`, `tokenOfOtherAccount`.
 */
export function assertTopicAllowed(
  options: TopicTokenOptions,
  topic: TopicName,
  call: CallHead,
  accountId: string,
): void {
  const { scope } = topicEntry(topic);
  if (scope === undefined) return;
  let holder: TokenHolder | undefined;
  try {
    authenticateToken(options, textOf(call.metadata, 'authorization'), [scope], (found) => {
      holder = found;
    });
    if (holder?.accountId !== accountId) throw serviceError('tokenOfOtherAccount');
  } catch (error) {
    if (error instanceof ServiceError) options.onTokenRefused(call, error, holder);
    throw error;
  }
}

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
      holder,
      action: holder === undefined ? 'access' : 'subscribe',
      requestId: createRequestId(),
      outcome: code.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      address: clientAddress(requestOf(call)),
    });
}
