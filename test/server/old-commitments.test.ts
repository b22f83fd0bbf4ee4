import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/core/rpc/json.ts';
import { startRpcServer } from '../../src/localnet/serve-ledger.ts';
import { newLedger } from '../localnet/new-ledger.ts';
import { build, fundedWallet, memo, sendNow, signed } from '../localnet/transactions.ts';
import { openSocket, type SocketClient } from '../support/socket-client.ts';
import { DOCUMENT, OLD_COMMITMENTS, type Param, type Schema } from './differential/spec-values.ts';
import { type Gateway, post, startGateway } from './start-gateway.ts';

const run = newLedger();
let server: Awaited<ReturnType<typeof startRpcServer>>;
let gateway: Gateway;
/** Required params by their names. */
let given: Readonly<Record<string, unknown>> = {};

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const LEVELS: readonly string[] = ['processed', 'confirmed', 'finalized'];
/** Where nodes take the oldest level that they can answer for granted, and not the newest. */
const DEFAULT_OF: Readonly<Record<string, string>> = { getSignatureStatuses: 'processed' };
/** It would change the ledger; of its answer the level shows in nothing. */
const CHANGING = 'requestAirdrop';
/** Of these the interface says that nothing but confirmed and finalized is accepted. */
const OF_BLOCKS: readonly string[] = ['getBlocks', 'getBlocksWithLimit'];

beforeAll(async () => {
  const wallet = await fundedWallet(run);
  run.tick(40);
  const signature = await sendNow(run, signed(run, [wallet], memo('confirmed')));
  run.tick();
  await sendNow(run, signed(run, [wallet], memo('processed')));
  const transaction = build(run, [wallet], memo('never sent'));
  const address = wallet.publicKey.toBase58();
  given = {
    address,
    addresses: [address],
    owner: address,
    delegate: address,
    mint: address,
    program: TOKEN_PROGRAM,
    slot: 5,
    startSlot: 5,
    limit: 3,
    dataLength: 0,
    signature,
    signatures: [signature],
    blockhash: transaction.recentBlockhash,
    transaction: transaction.serialize().toString('base64'),
    message: transaction.serializeMessage().toString('base64'),
  };
  server = await startRpcServer(run.ledger, { host: '127.0.0.1', port: 0 });
  const nodeUrls = [`http://127.0.0.1:${server.port}/`];
  gateway = await startGateway({ nodeUrls, cacheBytes: 1024 * 1024, asksVersions: true });
});

afterAll(async () => {
  await gateway.close();
  await server.close(1_000);
});

const followed = ({ allOf, $ref = allOf?.[0]?.$ref, ...own }: Schema): Schema =>
  $ref === undefined ? own : { ...DOCUMENT.components.schemas[$ref.split('/').at(-1) ?? ''], ...own };
const commitmentsOf = (schema: Schema): readonly Schema[] =>
  [schema, ...(followed(schema).anyOf ?? [])]
    .map((form) => followed(form).properties?.commitment)
    .filter((member) => member !== undefined)
    .map((member) => followed(member.anyOf?.find(({ type }) => type !== 'null') ?? member));

/** Every call that takes a commitment, and whether it ignores one that it does not know. */
const CALLS = DOCUMENT.methods.flatMap(({ name, params }) => {
  const [commitment] = params.flatMap(({ schema }) => commitmentsOf(schema));
  if (commitment === undefined || name === CHANGING) return [];
  const isLenient = commitment['x-lenient'] !== undefined;
  const levels = commitment.enum ?? commitment.anyOf?.[0]?.enum;
  return [{ name, params, isLenient, takesProcessed: levels?.includes('processed') === true }];
});
type Listed = (typeof CALLS)[number];
const METHOD_CALLS = CALLS.filter(({ name }) => !name.endsWith('Subscribe'));
const SUBSCRIPTIONS = CALLS.filter(({ name }) => name.endsWith('Subscribe'));

function paramsOf({ params }: Listed, commitment: unknown): readonly unknown[] {
  const last = params.length - 1;
  const encoding = params[0]?.name === 'transaction' ? { encoding: 'base64' } : {};
  return params.map((param, at) => (at === last ? { commitment, ...encoding } : argument(param)));
}

