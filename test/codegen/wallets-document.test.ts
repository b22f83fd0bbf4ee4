import { WALLETS } from '../../codegen/model/rest/service.ts';
import { createPublicKey, createPrivateKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { renderTypes } from '../../codegen/render/rest/types.ts';
import { readRest } from '../../codegen/model/rest/rest.ts';
import ledgerPackage from '../../generated/ledger/openrpc.json' with { type: 'json' };
import document from '../../generated/wallets/openapi.json' with { type: 'json' };
import type {
  operations,
  StreamRequiredProblem,
  WalletRateLimitedProblem,
} from '../../generated/wallets/types.ts';
import { specSources } from './spec.ts';

/** Every object below a value. */
const objectsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] => {
  if (typeof value === 'string' && value.startsWith('{'))
    return value
      .trim()
      .split('\n')
      .flatMap((line) => objectsIn(JSON.parse(line)));
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? below : [value as Readonly<Record<string, unknown>>, ...below];
};

/** DER of an Ed25519 key, up to the key itself (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

it('is an OpenAPI document, and its types are those that openapi-typescript makes by itself', async () => {
  const whole = await openapiTS(structuredClone(document) as unknown as OpenAPI3, {
    silent: true,
    immutable: true,
    exportType: true,
    defaultNonNullable: false,
  });
  const ours = renderTypes(readRest(specSources(), WALLETS))['wallets/types.ts'] ?? '';
  const withoutUnknown = astToString(whole)
    .replaceAll(/ & (unknown|\(unknown( & unknown)*\))/g, '')
    .replace(/^export type (webhooks|\$defs) = .*;\n/gm, '')
    .replace(/^\s*(readonly )?\w+\?: never;\n/gm, '');
  expect(ours).toContain(withoutUnknown);
});

it('shows wallets whose address is that of their secret key', () => {
  const wallets = objectsIn(document).filter(({ secret_key: key }) => typeof key === 'string');
  expect(wallets.length).toBeGreaterThan(5);
  for (const { address, secret_key: key } of wallets) {
    const bytes = base58.decode(String(key));
    const secret = createPrivateKey({
      key: Buffer.concat([PKCS8, bytes.subarray(0, 32)]),
      format: 'der',
      type: 'pkcs8',
    });
    const publicKey = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32);
    expect([address, Buffer.from(bytes.subarray(32))]).toEqual([base58.encode(publicKey), publicKey]);
  }
});

it('shows a signature that verifies', () => {
  const [signed] = objectsIn(document).filter(
    ({ signature, address }) => signature && typeof address === 'string',
  );
  const key = createPublicKey({
    key: Buffer.concat([SPKI, base58.decode(String(signed?.address))]),
    format: 'der',
    type: 'spki',
  });
  expect(verify(null, Buffer.from('hello'), key, base58.decode(String(signed?.signature)))).toBe(true);
});

it('has no schema of a name that the ledger document has, so that both are exported by one package', () => {
  const ledger = Object.keys(ledgerPackage.components.schemas);
  expect(Object.keys(document.components.schemas).filter((name) => ledger.includes(name))).toEqual([]);
});

type Refused = operations['createWallet']['responses'][402]['content']['application/problem+json'];

/** Compiles only where the code tells which members there are, and of which type. */
const shortOf = (problem: Refused): number => {
  switch (problem.code) {
    case 'balance_insufficient':
    case 'credit_limit_reached':
      return problem.required - problem.available;
    default:
      return problem satisfies never;
  }
};

it('types what the problem of each code has of its own, so that a client reads it without a cast', () => {
  const { examples } = document.paths['/v1/wallets'].post.responses[402].content['application/problem+json'];
  const { value } = examples.balance_insufficient;
  expect(shortOf(value as Refused)).toBe(value.required - value.available);
  const waits = (problem: WalletRateLimitedProblem): number => problem.retry_after_seconds;
  const limit = (problem: StreamRequiredProblem): number => problem.limit - problem.value;
  const refused = document.paths['/v1/wallets/hd'].post.responses;
  const { wallet_rate_limited: limited } = refused[429].content['application/problem+json'].examples;
  const { stream_required: required } = refused[422].content['application/problem+json'].examples;
  expect([
    waits(limited.value as WalletRateLimitedProblem),
    limit(required.value as StreamRequiredProblem),
  ]).toEqual([limited.value.retry_after_seconds, -1]);
});

it('has one schema per code of each status, and one example of each', () => {
  const responses = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap((operation) =>
      Object.values(operation.responses as Readonly<Record<string, Answered>>),
    ),
  );
  const refusals = responses.flatMap(({ content }) => content?.['application/problem+json'] ?? []);
  expect(refusals.length).toBeGreaterThan(30);
  for (const { schema, examples } of refusals) {
    const named = (schema.oneOf ?? [schema]).map(({ $ref }) => $ref?.split('/').at(-1));
    expect(named).toEqual(Object.keys(examples).map(problemTitleOf));
  }
});

type Answered = { readonly content?: Readonly<Record<string, Content>> };
type Content = {
  readonly schema: { readonly $ref?: string; readonly oneOf?: readonly { readonly $ref: string }[] };
  readonly examples: object;
};

const problemTitleOf = (code: string): string =>
  `${code.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Problem`;
