import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderOf, readSaidVersion } from '../../../../src/gateway/nodes/network/node-version.ts';
import { rounds } from '../../../support/tier.ts';

const said = (version: unknown, others: object = {}) => ({ 'solana-core': version, ...others });
const orderFor = (version: unknown): number | undefined => readSaidVersion(said(version))?.order;

test.each([
  ['3.0.0', '3.0'],
  ['3.1.14', '3.1'],
  ['4.2.0', '4.2'],
  ['4.3.5', '4.3'],
  ['4.4.0', '4.4'],
  ['4.10.0', '4.10'],
  ['4.4.0-beta.2', '4.4'],
  ['4.4.0-rc.1', '4.4'],
  ['4.3.1-jito', '4.3'],
  ['4.3.1-jito.2', '4.3'],
  ['4.4.0-beta.2-jito', '4.4'],
  ['4.3.1+build.7', '4.3'],
  ['4.3.1-jito+build.7', '4.3'],
  ['99999.99999.0', '99999.99999'],
])('%s is ordered as %s', (version, order) => {
  expect(orderFor(version)).toBe(orderOf(order));
});

test.each([
  ['Solana Labs, whose 1.18 is not Agave', '1.18.26'],
  ['Agave 2, older than what the specification knows', '2.3.13'],
  ['Firedancer', '0.711.30114'],
  ['Firedancer of a first major version', '1.2.1'],
  ['an alpha, which may lack what the release has', '4.4.0-alpha.1'],
  ['an alpha of Jito', '4.4.0-alpha-jito'],
  ['cloudbreak, which says on what it was built', '4.3.2-cloudbreak0.1.0'],
  ['superbank, likewise', '4.3.2-superbank.0.2'],
  ['a release before a release of another client', '4.4.0-beta.other'],
  ['two numbers', '4.4'],
  ['four numbers', '4.4.0.1'],
  ['a v in front', 'v4.4.0'],
  ['a space behind', '4.4.0 '],
  ['a name in front', 'agave 4.4.0'],
  ['a sign', '-4.4.0'],
  ['an exponent', '4e1.4.0'],
  ['a number of six digits', '100000.0.0'],
  ['an empty pre-release', '4.4.0-'],
  ['a word', 'next'],
])('a version that is %s is shown, and not ordered: %s', (_what, version) => {
  expect(readSaidVersion(said(version))).toEqual({ version, featureSet: null, order: undefined });
});

test.each([
  ['Surfpool', { 'surfnet-version': '1.6.0' }],
  ['a provider that names itself', { provider: 'balanced' }],
  ['a member of tomorrow', { 'client-id': 3 }],
])('%s answers more than Agave does: shown, and not ordered', (_who, others) => {
  expect(readSaidVersion(said('4.4.0', { 'feature-set': 7, ...others }))).toEqual({
    version: '4.4.0',
    featureSet: 7,
    order: undefined,
  });
});

test.each([
  [undefined],
  [null],
  ['4.4.0'],
  [44],
  [[]],
  [{}],
  [{ 'feature-set': 7 }],
  [said(undefined)],
  [said(null)],
  [said(4.4)],
  [said(['4.4.0'])],
  [said({ toString: '4.4.0' })],
  [said('')],
])('%j is no version', (result) => {
  expect(readSaidVersion(result)).toBeUndefined();
});

test('a version has at most 100 characters', () => {
  expect(readSaidVersion(said('x'.repeat(100)))?.version).toHaveLength(100);
  expect(readSaidVersion(said('x'.repeat(101)))).toBeUndefined();
});

test.each([
  ['a terminal’s commands', '4.4.0\u001b[2J'],
  ['a command in one character', '4.4.0\u009b2J'],
  ['a new line', '4.4.0\nkeyslot_node_info{} 1'],
  ['a new line at its end', '4.4.0\n'],
  ['a null', '4.4.0\0'],
  ['a delete', '4.4.0\u007f'],
  ['a turn of direction', '4.4.0\u202e'],
  ['letters of another script', '4.4.0-бета'],
])('a version with %s is none', (_what, version) => {
  expect(readSaidVersion(said(version))).toBeUndefined();
});

test.each([
  [0, 0],
  [4_294_967_295, 4_294_967_295],
  [4_294_967_296, null],
  [-1, null],
  [1.5, null],
  [Number.POSITIVE_INFINITY, null],
  ['7', null],
  [7n, null],
  [null, null],
  [{}, null],
  [undefined, null],
])('a feature set %s is read as %s', (featureSet, read) => {
  expect(readSaidVersion(said('4.4.0', { 'feature-set': featureSet }))).toEqual({
    version: '4.4.0',
    featureSet: read,
    order: orderOf('4.4'),
  });
});

const part = fc.integer({ min: 0, max: 99_999 });

test('versions are ordered by major, then by minor, and by nothing else', () => {
  fc.assert(
    fc.property(
      ...[fc.integer({ min: 3, max: 99_999 }), part, part],
      ...[fc.integer({ min: 3, max: 99_999 }), part, part],
      (aMajor, aMinor, aPatch, bMajor, bMinor, bPatch) => {
        const a = orderFor(`${aMajor}.${aMinor}.${aPatch}`) ?? Number.NaN;
        const b = orderFor(`${bMajor}.${bMinor}.${bPatch}-jito`) ?? Number.NaN;
        const wanted = Math.sign(aMajor - bMajor || aMinor - bMinor);
        expect(Math.sign(a - b)).toBe(wanted);
      },
    ),
  );
});

test('whatever a node answers, what is read of it is short, printable and ordered only from 3.0 on', () => {
  const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^\d+\.\d+\.\d+.*$/));
  const answers = fc.oneof(
    fc.anything(),
    fc.record({ 'solana-core': fc.oneof(texts, fc.anything()), 'feature-set': fc.anything() }),
  );
  fc.assert(
    fc.property(answers, (answer) => {
      const read = readSaidVersion(answer);
      if (read === undefined) return;
      expect(read.version).toMatch(/^[\x20-\x7e]{1,100}$/);
      expect(read.featureSet === null || Number.isInteger(read.featureSet)).toBe(true);
      expect(read.order === undefined || read.order >= orderOf('3.0')).toBe(true);
    }),
    { numRuns: rounds(1_000) },
  );
});
