import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base58Fault, decodedSize, isBase58 } from '../../codegen/runtime/base58.ts';

describe('base-58 sizes', () => {
  it('agree with a full decoder for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 90 }), (bytes) => {
        expect(decodedSize(base58.encode(bytes))).toBe(bytes.length);
      }),
    );
  });

  it('agree with a full decoder for long texts', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 100, maxLength: 400 }), (bytes) => {
        expect(decodedSize(base58.encode(bytes))).toBe(bytes.length);
      }),
    );
  });

  it('accept exactly what decodes to the size', () => {
    expect(isBase58(base58.encode(new Uint8Array(32).fill(255)), 32)).toBe(true);
    expect(isBase58('1'.repeat(32), 32)).toBe(true);
    expect(isBase58('1'.repeat(31), 32)).toBe(false);
    expect(isBase58(base58.encode(new Uint8Array(33).fill(1)), 32)).toBe(false);
    expect(isBase58(base58.encode(new Uint8Array(64).fill(255)), 64)).toBe(true);
    expect(isBase58('', 32)).toBe(false);
  });

  it('tell a bad character from a wrong size, and call too long a text the wrong size whatever it holds', () => {
    for (const character of ['0', 'O', 'I', 'l', ' ', 'é', '😀'])
      expect(base58Fault(character, 32)).toBe('badAlphabet');
    expect(base58Fault('1', 32)).toBe('wrongSize');
    expect(base58Fault('0'.repeat(45), 32)).toBe('wrongSize');
    expect(base58Fault('0'.repeat(44), 32)).toBe('badAlphabet');
  });
});