function argument({ name, required, schema }: Param): unknown {
  if (required !== true) return null;
  if (name !== 'filter') return given[name];
  return followed(schema).title === 'TokenAccountsFilter' ? { programId: TOKEN_PROGRAM } : 'all';
}

/** The answer of the ledger, which is that of the gateway too. */
async function answer({ name }: Listed, params: readonly unknown[]): Promise<string> {
  const body = `{"jsonrpc":"2.0","id":1,"method":"${name}","params":${stringifyJson(params)}}`;
  const direct = await (await post(`http://127.0.0.1:${server.port}/`, body)).text();
  const through = await (await post(gateway.rpcUrl, body)).text();
  expect(through).toBe(direct);
  return direct;
}

test('every level is looked at, in calls and in subscriptions', () => {
  expect(METHOD_CALLS.length).toBeGreaterThan(30);
  expect(METHOD_CALLS.filter(({ isLenient }) => !isLenient).map(({ name }) => name)).toEqual([
    ...[...OF_BLOCKS, 'getInflationGovernor', 'getMinimumBalanceForRentExemption'],
    ...['getTokenAccountBalance', 'getTokenLargestAccounts', 'getTokenSupply'],
  ]);
  expect(SUBSCRIPTIONS.map(({ name }) => name)).toEqual([
    ...['accountSubscribe', 'blockSubscribe', 'logsSubscribe', 'programSubscribe', 'signatureSubscribe'],
  ]);
});

test.each(OLD_COMMITMENTS)('lists of blocks refuse %s', async (old) => {
  for (const call of METHOD_CALLS.filter(({ name }) => OF_BLOCKS.includes(name)))
    expect(await answer(call, paramsOf(call, old))).toContain(
      '"Method does not support commitment below `confirmed`"',
    );
});

describe.each(METHOD_CALLS.filter(({ name }) => !OF_BLOCKS.includes(name)))('$name', (call) => {
  test.each(OLD_COMMITMENTS)('at %s is answered as nodes answer what they do not know', async (old) => {
    const answered = await answer(call, paramsOf(call, old));
    if (call.isLenient) {
      const level = DEFAULT_OF[call.name] ?? 'finalized';
      expect(answered).toBe(await answer(call, paramsOf(call, level)));
    } else {
      const expected = 'expected one of `processed`, `confirmed`, `finalized`';
      expect(answered).toContain(`"Invalid params: unknown variant \`${old}\`, ${expected}."`);
    }
  });
});

test('the levels are told apart where it shows', async () => {
  const [slot] = METHOD_CALLS.filter(({ name }) => name === 'getSlot');
  if (slot === undefined) throw new Error('getSlot takes no commitment');
  const answers = await Promise.all(LEVELS.map((level) => answer(slot, paramsOf(slot, level))));
  expect(new Set(answers).size).toBe(LEVELS.length);
});

test.each(OLD_COMMITMENTS)('sendTransaction refuses %s for its preflight', async (old) => {
  const listed = { name: 'sendTransaction', params: [], isLenient: false, takesProcessed: true };
  const config = { encoding: 'base64', preflightCommitment: old };
  expect(await answer(listed, [given.transaction, config])).toContain(`unknown variant \`${old}\``);
});

describe.each(['ledger', 'gateway'] as const)('a socket of the %s', (where) => {
  let client: SocketClient;
  beforeAll(async () => {
    client = await openSocket(where === 'ledger' ? `ws://127.0.0.1:${server.port}/` : gateway.wsUrl);
  });
  afterAll(() => client.close());
  const subscribe = async (call: Listed, commitment: unknown): Promise<unknown> =>
    (await client.call(call.name, paramsOf(call, commitment))).result;

  test.each(SUBSCRIPTIONS)('$name at an old level is the one at finalized', async (call) => {
    const finalized = await subscribe(call, 'finalized');
    expect(finalized).toEqual(expect.any(Number));
    for (const old of OLD_COMMITMENTS) expect(await subscribe(call, old)).toBe(finalized);
    expect(await subscribe(call, undefined)).toBe(finalized);
    expect(await subscribe(call, call.takesProcessed ? 'processed' : 'confirmed')).not.toBe(finalized);
  });
});
