import fc from 'fast-check';
import { HDKey } from 'micro-key-producer/slip10.js';
import { describe, expect, test } from 'vitest';
import { MAX_INDEX } from '../../../src/core/keys/derivation-path.ts';
import {
  createChildren,
  createMasters,
  deriveChild,
  deriveWallet,
  masterNode,
  nodeSeed,
} from '../../../src/core/keys/slip10.ts';
import { ENGINES, hex, toHex } from './engines.ts';
import { rounds } from '../../support/tier.ts';
import slip10 from './vectors/slip10.json' with { type: 'json' };

const steps = slip10.vectors.flatMap(({ seed, chain }) => chain.map((node) => ({ seed, ...node })));
const anySeed = fc.uint8Array({ minLength: 16, maxLength: 64 });
const anyIndex = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: MAX_INDEX }), fc.constant(MAX_INDEX));

describe.each(ENGINES)('SLIP-0010 by the $kind engine', (engine) => {
  test.each(steps)('gives node $path of $seed', ({ seed, path, key, chainCode, publicKey }) => {
    let node = masterNode(engine, hex(seed));
    for (const index of path) node = deriveChild(engine, node, index);
    expect(toHex(node)).toBe(key + chainCode);
    expect(toHex(engine.publicKey(nodeSeed(node)))).toBe(publicKey);
  });

  test('gives the wallets that micro-key-producer gives', () => {
    const property = fc.property(anySeed, anyIndex, anyIndex, (seed, x, y) => {
      const expected = HDKey.fromMasterSeed(seed).derive(`m/44'/501'/${x}'/${y}'`);
      const wallet = deriveWallet(engine, seed, { x, y });
      expect(toHex(wallet)).toBe(toHex(expected.privateKey));
      expect(toHex(engine.publicKey(wallet))).toBe(toHex(expected.publicKeyRaw));
    });
    fc.assert(property, { numRuns: rounds(30) });
  });

  test('gives master nodes of one seed after another, and children, in memory that the caller provides', () => {
    const given: Uint8Array[] = [];
    const allocate = (sizeBytes: number): Uint8Array => {
      const memory = new Uint8Array(sizeBytes);
      given.push(memory);
      return memory;
    };
    const masters = createMasters(engine, 32, allocate);
    const children = createChildren(engine, allocate);
    const node = new Uint8Array(64);
    for (const fill of [1, 2, 1]) {
      const seed = new Uint8Array(32).fill(fill);
      masters.computeInto(node, seed);
      expect(toHex(node)).toBe(toHex(masterNode(engine, seed)));
      children.setParent(node);
      children.deriveInto(node, 7);
      expect(toHex(node)).toBe(toHex(deriveChild(engine, masterNode(engine, seed), 7)));
      children.wipe();
      expect(given.filter((memory) => memory.some((byte) => byte !== 0))).toEqual([]);
    }
    expect(given).toHaveLength(4);
  });

  test('gives siblings as it gives single children, of one parent after another, and forgets them when wiped', () => {
    const children = createChildren(engine);
    const node = new Uint8Array(64);
    for (const fill of [9, 10, 9]) {
      const parent = masterNode(engine, new Uint8Array(64).fill(fill));
      children.setParent(parent);
      for (const index of [0, 1, MAX_INDEX, 1]) {
        children.deriveInto(node, index);
        expect(toHex(node)).toBe(toHex(deriveChild(engine, parent, index)));
      }
    }
    const last = toHex(node);
    children.wipe();
    children.deriveInto(node, 1);
    expect(toHex(node)).not.toBe(last);
  });
});
