import { expect, test } from 'vitest';
import { changed, found, type Part, set } from './found-in.ts';
import { SHOWN } from './spec-examples.ts';

test('an error of another form is found by its name, those of instructions too', () => {
  const withErr = (err: unknown) =>
    found('getTransaction', changed('getTransaction', 'meta', set('err', err)));
  expect(withErr({ InstructionError: [0, { Custom: 6001 }] })).toEqual([]);
  expect(withErr({ NewVariant: { account_index: 1 } })).toEqual([
    'member: getTransaction.result.meta.err.NewVariant',
  ]);
  expect(withErr({ InstructionError: [0, 'NewFailure'] })).toEqual([
    'word: getTransaction.result.meta.err.InstructionError[1] NewFailure',
  ]);
  expect(withErr({ InstructionError: [0, { NewFailure: 1 }] })).toEqual([
    'member: getTransaction.result.meta.err.InstructionError[1].NewFailure',
  ]);
  expect(withErr({ InsufficientFundsForRent: { account_index: 1, more: 2 } })).toEqual([
    'member: getTransaction.result.meta.err.InsufficientFundsForRent.more',
  ]);
});

/** An instruction as it is shown parsed. */
function instruction(program: string, parsed: unknown, more: object = {}): unknown {
  const programId = '11111111111111111111111111111111';
  return { program, programId, parsed, stackHeight: 1, ...more };
}

function foundInInstruction(own: unknown): readonly string[] {
  const head = 'getTransaction.result.transaction.message.instructions[]';
  for (const { name, value } of SHOWN) {
    const copy = structuredClone(value) as { transaction?: { message?: { instructions?: unknown[] } } };
    const { instructions } = copy?.transaction?.message ?? {};
    if (name !== 'getTransaction' || !JSON.stringify(instructions ?? '').includes('"parsed"')) continue;
    copy.transaction?.message?.instructions?.splice(0, 1, own);
    return found('getTransaction', copy).map((text) => text.replace(head, '…'));
  }
  throw new Error('no example has parsed instructions');
}

test('of an instruction, or an account, of another kind only the word is told, not what goes with it', () => {
  expect(
    foundInInstruction(instruction('new-program', { type: 'move', info: { a: 1 } }, { more: 1 })),
  ).toEqual(['word: ….program new-program']);
  expect(foundInInstruction(instruction('vote', { type: 'newVote', info: { a: 1 } }))).toEqual([
    'word: ….parsed.type newVote',
  ]);
  expect(foundInInstruction(instruction('spl-token', { type: 'newTransfer', info: {} }))).toEqual([
    'word: ….parsed.type newTransfer',
  ]);
});

test('a branch is chosen by its words before its members: a new member is found in the right one', () => {
  const info = { source: 'a', destination: 'b', lamports: 1, newMember: 2, another: 3 };
  expect(foundInInstruction(instruction('system', { type: 'transfer', info }))).toEqual([
    'member: ….parsed.info.newMember',
    'member: ….parsed.info.another',
  ]);
  const multisig = {
    source: 'a',
    destination: 'b',
    amount: '1',
    multisigAuthority: 'c',
    signers: [],
    fee: 1,
  };
  expect(foundInInstruction(instruction('spl-token', { type: 'transfer', info: multisig }))).toEqual([
    'member: ….parsed.info.fee',
  ]);
});

test('of two forms of a list the nearer one is chosen, however often what is new is in it', () => {
  const head = 'getBlock.result.transactions[].transaction.message.instructions[]';
  for (const { name, value } of SHOWN) {
    const text = JSON.stringify(value);
    if (name !== 'getBlock' || !text.includes('"parsed"')) continue;
    const { transactions, ...block } = JSON.parse(
      text.replaceAll('"info":{', '"info":{"newMember":1,"other":2,'),
    ) as { transactions: readonly unknown[] };
    const many = Array.from({ length: 40 }, () => transactions).flat();
    expect(found('getBlock', { ...block, transactions: many })).toEqual(
      expect.arrayContaining([`member: ${head}.parsed.info.newMember`, `member: ${head}.parsed.info.other`]),
    );
    const words = found('getBlock', JSON.parse(text.replaceAll(/"program":"[^"]*"/g, '"program":"new"')));
    expect(words).toContain(`word: ${head}.program new`);
    expect(words.filter((each) => !each.endsWith('.program new'))).toEqual([]);
    return;
  }
  throw new Error('no example of a block has parsed instructions');
});

test('an extension of a token that has no state, and gets one, is found in its own branch', () => {
  const extensions = [
    { extension: 'pausableAccount', state: { paused: true } },
    { extension: 'newOne', state: {} },
  ];
  const account = changed('getAccountInfo', 'value/data/parsed/info/tokenAmount', () => undefined) as {
    value: { data: { parsed: { info: Part } } };
  };
  set('extensions', extensions)(account.value.data.parsed.info);
  const head = 'getAccountInfo.result.value.data.parsed.info.extensions[]';
  expect(found('getAccountInfo', account)).toEqual([
    `member: ${head}.state`,
    `word: ${head}.extension newOne`,
  ]);
});
