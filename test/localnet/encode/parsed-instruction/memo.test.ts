import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { key, parseBuilt } from '../instruction-case.ts';

const PROGRAMS = [
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
];

describe.each(PROGRAMS)('memo program %s', (programId) => {
  test.each(['🦖', '', 'x', '\ufeffwith a byte order mark'])('parses %j as the text itself', (text) => {
    const expected = { program: 'spl-memo', programId, parsed: text, stackHeight: 1 };
    expect(parseBuilt(memo(programId, Buffer.from(text)))).toEqual(expected);
  });

  test('does not parse bytes that are not UTF-8', () => {
    expect(parseBuilt(memo(programId, Buffer.of(0x80)))).toBeUndefined();
    expect(parseBuilt(memo(programId, Buffer.of(0xed, 0xa0, 0x80)))).toBeUndefined();
  });

  test('needs no accounts and takes signers', () => {
    const keys = [{ pubkey: key(1), isSigner: true, isWritable: false }];
    const signed = new TransactionInstruction({ ...memo(programId, Buffer.from('hi')), keys });
    expect(parseBuilt(signed)?.parsed).toBe('hi');
  });
});

function memo(programId: string, data: Buffer) {
  return new TransactionInstruction({ programId: new PublicKey(programId), keys: [], data });
}
