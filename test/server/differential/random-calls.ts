import fc from 'fast-check';
import { METHODS } from '../../../generated/ledger/methods.ts';
import { stringifyJson } from '../../../src/core/rpc/json.ts';
import { oddId, plainId, space } from '../../fuzz/arbitraries.ts';
import { DOCUMENT, type Param, specValue } from './spec-values.ts';
import type { LedgerValues } from './still-ledger.ts';

type AnyCall = { readonly method: string; readonly params: unknown };

/** No address and no signature is this long. */
const TRANSACTION_CHARACTERS = 100;
/** Only the gateway answers it: with the specification. */
const GATEWAY_ONLY = 'rpc.discover';
/** They tell what is new on a ledger, which this one has not; and they are no calls over HTTP. */
const SOME_SUBSCRIPTIONS = ['accountSubscribe', 'slotSubscribe', 'slotUnsubscribe'];

const TRANSACTION_METHODS = new Set(['sendTransaction', 'simulateTransaction', 'getFeeForMessage']);

const LISTED = DOCUMENT.methods.filter(({ name }) => Object.hasOwn(METHODS, name) && name !== GATEWAY_ONLY);
const OTHERS = [...SOME_SUBSCRIPTIONS, 'getslot', '', 'getConfirmedBlock', 'getRecentBlockhash'].map(
  (name) => ({ name, params: [] }),
);

/** Calls of every method, most of them right, as JSON text; none of them changes a ledger. */
export function randomCall(values: LedgerValues): fc.Arbitrary<string> {
  const isOfTransactions = (each: (typeof LISTED)[number]): boolean => TRANSACTION_METHODS.has(each.name);
  const right = (each: (typeof LISTED)[number]) => paramsOf(each.name, each.params, values);
  const call = fc.oneof(
    {
      weight: 40,
      arbitrary: fc
        .oneof(
          { weight: 6, arbitrary: fc.constantFrom(...LISTED) },
          { weight: 1, arbitrary: fc.constantFrom(...LISTED.filter(isOfTransactions)) },
        )
        .chain((each) => right(each).map((params): AnyCall => ({ method: each.name, params }))),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...OTHERS).map(({ name, params }): AnyCall => ({ method: name, params })),
    },
  );
  const asked = call.chain(({ method, params }) =>
    fc.oneof(
      { weight: 7, arbitrary: fc.constant({ method, params }) },
      { weight: 4, arbitrary: wrongParams(params).map((wrong): AnyCall => ({ method, params: wrong })) },
    ),
  );
  return fc.tuple(asked.map(harmless), envelope).map(([{ method, params }, wrap]) => {
    const named = `"method":${JSON.stringify(method)}`;
    return wrap(params === undefined ? named : `${named},"params":${stringifyJson(params)}`);
  });
}

/** The envelope of method and params: mostly a valid one, with an id that nodes take. */
const envelope: fc.Arbitrary<(call: string) => string> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.tuple(plainId, space).map(
      ([id, gap]) =>
        (call: string) =>
          `{${gap}"jsonrpc":"2.0",${gap}"id":${id},${call}${gap}}`,
    ),
  },
  {
    weight: 1,
    arbitrary: oddId.map((id) => (call: string) => `{"jsonrpc":"2.0",${call},"id":${id}}`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      (call: string) => `{"jsonrpc":"2.0",${call}}`,
      (call: string) => `{"id":1,${call}}`,
      (call: string) => `{"jsonrpc":"1.0","id":1,${call}}`,
      (call: string) => `{"jsonrpc":null,"id":1,${call}}`,
      (call: string) => `{"jsonrpc":"2.0","id":1,${call},${call}}`,
      (call: string) => `{"jsonrpc":"2.0","id":1,"id":2,${call}}`,
      (call: string) => `{"jsonrpc":"2.0","id":1,${call},"more":[]}`,
      (call: string) => `{"jsonrpc":"2.0","id":{},${call}}`,
      (call: string) => `{"jsonrpc":"2.0","id":1,${call}`,
    ),
  },
);

/** An airdrop that is right changes the ledger: it is asked for with one argument too many. */
function harmless(call: AnyCall): AnyCall {
  if (call.method !== 'requestAirdrop' || !Array.isArray(call.params)) return call;
  const [address, lamports, config] = call.params as readonly unknown[];
  const isRight =
    typeof address === 'string' && (typeof lamports === 'number' || typeof lamports === 'bigint');
  return isRight ? { method: call.method, params: [address, lamports, config ?? null, null] } : call;
}

