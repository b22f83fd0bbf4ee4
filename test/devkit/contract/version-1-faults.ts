import { parseJson, printJson } from '../../../runtime/json.ts';
import type { RpcRequest } from './fault-proxy.ts';
import { changing, replacing, rewriting, type SeededFault, withParams } from './seeded-fault.ts';

const COMPUTE_UNITS = 450;
const MICRO_LAMPORTS = 1_000_000;
const PACKET_CHARACTERS = 1_644;
const LATEST = '"maxSupportedTransactionVersion":1';
const EARLIER = '"maxSupportedTransactionVersion":0';

const isVersion1 = (transaction: { readonly version?: unknown }): boolean => transaction.version === 1;
const withoutVersion1 = changing('transactions', (list) =>
  Array.isArray(list) ? list.filter((each) => !isVersion1(each)) : list,
);

/** Answers a call with an error as if it had succeeded. */
const accepting = (text: string): string => {
  const { error, ...reply } = parseJson(text) as Readonly<Record<string, unknown>>;
  return error === undefined ? text : printJson({ ...reply, result: '1'.repeat(64) });
};

/** Refuses what is larger than a packet, whatever its version. */
const limitedToPackets = (text: string, { params = [] }: RpcRequest): string => {
  const [transaction] = params;
  if (typeof transaction !== 'string' || transaction.length <= PACKET_CHARACTERS) return text;
  const { result: _, ...reply } = parseJson(text) as Readonly<Record<string, unknown>>;
  return printJson({ ...reply, error: { code: -32602, message: 'base64 encoded transaction too large' } });
};

/** The transaction without the byte that is behind its end. */
const withoutTail = (text: unknown): string =>
  Buffer.from(String(text), 'base64').subarray(0, -1).toString('base64');

/** Faults of a server that does not quite know version 1. */
export const VERSION_1_FAULTS: readonly SeededFault[] = [
  {
    title: 'the limits of a version 1 message left out',
    method: 'getTransaction',
    named: /version 1 .* as json/,
    reply: changing('transactionConfig', () => undefined),
    noticed: /message\/transactionConfig is absent, not/,
  },
  {
    title: 'a priority fee in micro-lamports per unit',
    method: 'getTransaction',
    named: /version 1 .* as json/,
    reply: changing('priorityFee', (fee) => Math.floor((Number(fee) * MICRO_LAMPORTS) / COMPUTE_UNITS)),
    noticed: /transactionConfig\/priorityFee is 2222222, not 1000/,
  },
  {
    title: 'a limit that is not set left out',
    method: 'getTransaction',
    named: /version 1 .* as json/,
    reply: changing('heapSize', (size) => size ?? undefined),
    noticed: /transactionConfig fails required .*heapSize/,
  },
  {
    title: 'version 1 called version 0',
    method: 'getTransaction',
    named: /version 1 .* as base64/,
    reply: changing('version', (version) => (version === 1 ? 0 : version)),
    noticed: /result\/version is 0, not 1/,
  },
  {
    title: 'a version that the caller does not read answered anyway',
    method: 'getTransaction',
    named: /version 1 .* reads version 0/,
    request: rewriting(EARLIER, LATEST),
    noticed: /expected transactionVersionNotSupported \(-32015\), got a result/,
  },
  {
    title: 'a refusal that names another version',
    method: 'getTransaction',
    named: /version 1 .* reads version 0/,
    reply: replacing(/version \(1\)/, 'version (0)'),
    noticed: /message is "Transaction version \(0\) .*, not "Transaction version \(1\)/,
  },
  {
    title: 'one transaction left out of a block that has to be refused',
    method: 'getBlock',
    named: /version 1 .* reads version 0/,
    request: rewriting(EARLIER, LATEST),
    reply: withoutVersion1,
    noticed: /expected transactionVersionNotSupported \(-32015\), got a result/,
  },
  {
    title: 'version 1 left out of a block for a caller that reads it',
    method: 'getBlock',
    named: /block with a version 1 transaction/,
    reply: withoutVersion1,
    noticed: /result\/transactions has no \{"version":1/,
  },
  {
    title: 'a fee without its priority fee',
    method: 'getFeeForMessage',
    named: /version 1/,
    reply: changing('value', (fee) => Number(fee) - 1_000),
    noticed: /result\/value is 5000, not 6000/,
  },
  {
    title: 'limits that are not set taken as those of version 0',
    method: 'simulateTransaction',
    named: /version 1 without limits/,
    reply: changing('err', () => null),
    noticed: /result\/value\/err is null, not "MaxLoadedAccountsDataSizeExceeded"/,
  },
  {
    title: 'version 1 accepted unsigned',
    method: 'sendTransaction',
    named: /version 1 without signatures/,
    reply: accepting,
    noticed: /expected preflightFailure \(-32002\), got a result/,
  },
  {
    title: 'bytes behind the end of version 1 taken for nothing',
    method: 'sendTransaction',
    named: /version 1 with bytes behind its end/,
    request: withParams('sendTransaction', ([text, ...rest]) => [withoutTail(text), ...rest]),
    noticed: /code is -32002, not -32602 \(transactionMalformed\)/,
  },
  {
    title: 'version 1 no larger than a packet',
    method: 'sendTransaction',
    named: /version 1 that is larger than a packet/,
    reply: limitedToPackets,
    noticed: /expected a result, got an error: .*too large/,
  },
];
