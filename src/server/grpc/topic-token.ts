import { topicEntry, type TopicName } from '../../../generated/stream/topics.ts';
import {
  authenticateToken,
  type TokenHolder,
  type TokenDeps,
} from '../../account/tokens/authenticate-token.ts';
import { ServiceError, serviceError } from '../../base/service-error.ts';
import { type CallHead, textOf } from './call-request.ts';

export type TopicTokenOptions = TokenDeps & {
  /** Called for an access token that was refused for a topic, with its holder; undefined: the token has none. */
  readonly onTokenRefused: (call: CallHead, error: ServiceError, holder: TokenHolder | undefined) => void;
};

/**
 * Checks that a call may read a topic: one that needs an access token needs one of the API key's account.
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
