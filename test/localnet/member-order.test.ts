import { createInitializeMint2Instruction, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Keypair, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { openrpcDocument } from '../../src/gateway/ledger/openrpc-document.ts';
import { serveLedger } from './subscriptions/serve-ledger.ts';
import { fundedWallet, memo, SOL, sendNow, signed, transfer } from './transactions.ts';

type Schema = {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** A list: the items of a tuple. */
  readonly items?: Schema | readonly Schema[];
  readonly additionalProperties?: unknown;
};
type Document = {
  readonly methods: readonly {
    readonly name: string;
    readonly 'x-subscription'?: { readonly notification: { readonly schema: Schema } };
  }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const document = JSON.parse(openrpcDocument()) as Document;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where members do not stand in the order of their names. */
function misplacedByName(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => misplacedByName(item, `${path}/${index}`));
  if (!isObject(value)) return [];
  const names = Object.keys(value);
  return [
    ...(names.join() === [...names].sort().join() ? [] : [`${path}: ${names}`]),
    ...names.flatMap((name) => misplacedByName(value[name], `${path}/${name}`)),
  ];
}

/** Where members do not stand as the type has them; what is `parsed` is in the order of its names. */
function misplacedByType(value: unknown, written: Schema, path = ''): readonly string[] {
  const schema = formOf(value, written);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => misplacedByType(item, itemOf(schema, index), `${path}/${index}`));
  }
  if (!isObject(value) || schema.properties === undefined) return [];
  const { properties } = schema;
  const names = Object.keys(value);
  const declared = Object.keys(properties).filter((name) => names.includes(name));
  return [
    ...(names.join() === declared.join() ? [] : [`${path}: ${names}`]),
    ...names.flatMap((name) =>
      name === 'parsed'
        ? misplacedByName(value[name], `${path}/${name}`)
        : misplacedByType(value[name], properties[name] ?? {}, `${path}/${name}`),
    ),
  ];
}

const itemOf = ({ items = {} }: Schema, index: number): Schema =>
  isTuple(items) ? (items[index] ?? {}) : items;

const isTuple = (items: Schema | readonly Schema[]): items is readonly Schema[] => Array.isArray(items);

/** The schema behind references, and of alternatives the one that the value fits. */
function formOf(value: unknown, { allOf, $ref = allOf?.[0]?.$ref, ...written }: Schema): Schema {
  if ($ref !== undefined)
    return formOf(value, document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  const form = written.anyOf?.find((each) => fits(value, each));
  return form === undefined ? written : formOf(value, form);
}

/** True if a value has the members that a schema gives it, at every depth. */
function fits(value: unknown, written: Schema): boolean {
  const form = formOf(value, written);
  const { anyOf, properties, required = [], items, additionalProperties } = form;
  if (anyOf !== undefined) return false;
  if (Array.isArray(value))
    return items !== undefined && value.every((item, index) => fits(item, itemOf(form, index)));
  if (!isObject(value)) return properties === undefined && items === undefined;
  if (properties === undefined) return additionalProperties !== undefined;
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => {
      const schema = properties[name];
      return schema !== undefined && (name === 'parsed' || fits(member, schema));
    })
  );
}

/** The answer over HTTP, as text that keeps the order of members. */
async function answer(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url.replace(/^ws/, 'http'), { method: 'POST', headers, body });
  const { result, error } = (await reply.json()) as { result?: unknown; error?: { data?: unknown } };
  return error === undefined ? result : error.data;
}

/** A ledger on which a transfer, a memo and a mint have happened in one slot, and a transfer that failed. */
async function startScene() {
  const served = await serveLedger();
  const payer = await fundedWallet(served);
  const mint = Keypair.generate();
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: mint.publicKey,
    programId: TOKEN_PROGRAM_ID,
    lamports: 1_066_800,
    space: 82,
  });
  const texts = [
    signed(
      served,
      [payer],
      transfer(payer, Keypair.generate().publicKey, SOL),
      memo('hello', payer.publicKey),
    ),
    signed(
      served,
      [payer, mint],
      create,
      createInitializeMint2Instruction(mint.publicKey, 6, payer.publicKey, null),
    ),
    signed(served, [payer], transfer(payer, Keypair.generate().publicKey, 1_000n * SOL)),
  ];
  return { ...served, payer, mint: mint.publicKey.toBase58(), texts };
}

