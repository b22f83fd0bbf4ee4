import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createEd25519 } from '../../../src/signer/hsm/soft/ed25519.ts';
import { createSlip10 } from '../../../src/signer/hsm/soft/slip10.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

// RFC 8032, section 7.1, tests 1 and 2.
test.each([
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
])('a seed has the public key and the signature of RFC 8032: %s', (seed, publicKey, message, signature) => {
  const ed25519 = createEd25519();
  expect(ed25519.publicKey(hex(seed)).toString('hex')).toBe(publicKey);
  expect(ed25519.sign(hex(seed), hex(message)).toString('hex')).toBe(signature);
});

// SLIP-0010, test vector 1 for ed25519.
test('nodes are those of SLIP-0010', () => {
  const slip10 = createSlip10();
  const node = Buffer.alloc(64);
  slip10.masterNode(hex('000102030405060708090a0b0c0d0e0f'), node);
  const expected = [
    '2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e790046a93de5380a72b5e45010748567d5ea02bbf6522f979e05c0d8d8ca9fffb',
    '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a38b59aa11380b624e81507a27fedda59fea6d0b779a778918a2fd3590e16e9c69',
    'b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2a320425f77d1b5c2505a6b1b27382b37368ee640e3557c315416801243552f14',
  ];
  expect(node.toString('hex')).toBe(expected[0]);
  for (const index of [0, 1]) {
    slip10.child(node, index, node);
    expect(node.toString('hex')).toBe(expected[index + 1]);
  }
});

test('a child is the HMAC that the standard states, for the first and the last index', () => {
  const slip10 = createSlip10();
  for (const index of [0, 1, 44, 0x7fff_ffff]) {
    const node = randomBytes(64);
    const message = Buffer.concat([Buffer.alloc(1), node.subarray(0, 32), Buffer.alloc(4)]);
    message.writeUInt32BE(0x8000_0000 + index, 33);
    const expected = createHmac('sha512', node.subarray(32)).update(message).digest();
    const child = Buffer.alloc(64);
    slip10.child(node, index, child);
    expect(child).toEqual(expected);
  }
});
