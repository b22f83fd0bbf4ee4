import { createPublicKey, createPrivateKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { renderTypes } from '../../codegen/render/wallets/types.ts';
import { readWallets } from '../../codegen/model/wallets/wallets.ts';
import ledgerPackage from '../../generated/ledger/openrpc.json' with { type: 'json' };
import document from '../../generated/wallets/openapi.json' with { type: 'json' };
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
  const ours = renderTypes(readWallets(specSources()))['wallets/types.ts'] ?? '';
  const withoutUnknown = astToString(whole)
    .replaceAll(/ & (unknown|\(unknown( & unknown)*\))/g, '')
    .replace(/^export type (webhooks|\$defs) = .*;\n/gm, '');
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
