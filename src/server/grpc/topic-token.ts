import { topicEntry, type TopicName } from '../../../generated/stream/topics.ts';
import type { TokenFinding } from '../../account/tokens/token-ring.ts';
import type { Clock } from '../../clock.ts';
import { serviceError } from '../../service-error.ts';

/** What is asked of access tokens: to answer from memory. */
export type TokenFinder = { readonly find: (presented: string, nowMs: number) => TokenFinding };

export type TopicTokenOptions = { readonly tokens: TokenFinder; readonly clock: Clock };

const BEARER = /^Bearer +([!-~]+) *$/i;

/**
 * Holds that a call may have a topic: one that needs an access token needs it of the account of the API key.
 *
 * @throws ServiceError `tokenMissing`, `tokenUnknown`, `tokenRevoked`, `tokenExpired`, `scopeMissing`, `tokenOfOtherAccount`.
 */
export function assertTopicAllowed(
  { tokens, clock }: TopicTokenOptions,
  topic: TopicName,
  authorization: string | undefined,
  accountId: string,
): void {
  const { scope } = topicEntry(topic);
  if (scope === undefined) return;
  const presented = BEARER.exec(authorization ?? '')?.[1];
  if (presented === undefined) throw serviceError('tokenMissing');
  const finding = tokens.find(presented, clock.nowMs());
  if (finding.kind === 'unknown') throw serviceError('tokenUnknown');
  if (finding.kind === 'revoked') throw serviceError('tokenRevoked');
  if (finding.kind === 'expired') throw serviceError('tokenExpired');
  if (![...finding.scopes].some((one) => one === scope)) throw serviceError('scopeMissing', { scope });
  if (finding.accountId !== accountId) throw serviceError('tokenOfOtherAccount');
}
