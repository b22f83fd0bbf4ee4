import type { Sources } from '../../load.ts';
import { HEAD_FILE, methodFiles, schemaFiles } from '../../model/ledger.ts';
import type { Problem } from '../../problem.ts';
import { lintErrors } from '../errors.ts';
import { createShapeCheck } from '../shape.ts';
import { METHOD_SHAPE, SCHEMA_SHAPE } from '../shapes.ts';
import { checkDocument } from './document.ts';
import { checkExamples } from './examples.ts';
import { checkNames } from './names.ts';
import { checkPositions } from './positions.ts';
import { checkReferences } from './references.ts';
import { checkRepeatedLimits } from './repeated-limits.ts';
import { type Rule, readDocuments } from './rule.ts';
import { checkSchemas } from './schemas.ts';

const checkMethod = createShapeCheck(METHOD_SHAPE);
const checkSchema = createShapeCheck(SCHEMA_SHAPE);

/** First every file by itself, then, if all have the right shape, the rules, one step after the other. */
const STEPS: readonly (readonly Rule[])[] = [
  [checkNames, checkReferences],
  [checkSchemas],
  [checkPositions, checkRepeatedLimits],
  [checkExamples, checkDocument],
];

/** Lints the ledger documents. */
export const lintLedger = (sources: Sources): readonly Problem[] => {
  const shape = [
    ...lintErrors(sources),
    ...(sources.has(HEAD_FILE)
      ? []
      : [{ file: HEAD_FILE, pointer: '', rule: 'shape', message: 'the file is missing', blocking: true }]),
    ...methodFiles(sources).flatMap(([file, value]) => checkMethod(file, value)),
    ...schemaFiles(sources).flatMap(([file, value]) => checkSchema(file, value)),
  ];
  if (shape.length > 0) return shape;
  const documents = readDocuments(sources);
  const found: Problem[] = [];
  for (const rules of STEPS) {
    found.push(...rules.flatMap((rule) => rule(documents)));
    if (found.some(({ blocking }) => blocking)) break;
  }
  return found;
};
