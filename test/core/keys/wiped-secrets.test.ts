import { describe, expect, test } from 'vitest';
import type { KeyEngine } from '../../../src/core/keys/engine.ts';
import { share, type WalletsTask } from '../../../src/core/keys/key-task.ts';
import { makeChildren } from '../../../src/core/keys/make-children.ts';
import { makeMaster } from '../../../src/core/keys/make-master.ts';
import { makeWallets } from '../../../src/core/keys/make-wallets.ts';
import { passphraseSalt } from '../../../src/core/keys/mnemonic.ts';
import { ENGINES } from './engines.ts';

const common = {
  stop: new Int32Array(new SharedArrayBuffer(4)),
  format: 'jsonl' as const,
  createdAt: '2026-01-01T00:00:00.000Z',
};
const path = { x: 0, y: 0 };
const salt = share(passphraseSalt('canary'));
const plain: WalletsTask = { ...common, kind: 'wallets', count: 3, isFirst: true, mnemonic: undefined };

describe.each(ENGINES)('by the $kind engine', (engine) => {
  test.each([
    ['plain wallets', (spy: KeyEngine) => makeWallets(spy, plain)],
    [
      'wallets with mnemonics',
      (spy: KeyEngine) => makeWallets(spy, { ...plain, mnemonic: { words: 12, salt, path } }),
    ],
    [
      'a master',
      (spy: KeyEngine) => {
        const coin = share(new Uint8Array(64));
        return makeMaster(spy, { ...common, kind: 'master', coin, source: { kind: 'new', words: 12, salt } });
      },
    ],
    [
      'children',
      (spy: KeyEngine) => {
        const ranges = { accounts: { start: 0, count: 2 }, change: { start: 0, count: 2 } };
        const coin = share(new Uint8Array(64).fill(3));
        return makeChildren(spy, { ...common, kind: 'children', coin, ...ranges, from: 0, count: 4 });
      },
    ],
  ])('%s leave no seed and no secret key behind', (_what, make) => {
    const { spy, seen } = watched(engine);
    make(spy);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((bytes) => bytes.some((byte) => byte !== 0))).toEqual([]);
  });

  test('what was written is wiped when the work fails in the middle', () => {
    const { spy, seen } = watched(engine);
    let left = 2;
    const failing: KeyEngine = {
      ...spy,
      keyPair(seed, into) {
        if (left-- === 0) throw new Error('broken');
        spy.keyPair(seed, into);
      },
    };
    expect(() => makeWallets(failing, plain)).toThrow('broken');
    expect(seen.filter((bytes) => bytes.some((byte) => byte !== 0))).toEqual([]);
  });
});

/** An engine that remembers, as views of the same memory, each secret that it was handed or computed in place. */
function watched(engine: KeyEngine): { readonly spy: KeyEngine; readonly seen: Uint8Array[] } {
  const seen: Uint8Array[] = [];
  const spy: KeyEngine = {
    ...engine,
    keyPair(seed, into) {
      seen.push(seed, into.secretKey);
      engine.keyPair(seed, into);
    },
    sha512Into(into, message) {
      seen.push(into, message);
      engine.sha512Into(into, message);
    },
  };
  return { spy, seen };
}
