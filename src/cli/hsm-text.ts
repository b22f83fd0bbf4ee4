import type { CheckOutcome, HsmReport } from '../signer/hsm/check/run-checks.ts';

const MARKS: Readonly<Record<CheckOutcome['outcome'], string>> = {
  held: 'ok    ',
  broken: 'FAILED',
  'not supported': '-     ',
};

/** The text of `keyslot hsm check` for people. */
export function describeHsmReport({ kind, protection, keys_in, derives, checks, speed }: HsmReport): string {
  const broken = checks.filter(({ outcome }) => outcome === 'broken').length;
  const absent = checks.filter(({ outcome }) => outcome === 'not supported').length;
  return `
Key backend: ${kind}
  ${protection}
  keys are stored in ${keys_in === 'row' ? "the wallet's row of the database" : 'the token'}
  HD wallets in custody managed: ${derives ? 'yes' : 'no, the backend cannot derive keys'}

${checks.map(line).join('')}
Measured: ${speed.keys} keys/s, ${speed.signatures} signatures/s

${broken === 0 ? 'All checks passed' : `${broken} of ${checks.length} checks failed`}${absent === 0 ? '' : '; - marks what this backend does not support'}.
`;
}

const line = ({ name, outcome, reason }: CheckOutcome): string =>
  `  ${MARKS[outcome]}  ${name}\n${reason === undefined ? '' : `          ${reason}\n`}`;
