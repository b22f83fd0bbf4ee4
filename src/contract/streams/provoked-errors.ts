import type { ErrorNameWith } from '../../../generated/errors.ts';
import type { SubscribeRequest } from '../../../generated/stream/service.ts';
import type { Sent } from './stream-target.ts';

/** A Subscribe call that is refused with one error, or why no caller from outside can bring it about. */
export type Provocation =
  | { readonly request?: Partial<SubscribeRequest>; readonly sent?: Sent }
  | { readonly why: string };

const why = (text: string): Provocation => ({ why: text });
const OF_KEY = why('it needs another key');
const OF_TOKEN = why('it needs another access token');
const OF_NODE = why('it needs a ledger node that fails');
const OF_LOAD = why('it needs many calls, or a client that does not read');
const WALLET_TOPIC = { topic: 'wallet-activity' } as const;

/** How each error of the stream service is provoked. */
export const PROVOKED_ERRORS: { readonly [N in ErrorNameWith<'grpc'>]: Provocation } = {
  apiKeyMissing: { sent: { 'x-api-key': '' } },
  apiKeyUnknown: { sent: { 'x-api-key': 'ks_key_nobody' } },
  tokenAsApiKey: { sent: { 'x-api-key': 'ks_tok_instead_of_a_key' } },
  apiKeyRevoked: OF_KEY,
  apiKeyExpired: OF_KEY,
  apiKeyOriginRefused: OF_KEY,
  apiKeyAddressRefused: OF_KEY,
  connectionsFull: OF_LOAD,
  rateLimited: OF_LOAD,
  limitsUnavailable: why('it needs servers that share limits, and have lost Redis'),
  requestTooHeavy: why('it needs a plan that allows less than a block weighs that is read again'),
  networkUnknown: { sent: { 'x-network': 'none-such' } },
  topicUnknown: { request: { topic: 'none-such' } },
  streamFormatUnknown: { request: { format: 9 as never } },
  resumeSlotInvalid: { sent: { 'x-resume-slot': 'latest' } },
  resumeSlotAhead: { sent: { 'x-resume-slot': '18446744073709551615' } },
  resumeSlotGone: why('it needs a ledger whose first blocks are gone'),
  tokenMissing: { request: WALLET_TOPIC, sent: { authorization: '' } },
  tokenUnknown: { request: WALLET_TOPIC, sent: { authorization: 'Bearer ks_tok_nobody' } },
  apiKeyAsToken: { request: WALLET_TOPIC, sent: { authorization: 'Bearer ks_key_instead_of_a_token' } },
  tokenRevoked: OF_TOKEN,
  tokenExpired: OF_TOKEN,
  scopeMissing: OF_TOKEN,
  tokenOfOtherAccount: OF_TOKEN,
  tooManyStreams: OF_LOAD,
  streamTooSlow: OF_LOAD,
  ledgerChanged: why('it needs a ledger that begins anew'),
  streamStopping: why('it needs a server that stops'),
  upstreamBroken: OF_NODE,
  upstreamBusy: OF_NODE,
  upstreamUnavailable: OF_NODE,
  upstreamTimeout: OF_NODE,
  replyTooLarge: OF_NODE,
  storeUnavailable: why('it needs a store that fails'),
  internalError: why('it needs a fault of the server'),
};

/** Those that calls without a topic are refused with too. */
export const UNARY_ERRORS = ['apiKeyMissing', 'apiKeyUnknown', 'tokenAsApiKey', 'networkUnknown'] as const;
