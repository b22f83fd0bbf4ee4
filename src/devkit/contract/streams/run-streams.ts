import { isDeepStrictEqual } from 'node:util';
import { type ErrorNameWith, errorEntry } from '../../../../generated/errors.ts';
import {
  OutputFormat,
  type SubscribeResponse,
  type SubscribeRequest,
} from '../../../../generated/stream/service.ts';
import { TOPIC_SOURCES } from '../../../../generated/stream/sources.ts';
import { TOPIC_CODECS, type TopicCodec } from '../../../../generated/stream/topic-messages.ts';
import { type TopicName, topicEntry, TOPICS } from '../../../../generated/stream/topics.ts';
import { type CaseReport, countCases, type PartReport } from '../command/method-reports.ts';
import {
  type Answered,
  callStreams,
  type StreamCalls,
  type StreamTarget,
  type Sent,
} from './stream-target.ts';

const TOPIC_NAMES = Object.keys(TOPICS) as readonly TopicName[];

/** Checks the three calls of a stream service against the specification: every topic in both forms, resuming, every documented error. */
export async function runStreams(target: StreamTarget): Promise<readonly PartReport[]> {
  const calls = callStreams(target);
  try {
    return [
      part('Subscribe', await subscribeCases(calls, target)),
      part('ListTopics', await listTopicsCases(calls)),
      part('GetTopicSchema', await getTopicSchemaCases(calls)),
    ];
  } finally {
    calls.close();
  }
}

async function subscribeCases(calls: StreamCalls, { token }: StreamTarget): Promise<readonly CaseReport[]> {
  const forms = TOPIC_NAMES.flatMap((topic) => [[topic, 'PROTO'] as const, [topic, 'JSON'] as const]);
  const watched = forms.map(([topic, format]) => topicCase(calls, topic, format, token));
  const reports = await Promise.all([...watched, resumeCase(calls)]);
  for (const name of Object.keys(PROVOKED_ERRORS) as ErrorNameWith<'grpc'>[]) {
    const provocation = PROVOKED_ERRORS[name];
    if ('why' in provocation) reports.push(report('error', name, 'left-out', [provocation.why]));
    else {
      const request = { topic: 'slots', format: OutputFormat.PROTO, ...provocation.request };
      reports.push(errorCase(name, await calls.subscribe(request, 1, provocation.sent)));
    }
  }
  return reports;
}

/** A topic without events while it is watched is unproven. */
async function topicCase(
  calls: StreamCalls,
  topic: TopicName,
  format: 'PROTO' | 'JSON',
  token: string | undefined,
): Promise<CaseReport> {
  const name = `${topic} as ${format}`;
  if (topicEntry(topic).scope !== undefined && token === undefined)
    return report('example', name, 'left-out', ['it needs an access token (--token)']);
  const answered = await calls.subscribe({ topic, format: OutputFormat[format] }, 2);
  if ('refusal' in answered) return refused('example', name, answered.refusal);
  if (answered.answer.length === 0) return report('example', name, 'unproven', []);
  return judged(
    'example',
    name,
    answered.answer.flatMap((message) => faultsOf(message, topic, format)),
  );
}

