import type { Sources } from '../../load.ts';
import {
  operationFiles,
  WALLETS_HEAD_FILE,
  WALLETS_SCENARIO_FILE,
  walletSchemaFiles,
} from '../../model/wallets/wallets.ts';
import type { Problem } from '../../problem.ts';
import type { Json } from '../../json.ts';
import { lintErrors } from '../errors.ts';
import { limitsIn, repeatedIn } from '../limits.ts';
import { finding } from '../ledger/rule.ts';
import { createShapeCheck } from '../shape.ts';
import { checkWalletErrors } from './errors.ts';
import { checkWalletExamples } from './examples.ts';
import { checkWalletReferences } from './references.ts';
import { readWalletDocuments, type WalletRule } from './rule.ts';
import { checkSecrets } from './secrets.ts';
import {
  OPERATION_SHAPE,
  WALLET_SCHEMA_SHAPE,
  WALLETS_HEAD_SHAPE,
  WALLETS_SCENARIO_SHAPE,
} from './shapes.ts';

const checkHead = createShapeCheck(WALLETS_HEAD_SHAPE);
const checkScenario = createShapeCheck(WALLETS_SCENARIO_SHAPE);
const checkOperation = createShapeCheck(OPERATION_SHAPE);
const checkSchema = createShapeCheck(WALLET_SCHEMA_SHAPE);

/** A limit is a keyword; no description says its number again. */
const checkRepeatedLimits: WalletRule = ({ parts }) =>
  parts.flatMap(({ file, pointer, schema }) =>
    repeatedIn(schema.description, limitsIn(parts.filter((part) => part.file === file))).map((limit) =>
      finding(
        'limits',
        { file, pointer: `${pointer}/description` },
        `the text repeats the limit ${limit}`,
        false,
      ),
    ),
  );

/** The rules, one step after the other: what a step finds to be unusable is not shown to the next. */
const STEPS: readonly (readonly WalletRule[])[] = [
  [checkWalletReferences],
  [checkWalletErrors],
  [checkWalletExamples, checkSecrets, checkRepeatedLimits],
];

/** Lints the wallet documents: every file by itself, then the rules. */
export const lintWallets = (sources: Sources): readonly Problem[] => {
  const shape = [
    ...lintErrors(sources),
    ...whole(sources, WALLETS_HEAD_FILE, checkHead),
    ...whole(sources, WALLETS_SCENARIO_FILE, checkScenario),
    ...operationFiles(sources).flatMap(([file, value]) => checkOperation(file, value as unknown as Json)),
    ...walletSchemaFiles(sources).flatMap(([file, value]) => checkSchema(file, value as unknown as Json)),
  ];
  if (shape.length > 0) return shape;
  const documents = readWalletDocuments(sources);
  const found: Problem[] = [];
  for (const rules of STEPS) {
    found.push(...rules.flatMap((rule) => rule(documents)));
    if (found.some(({ blocking }) => blocking)) break;
  }
  return found;
};

const whole = (
  sources: Sources,
  file: string,
  check: ReturnType<typeof createShapeCheck>,
): readonly Problem[] => {
  const value = sources.get(file);
  if (value !== undefined) return check(file, value);
  return [{ file, pointer: '', rule: 'shape', message: 'the file is missing', blocking: true }];
};
