import * as noble from '@noble/ed25519';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startThreads } from '../../../src/core/keys/job-runner.ts';
import { assertAgreesWithReference } from '../../../src/core/keys/reference-engine.ts';
import { loadEngineOf, loadKeyEngine } from '../../../src/core/keys/load-engine.ts';
import type { KeyEngine } from '../../../src/core/keys/engine.ts';
import { ENGINES, hex, toHex } from './engines.ts';
import { rounds } from '../../support/tier.ts';
import rfc8032 from './vectors/rfc8032.json' with { type: 'json' };
import wycheproof from './vectors/wycheproof-ed25519.json' with { type: 'json' };

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });

describe.each(ENGINES)('the $kind engine', (engine) => {
  test.each(rfc8032.vectors)('gives key and signature of RFC 8032, $name', (vector) => {
    const [seed, publicKey, message] = [hex(vector.seed), hex(vector.publicKey), hex(vector.message)];
    expect(toHex(engine.publicKey(seed))).toBe(vector.publicKey);
    const signature = engine.sign(seed, message);
    expect(toHex(signature)).toBe(vector.signature);
    expect(engine.verify(signature, message, publicKey)).toBe(true);
  });

  test('verifies as Wycheproof says', () => {
    const wrong = wycheproof.tests.filter(({ pk, msg, sig, result }) => {
      return engine.verify(hex(sig), hex(msg), hex(pk)) !== (result === 'valid');
    });
    expect(wrong.map(({ tcId, flags }) => `${tcId}: ${flags}`)).toEqual([]);
  });

  test('refuses a public key that is no point, of small order or of a wrong size', () => {
    const [vector] = rfc8032.vectors;
    const signature = hex(vector?.signature ?? '');
    const smallOrder = hex('01'.padEnd(64, '0'));
    for (const key of [hex('ff'.repeat(32)), smallOrder, new Uint8Array(31), new Uint8Array(33)]) {
      expect(engine.verify(signature, new Uint8Array(), key)).toBe(false);
    }
    const forged = Uint8Array.from([...smallOrder, ...new Uint8Array(32)]);
    expect(engine.verify(forged, hex('00'), smallOrder)).toBe(false);
  });

  test('throws on a seed or a place of a wrong size', () => {
    const places = { publicKey: new Uint8Array(32), secretKey: new Uint8Array(64) };
    expect(() => engine.publicKey(new Uint8Array(31))).toThrow();
    expect(() => engine.publicKey(new Uint8Array(33))).toThrow();
    expect(() => engine.keyPair(new Uint8Array(31), places)).toThrow();
    expect(() => engine.sign(new Uint8Array(31), hex('00'))).toThrow();
    expect(() => engine.sha512Into(new Uint8Array(63), hex(''))).toThrow();
  });

  test('overwrites what it is to wipe', () => {
    const secret = new Uint8Array(32).fill(7);
    engine.wipe(secret);
    expect(secret).toEqual(new Uint8Array(32));
  });

  test('gives the bytes that @noble/ed25519 gives', () => {
    const property = fc.property(bytes(32), fc.uint8Array({ maxLength: 300 }), (seed, message) => {
      const pair = { publicKey: new Uint8Array(32), secretKey: new Uint8Array(64) };
      engine.keyPair(seed, pair);
      const publicKey = noble.getPublicKey(seed);
      const signature = engine.sign(seed, message);
      expect(toHex(pair.publicKey)).toBe(toHex(publicKey));
      expect(toHex(pair.secretKey)).toBe(toHex(seed) + toHex(publicKey));
      expect(toHex(signature)).toBe(toHex(noble.sign(message, seed)));
      expect(engine.verify(signature, message, publicKey)).toBe(true);
      signature[5] = (signature[5] ?? 0) ^ 1;
      expect(engine.verify(signature, message, publicKey)).toBe(false);
    });
    fc.assert(property, { numRuns: rounds(100) });
  });
});

test('the native engine agrees with the reference, and one that does not makes no keys', async () => {
  const native = await loadEngineOf('native');
  assertAgreesWithReference(native);
  const wrong: KeyEngine = { ...native, sign: (seed, message) => native.sign(seed, message.subarray(1)) };
  expect(() => assertAgreesWithReference(wrong)).toThrow(
    'a signature differs from that of the reference engine',
  );
});

test('a pool starts no threads whose native engine disagrees with the reference, which is not compared with itself', async () => {
  const start = (engine: KeyEngine['kind']) => {
    const worker = new URL('./workers/disagreeing.ts', import.meta.url);
    return startThreads({ threads: 2, log: { error: () => undefined }, settings: { engine }, worker });
  };
  await expect(start('native')).rejects.toThrow('a signature differs');
  const threads = await start('reference');
  await threads.end();
});

describe('loading', () => {
  test('takes the native engine, and says nothing', async () => {
    const warnings: unknown[] = [];
    const engine = await loadKeyEngine({ warn: (fields: unknown) => warnings.push(fields) });
    expect(engine.kind).toBe('native');
    expect(warnings).toEqual([]);
  });

  test('takes the reference engine, with a warning that says why, where the native module cannot load', async () => {
    const warnings: unknown[] = [];
    const fail = (): Promise<KeyEngine> => Promise.reject(new Error('no prebuild for this platform\n at …'));
    const engine = await loadKeyEngine({ warn: (...said: unknown[]) => warnings.push(said) }, fail);
    expect(engine.kind).toBe('reference');
    expect(warnings).toEqual([
      [
        { reason: 'no prebuild for this platform' },
        'cannot load sodium-native: creating keys in JavaScript, which is slower',
      ],
    ]);
  });
});
