import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VERSIONED_CALLS, type VersionedMember } from '../../../generated/ledger/versions.ts';
import { memberValue, needsOf } from '../../../src/gateway/ledger/serve-versioned.ts';
import { orderOf } from '../../../src/gateway/nodes/network/node-version.ts';

const SIGNATURE = '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6';
const namesOf = (...call: Parameters<typeof needsOf>): readonly string[] | undefined =>
  needsOf(...call)?.members.map(({ name }) => name);

test.each([
  ['getSlot', [{ minContextSlot: 7 }]],
  ['getBalance', ['x', { minContextSlot: 7, commitment: 'confirmed' }]],
  ['slotSubscribe', []],
] as const)('%s %j needs nothing that a node lacks', (name, params) => {
  expect(needsOf(name, params)).toBeUndefined();
});

test.each([
  [[SIGNATURE, { minContextSlot: 7, commitment: 'confirmed' }]],
  [[SIGNATURE, { minContextSlot: 18446744073709551615n }]],
])('a minimum of getTransaction needs 4.4: %o', (params) => {
  expect(needsOf('getTransaction', params)).toMatchObject({
    since: '4.4',
    members: [{ name: 'config.minContextSlot' }],
  });
});

test.each([
  [undefined],
  [null],
  [[]],
  [[SIGNATURE]],
  [[SIGNATURE, null]],
  [[SIGNATURE, 'json']],
  [[SIGNATURE, 7]],
  [[SIGNATURE, {}]],
  [[SIGNATURE, { minContextSlot: null }]],
  [[SIGNATURE, { minContextSlot: 0 }]],
  [[SIGNATURE, { minContextSlot: undefined }]],
  [[SIGNATURE, { config: { minContextSlot: 7 } }]],
  [[{ minContextSlot: 7 }]],
])('without one it needs nothing: %j', (params) => {
  expect(needsOf('getTransaction', params)).toBeUndefined();
});

test('a value that older nodes use anyway is not required; other values with it are', () => {
  const statuses = (config: object) => namesOf('getSignatureStatuses', [[SIGNATURE], config]);
  expect(statuses({ commitment: 'processed' })).toBeUndefined();
  expect(statuses({ commitment: 'processed', minContextSlot: 7 })).toEqual(['config.minContextSlot']);
  expect(statuses({ commitment: 'finalized', minContextSlot: 7 })).toEqual([
    'config.commitment',
    'config.minContextSlot',
  ]);
});

test('a member counts at each of its places', () => {
  const schedule = (...params: readonly unknown[]) => namesOf('getLeaderSchedule', params);
  expect(schedule({ keyByVoteAccount: true })).toEqual(['config.keyByVoteAccount']);
  expect(schedule(null, { keyByVoteAccount: true })).toEqual(['config.keyByVoteAccount']);
  expect(schedule({ keyByVoteAccount: true }, { keyByVoteAccount: true })).toHaveLength(2);
  expect(schedule({ keyByVoteAccount: false }, { keyByVoteAccount: false })).toBeUndefined();
});

test('a method that came with a version needs it, whatever its params', () => {
  expect(needsOf('getAgGenesisCert', [])).toEqual({ since: '4.3', members: [] });
  expect(needsOf('getAgGenesisCert', undefined)).toEqual({ since: '4.3', members: [] });
});

test.each(['accountSubscribe', 'programSubscribe'] as const)('a slice of %s needs 4.4', (name) => {
  expect(needsOf(name, ['x', { dataSlice: { offset: 0, length: 0 } }])?.since).toBe('4.4');
  expect(needsOf(name, ['x', { encoding: 'base64' }])).toBeUndefined();
});

const CALLS = [
  ...(['accountSubscribe', 'programSubscribe'] as const),
  ...(['getAgGenesisCert', 'getLeaderSchedule', 'getSignatureStatuses', 'getTransaction'] as const),
];

/** Params that have certain members with certain values. */
function paramsWith(values: ReadonlyMap<VersionedMember, unknown>): readonly unknown[] {
  const params = [{}, {}];
  for (const [{ index, path }, value] of values)
    Object.assign(params[index] ?? {}, { [path.join('.')]: value });
  return params;
}

test('the register has the calls that are tried below', () => {
  expect(Object.keys(VERSIONED_CALLS).toSorted()).toEqual(CALLS.toSorted());
});

test.each(CALLS)('%s: the newest version of all that is asked for is needed', (name) => {
  const { since, members = [] } = VERSIONED_CALLS[name] ?? {};
  const others = fc.constantFrom('absent', 'null', 'default');
  fc.assert(
    fc.property(fc.subarray([...members]), others, (asked, other) => {
      const values = new Map<VersionedMember, unknown>();
      for (const member of members) {
        if (asked.includes(member)) values.set(member, 'finalized');
        else if (other !== 'absent') values.set(member, other === 'null' ? null : member.default);
      }
      const params = paramsWith(values);
      const versions = [...asked.map((member) => member.since), ...(since === undefined ? [] : [since])];
      const newest = versions.toSorted((a, b) => orderOf(b) - orderOf(a)).at(0);
      expect(needsOf(name, params)).toEqual(
        newest === undefined ? undefined : { since: newest, members: asked },
      );
      for (const member of asked) expect(memberValue(member, params)).toBe('finalized');
    }),
  );
});
