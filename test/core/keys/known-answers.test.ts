import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { KeyEngine } from '../../../src/core/keys/engine.ts';
import { assertKnownAnswers } from '../../../src/core/keys/known-answers.ts';
import { createKeyPool } from '../../../src/core/keys/pool.ts';
import { ENGINES } from './engines.ts';
import { QUIET } from './quiet-log.ts';
import { readAll } from './read-all.ts';

const [sound = never()] = ENGINES;

/** Engines that err, each in one thing. */
const FAULTY: Readonly<Record<string, KeyEngine>> = {
  'a public key': { ...sound, publicKey: (seed) => spoiled(sound.publicKey(seed)) },
  'a pair': {
    ...sound,
    keyPair(seed, into) {
      sound.keyPair(seed, into);
      spoiled(into.secretKey);
    },
  },
  'a signature': { ...sound, sign: (...given) => spoiled(sound.sign(...given)) },
  'a digest': { ...sound, sha512: (message) => spoiled(sound.sha512(message)) },
  derivation: {
    ...sound,
    sha512Into(into, message) {
      sound.sha512Into(into, message);
      spoiled(into);
    },
  },
  'verification, which it refuses': { ...sound, verify: () => false },
  'verification, which it always grants': { ...sound, verify: () => true },
};

test.each(ENGINES)('the $kind engine has the known answers', (engine) => {
  expect(() => assertKnownAnswers(engine)).not.toThrow();
});

describe.each(Object.entries(FAULTY))('an engine that errs in %s', (_what, engine) => {
  test('is found out', () => {
    expect(() => assertKnownAnswers(engine)).toThrow('known-answer test failed');
  });

  test('starts no pool', async () => {
    const starting = createKeyPool({ threads: 1, log: QUIET, loadEngine: async () => engine });
    await expect(starting).rejects.toThrow('known-answer test failed');
  });
});

describe('a thread whose engine errs', () => {
  const worker = new URL('./workers/faulty-engine.ts', import.meta.url);
  const becomeFaulty = () => vi.stubEnv('KEYSLOT_TEST_FAULTY_KEYS', '1');
  afterEach(() => void vi.unstubAllEnvs());

  test('starts no pool', async () => {
    becomeFaulty();
    await expect(createKeyPool({ threads: 2, log: QUIET, worker })).rejects.toThrow(
      'known-answer test failed',
    );
  });

  test('makes no keys if it starts later', async () => {
    const pool = await createKeyPool({ threads: 2, log: QUIET, worker });
    onTestFinished(() => pool.close());
    becomeFaulty();
    const job = { count: 100_000, format: 'jsonl', createdAt: new Date() } as const;
    const reading = readAll(pool.batch(job, new AbortController().signal));
    await expect(reading).rejects.toMatchObject({
      code: 'internalError',
      cause: { message: expect.stringContaining('known-answer test failed') },
    });
  });
});

function spoiled(bytes: Uint8Array): Uint8Array {
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes;
}

function never(): never {
  throw new Error('there is an engine');
}