const FULL = { maxSupportedTransactionVersion: 1, commitment: 'confirmed' };

test('answers have their members in the order of their names, as nodes write them', async () => {
  const { url, tick, payer, mint, texts, ...scene } = await startScene();
  const signatures: string[] = [];
  for (const text of texts) signatures.push(await sendNow({ ...scene, tick }, text));
  const [, , refused = ''] = texts;
  tick(32);
  const calls: readonly (readonly [string, ...unknown[]])[] = [
    ...['base64', 'json', 'jsonParsed'].flatMap((encoding) => [
      ['getBlock', 32, { ...FULL, encoding }] as const,
      ...signatures.map((signature) => ['getTransaction', signature, { ...FULL, encoding }] as const),
      ['getMultipleAccounts', [mint, payer.publicKey], { encoding }] as const,
    ]),
    ['getBlock', 32, { transactionDetails: 'accounts', ...FULL }],
    ['getProgramAccounts', TOKEN_PROGRAM_ID, { encoding: 'jsonParsed', withContext: true }],
    ['getSignaturesForAddress', payer.publicKey],
    ['getSignatureStatuses', signatures, { searchTransactionHistory: true }],
    ['simulateTransaction', refused, { encoding: 'base64', innerInstructions: true }],
    [
      'sendTransaction',
      signed({ ...scene, tick }, [payer], transfer(payer, payer.publicKey, 9_999n * SOL)),
      { encoding: 'base64' },
    ],
    ['getVoteAccounts'],
    ['getClusterNodes'],
    ['getVersion'],
    ['getEpochInfo'],
    ['getTokenSupply', mint],
    ['getSupply'],
    ['getLatestBlockhash'],
    ['getBalance', payer.publicKey, { minContextSlot: 1_000_000 }],
  ];
  for (const [method, ...params] of calls) {
    const said = await answer(url, method, params);
    expect([method, typeof said]).toEqual([method, 'object']);
    expect([method, misplacedByName(said)]).toEqual([method, []]);
  }
});

test('notifications have their members as their types have them, as nodes write them', async () => {
  const { tick, connect, payer, mint, texts, ...scene } = await startScene();
  const client = await connect();
  const asked: readonly (readonly [string, ...unknown[]])[] = [
    ...['base64', 'json', 'jsonParsed'].map(
      (encoding) => ['blockSubscribe', 'all', { ...FULL, encoding, showRewards: true }] as const,
    ),
    ['blockSubscribe', 'all', { ...FULL, transactionDetails: 'accounts' }],
    ['blockSubscribe', 'all', { ...FULL, transactionDetails: 'signatures' }],
    ['accountSubscribe', payer.publicKey, { commitment: 'processed' }],
    ['accountSubscribe', mint, { encoding: 'jsonParsed', commitment: 'processed' }],
    ['programSubscribe', TOKEN_PROGRAM_ID, { encoding: 'jsonParsed', commitment: 'confirmed' }],
    ['logsSubscribe', 'all', { commitment: 'processed' }],
    ['slotSubscribe'],
    ['slotsUpdatesSubscribe'],
    ['voteSubscribe'],
  ];
  const opened: (readonly [string, number])[] = [];
  for (const [method, ...params] of asked) opened.push([method, await client.subscribe(method, ...params)]);
  for (const text of texts) await sendNow({ ...scene, tick }, text);
  opened.push([
    'signatureSubscribe',
    await client.subscribe(
      'signatureSubscribe',
      await sendNow({ ...scene, tick }, signed({ ...scene, tick }, [payer], memo('x'))),
    ),
  ]);
  tick(33);
  for (const [method, id] of opened) {
    const schema = document.methods.find(({ name }) => name === method)?.['x-subscription']?.notification
      .schema;
    const told = await client.notificationsOf(id);
    expect([method, told.length > 0]).toEqual([method, true]);
    for (const result of told) {
      expect([method, fits(result, schema ?? {})]).toEqual([method, true]);
      expect([method, misplacedByType(result, schema ?? {})]).toEqual([method, []]);
    }
  }
});
