import { zstdDecompressSync } from 'node:zlib';
import { getBase58Decoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { encodeAccount } from '../../../src/localnet/encode/account.ts';
import { accountOf, NO_MINTS } from './account-case.ts';

const base58 = getBase58Decoder();
const account = (length: number) =>
  accountOf({ data: Uint8Array.from({ length }, (_, index) => index % 251) });
const encode = (
  length: number,
  encoding: Parameters<typeof encodeAccount>[1]['encoding'],
  dataSlice?: Slice,
) => encodeAccount(account(length), { ...NO_MINTS, encoding, dataSlice }).data;
type Slice = { offset: number | bigint; length: number | bigint };

test('passes the plain members on, with the whole length as space', () => {
  const encoded = encodeAccount(account(9), {
    ...NO_MINTS,
    encoding: 'base64',
    dataSlice: { offset: 1, length: 2 },
  });
  expect(encoded).toEqual({
    lamports: 1_000_000n,
    data: ['AQI=', 'base64'],
    owner: '11111111111111111111111111111111',
    executable: false,
    rentEpoch: 18446744073709551615n,
    space: 9n,
  });
});

describe('encodings', () => {
  test('binary is bare base-58 text', () => {
    expect(encode(5, 'binary')).toBe(base58.decode(account(5).data));
    expect(encode(0, 'binary')).toBe('');
  });

  test('base58, base64 and base64+zstd are pairs', () => {
    const { data } = account(100);
    expect(encode(100, 'base58')).toEqual([base58.decode(data), 'base58']);
    expect(encode(100, 'base64')).toEqual([Buffer.from(data).toString('base64'), 'base64']);
    const [packed, name] = encode(100, 'base64+zstd') as [string, string];
    expect(name).toBe('base64+zstd');
    expect(new Uint8Array(zstdDecompressSync(Buffer.from(packed, 'base64')))).toEqual(data);
  });

  test.each([
    // Recorded answers of nodes: the mint of USDC, and a nonce account.
    'KLUv/QBYkQIAAQAAAJj+huiNm+Lqi8HMpIeLKYjCQPUrhCS/tA7Rot3LXhmbQLUAvmbxIwAGAQEAAABicKqKWcWUBbRShshncubNEm6bil06OFNtN/e0FOi2Zw==',
    'KLUv/QBYgQIAAQAAAAEAAAAYN7fDgyW630LDtnup4nlG5uUrhnBS077hAkv7jaK5U/Z1Da4WA4qlaCl2RvtERjayxzWWD30+4/7zXET6S+5XiBMAAAAAAAA=',
  ])('base64+zstd is the frame of a node: %s', (frame) => {
    const data = Uint8Array.from(zstdDecompressSync(Buffer.from(frame, 'base64')));
    const options = { ...NO_MINTS, encoding: 'base64+zstd' } as const;
    expect(encodeAccount(accountOf({ data }), options).data).toEqual([frame, 'base64+zstd']);
  });

  test.each([0, 1, 165, 131_072, 131_073, 3_000_000])('base64+zstd of %i bytes names no size', (length) => {
    const frame = Buffer.from((encode(length, 'base64+zstd') as [string, string])[0], 'base64');
    expect(frame.subarray(0, 6).toString('hex')).toBe('28b52ffd0058');
    expect(Uint8Array.from(zstdDecompressSync(frame))).toEqual(account(length).data);
  });

  test('jsonParsed gives data it cannot parse as a base-64 pair', () => {
    expect(encode(3, 'jsonParsed')).toEqual(['AAEC', 'base64']);
  });
});

describe('base-58 text carries 128 bytes at most', () => {
  test.each(['binary', 'base58'] as const)('%s passes 128 and refuses 129', (encoding) => {
    expect(() => encode(128, encoding)).not.toThrow();
    expect(() => encode(129, encoding)).toThrow(expect.objectContaining({ code: 'base58DataTooLarge' }));
  });

  test('what counts is the slice', () => {
    expect(encode(1000, 'binary', { offset: 10, length: 128 })).toBe(
      base58.decode(account(1000).data.subarray(10, 138)),
    );
    expect(() => encode(1000, 'binary', { offset: 10, length: 129 })).toThrow();
    expect(encode(1000, 'binary', { offset: 900, length: 1000 })).toBe(
      base58.decode(account(1000).data.subarray(900)),
    );
  });
});

test.each<[Slice, number[]]>([
  [{ offset: 0, length: 5 }, [0, 1, 2, 3, 4]],
  [{ offset: 0, length: 10 }, [0, 1, 2, 3, 4]],
  [{ offset: 1, length: 2 }, [1, 2]],
  [{ offset: 5, length: 1 }, []],
  [{ offset: 10, length: 2 }, []],
  [{ offset: 2, length: 0 }, []],
  [{ offset: 4n, length: 2n ** 64n - 1n }, [4]],
  [{ offset: 2n ** 64n - 1n, length: 2n ** 64n - 1n }, []],
])('slice %o of five bytes', (slice, bytes) => {
  expect(encode(5, 'base64', slice)).toEqual([Buffer.from(bytes).toString('base64'), 'base64']);
});
