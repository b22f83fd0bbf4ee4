import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base58Fault, decodedSize, isBase58 } from '../../runtime/base58.ts';

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

  it('accept what a full decoder makes 32 or 64 bytes of, and nothing else, at every boundary', () => {
    const decodes = (text: string, size: number): boolean => {
      try {
        return base58.decode(text).length === size;
      } catch {
        return false;
      }
    };
    for (const size of [32, 64]) {
      for (let zeros = 0; zeros <= size + 1; zeros++) {
        const rest = Math.max(size - zeros, 0);
        for (const power of [256n ** BigInt(rest), 256n ** BigInt(Math.max(rest - 1, 0))]) {
          for (const value of [power - 1n, power, power + 1n]) {
            const text = '1'.repeat(zeros) + (value === 0n ? '' : base58.encode(bytesOf(value)));
            expect([text, isBase58(text, size)]).toEqual([text, decodes(text, size)]);
          }
        }
      }
    }
    const characters = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl é');
    const text = fc.oneof(
      fc.string({ unit: characters, minLength: 30, maxLength: 46 }),
      fc.uint8Array({ minLength: 30, maxLength: 34 }).map((bytes) => base58.encode(bytes)),
      fc
        .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(43), characters)
        .map(([bytes, at, character]) => {
          const right = base58.encode(bytes);
          return right.slice(0, at) + character + right.slice(at + 1);
        }),
    );
    fc.assert(fc.property(text, (tried) => isBase58(tried, 32) === decodes(tried, 32)));
  });

  it('tell a bad character from a wrong size, and call too long a text the wrong size whatever it holds', () => {
    for (const character of ['0', 'O', 'I', 'l', ' ', 'é', '😀'])
      expect(base58Fault(character, 32)).toBe('badAlphabet');
    expect(base58Fault('1', 32)).toBe('wrongSize');
    expect(base58Fault('0'.repeat(45), 32)).toBe('wrongSize');
    expect(base58Fault('0'.repeat(44), 32)).toBe('badAlphabet');
  });
});

function bytesOf(value: bigint): Uint8Array {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}