/** The params of a call as the specification has them; what may be left out sometimes is. */
function paramsOf(
  method: string,
  params: readonly Param[],
  values: LedgerValues,
): fc.Arbitrary<readonly unknown[]> {
  const required = params.filter((param) => param.required === true).length;
  const every = params.map((param) => argumentOf(method, param, values));
  return fc
    .tuple(fc.tuple(...every), fc.integer({ min: required, max: params.length + 2 }))
    .map(([all, count]) => all.slice(0, count))
    .chain((list) => fc.constantFrom(list, encodingNamed(list), encodingNamed(list)));
}

/** The config of a call that carries a transaction names the encoding that its text is in. */
function encodingNamed(list: readonly unknown[]): readonly unknown[] {
  const [text, config] = list;
  if (typeof text !== 'string' || text.length < TRANSACTION_CHARACTERS) return list;
  const encoding = /[+/=0OIl]/.test(text) ? 'base64' : 'base58';
  return [text, { ...(typeof config === 'object' ? config : {}), encoding }];
}

function argumentOf(method: string, { name, required, schema }: Param, values: LedgerValues) {
  if (name === 'message') return fc.constantFrom(...values.messages, ...values.transactions.slice(0, 1));
  if (name === 'transaction') return transactionOf(method, values);
  const value = specValue(schema, values, name);
  return required === true ? value : fc.oneof({ weight: 9, arbitrary: value }, fc.constant(null));
}

/** Transactions; where they are sent only such as no ledger takes. */
function transactionOf(method: string, values: LedgerValues): fc.Arbitrary<string> {
  const known =
    method === 'sendTransaction' ? values.unlandable : [...values.transactions, ...values.unlandable];
  const broken = fc
    .tuple(fc.constantFrom(...known), fc.nat(), fc.constantFrom('cut', 'changed', 'longer'))
    .map(([text, number, how]) => {
      const at = number % text.length;
      if (how === 'cut') return text.slice(0, at);
      if (how === 'changed') return `${text.slice(0, at)}A${text.slice(at + 1)}`;
      return text.repeat(6);
    });
  const tiny = fc.constantFrom(
    '',
    '1',
    'AQ==',
    'AQAB',
    'gQ==',
    'é',
    '!',
    'A'.repeat(1_684),
    'A'.repeat(5_468),
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: tiny },
  );
}

const WRONG_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 256, 2n ** 64n - 1n, 2n ** 64n, 10n ** 30n, '', '0', 'é', 'banana'],
  ...['1'.repeat(31), '1'.repeat(65), '1'.repeat(200), [], {}, [null], [[]], { commitment: 'recent' }],
  ...[{ encoding: 'json' }, { memcmp: {} }, { dataSize: 165 }, { mint: 5 }, { programId: '1' }, 'processed'],
];

/** Params that are a little wrong, or that nodes take as they are although nobody writes them so. */
function wrongParams(params: unknown): fc.Arbitrary<unknown> {
  const list = Array.isArray(params) ? (params as readonly unknown[]) : [];
  const value = fc.constantFrom(...WRONG_VALUES);
  const replaced = fc.tuple(fc.nat(), value).map(([at, wrong]) => replaceAt(list, at, wrong));
  return fc.oneof(
    { weight: 8, arbitrary: replaced },
    { weight: 1, arbitrary: value.map((wrong) => [...list, wrong]) },
    { weight: 1, arbitrary: fc.constant(list.slice(0, -1)) },
    { weight: 1, arbitrary: fc.constant(list.slice(1)) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, null, {}, { a: 1 }, [], 5, 'text') },
    { weight: 1, arbitrary: longest(list) },
  );
}

/** Puts a value in the place of one of those in a list, at any depth, or into an object under a name of its own. */
function replaceAt(list: readonly unknown[], at: number, wrong: unknown): readonly unknown[] {
  if (list.length === 0) return [wrong];
  const index = at % list.length;
  return list.map((item, place) => (place === index ? replaceIn(item, (at / list.length) | 0, wrong) : item));
}

function replaceIn(item: unknown, at: number, wrong: unknown): unknown {
  if (typeof item !== 'object' || item === null || at % 3 === 0) return wrong;
  const next = (at / 3) | 0;
  if (Array.isArray(item)) return replaceAt(item, next, wrong);
  const names = [...Object.keys(item), 'mine'];
  const name = names[next % names.length] ?? '';
  const member = (item as Readonly<Record<string, unknown>>)[name];
  return { ...item, [name]: replaceIn(member, (next / names.length) | 0, wrong) };
}

/** Lists of more items than any method takes. */
function longest(list: readonly unknown[]): fc.Arbitrary<unknown> {
  const repeat = (item: unknown): unknown =>
    Array.isArray(item) && item.length > 0 ? Array.from({ length: 257 }, () => item[0] as unknown) : item;
  return fc.constant(list.map(repeat));
}