function faultsOf(message: SubscribeResponse, topic: TopicName, format: 'PROTO' | 'JSON'): readonly string[] {
  const codec = TOPIC_CODECS[topic] as TopicCodec<unknown>;
  try {
    const read =
      format === 'JSON'
        ? codec.fromJSON(JSON.parse(message.payload))
        : codec.decode(Buffer.from(message.payload, 'base64'));
    const { slot } = read as { readonly slot: bigint };
    return [
      ...(message.topic === topic ? [] : [`the topic is ${message.topic}`]),
      ...(message.slot === slot ? [] : [`the slot is ${message.slot}, but that of the payload is ${slot}`]),
    ];
  } catch (error) {
    return [`the payload cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

async function resumeCase(calls: StreamCalls): Promise<CaseReport> {
  const name = 'a stream resumes after a slot with what followed it';
  const request = { topic: 'slots', format: OutputFormat.JSON };
  const first = await calls.subscribe(request, 3);
  if ('refusal' in first) return refused('example', name, first.refusal);
  const [one, ...rest] = first.answer;
  if (one === undefined || rest.length < 2) return report('example', name, 'unproven', []);
  const second = await calls.subscribe(request, 2, { 'x-resume-slot': String(one.slot) });
  if ('refusal' in second) return refused('example', name, second.refusal);
  const slots = (messages: readonly SubscribeResponse[]) => messages.map(({ slot }) => String(slot));
  const isSame = isDeepStrictEqual(slots(second.answer), slots(rest));
  return judged('example', name, isSame ? [] : [`${slots(second.answer)} instead of ${slots(rest)}`]);
}

async function listTopicsCases(calls: StreamCalls): Promise<readonly CaseReport[]> {
  const answered = await calls.listTopics();
  const name = 'the topics of the specification';
  if ('refusal' in answered) return [refused('example', name, answered.refusal)];
  const expected = TOPIC_NAMES.map((topic) => {
    const { description, messageType: protoMessageType } = topicEntry(topic);
    return { name: topic, description, protoMessageType };
  });
  const isSame = isDeepStrictEqual(answered.answer.topics, expected);
  const errors = UNARY_ERRORS.map(async (error) => errorCase(error, await calls.listTopics(sentFor(error))));
  return [
    judged('example', name, isSame ? [] : [JSON.stringify(answered.answer)]),
    ...(await Promise.all(errors)),
  ];
}

async function getTopicSchemaCases(calls: StreamCalls): Promise<readonly CaseReport[]> {
  const schemas = TOPIC_NAMES.map(async (topic) => {
    const answered = await calls.getTopicSchema(topic);
    if ('refusal' in answered) return refused('example', topic, answered.refusal);
    const expected = { protoSchema: TOPIC_SOURCES[topic], messageType: topicEntry(topic).messageType };
    const isSame = isDeepStrictEqual(answered.answer, expected);
    return judged('example', topic, isSame ? [] : [JSON.stringify(answered.answer)]);
  });
  const errors = UNARY_ERRORS.map(async (error) =>
    errorCase(error, await calls.getTopicSchema('slots', sentFor(error))),
  );
  const unknown = errorCase('topicUnknown', await calls.getTopicSchema('none-such'));
  return [...(await Promise.all(schemas)), ...(await Promise.all(errors)), unknown];
}

function sentFor(error: (typeof UNARY_ERRORS)[number]) {
  const provocation = PROVOKED_ERRORS[error];
  return 'why' in provocation ? {} : provocation.sent;
}

function errorCase(name: ErrorNameWith<'grpc'>, answered: Answered<unknown>): CaseReport {
  if (!('refusal' in answered)) return report('error', name, 'differed', ['it was not refused']);
  const { status, error } = answered.refusal;
  const wanted = errorEntry(name).grpc?.status;
  const isSame = error === name && status === wanted;
  return judged('error', name, isSame ? [] : [`${status} ${error} instead of ${wanted} ${name}`]);
}

function refused(
  kind: CaseReport['kind'],
  name: string,
  { status, error, details }: { readonly status: string; readonly error: string; readonly details: string },
): CaseReport {
  if (error === 'rateLimited') return report(kind, name, 'limited', []);
  const outcome = status === 'UNIMPLEMENTED' ? 'absent' : 'differed';
  return report(kind, name, outcome, [`${status} ${error}: ${details}`]);
}

function judged(kind: CaseReport['kind'], name: string, failures: readonly string[]): CaseReport {
  return report(kind, name, failures.length === 0 ? 'held' : 'differed', failures);
}

function report(
  kind: CaseReport['kind'],
  name: string,
  outcome: CaseReport['outcome'],
  failures: readonly string[],
): CaseReport {
  return { kind, name, outcome, failures };
}

function part(name: string, cases: readonly CaseReport[]): PartReport {
  const count = (outcome: CaseReport['outcome']): number => countCases({ cases }, outcome);
  const verdict =
    count('differed') > 0
      ? 'differs'
      : count('absent') > 0
        ? 'absent'
        : count('held') > 0 && count('limited') === 0
          ? 'holds'
          : 'unproven';
  return { name, verdict, isGiven: true, cases };
}

/** A Subscribe call that is refused with one error, or the reason why an outside caller cannot provoke it. */
type Provocation =
  | { readonly request?: Partial<SubscribeRequest>; readonly sent?: Sent }
  | { readonly why: string };

const why = (text: string): Provocation => ({ why: text });
const OF_KEY = why('it needs another key');
const OF_TOKEN = why('it needs another access token');
const OF_NODE = why('it needs a ledger node that fails');
const OF_LOAD = why('it needs many calls, or a client that does not read');
const WALLET_TOPIC = { topic: 'wallet-activity' } as const;

/** The call that provokes each error of the stream service. */
const PROVOKED_ERRORS: { readonly [N in ErrorNameWith<'grpc'>]: Provocation } = {
  apiKeyMissing: { sent: { 'x-api-key': '' } },
  apiKeyUnknown: { sent: { 'x-api-key': 'ks_key_nobody' } },
  tokenAsApiKey: { sent: { 'x-api-key': 'ks_tok_instead_of_a_key' } },
  apiKeyRevoked: OF_KEY,
  apiKeyExpired: OF_KEY,
  apiKeyOriginRefused: OF_KEY,
  apiKeyAddressRefused: OF_KEY,
  apiKeyNetworkRefused: OF_KEY,
  apiKeyMethodRefused: OF_KEY,
  apiKeyRateLimited: OF_KEY,
  apiKeyBatchTooLarge: OF_KEY,
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
  ledgerChanged: why('it needs a ledger that starts over'),
  streamStopping: why('it needs a server that stops'),
  upstreamBroken: OF_NODE,
  upstreamBusy: OF_NODE,
  upstreamUnavailable: OF_NODE,
  upstreamTimeout: OF_NODE,
  replyTooLarge: OF_NODE,
  storeUnavailable: why('it needs a store that fails'),
  internalError: why('it needs a fault of the server'),
};

/** Errors that also refuse calls without a topic. */
const UNARY_ERRORS = ['apiKeyMissing', 'apiKeyUnknown', 'tokenAsApiKey', 'networkUnknown'] as const;
