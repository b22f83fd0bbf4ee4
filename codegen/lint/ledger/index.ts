import type { Sources } from '../../load.ts';
import {
  HEAD_FILE,
  methodFiles,
  PRESENTATION_FILE,
  SCENARIO_FILE,
  SUBSCRIPTIONS_FILE,
  schemaFiles,
  subscriptionFiles,
} from '../../model/ledger.ts';
import type { Problem } from '../../problem.ts';
import { lintErrors } from '../errors.ts';
import { createShapeCheck } from '../shape.ts';
import {
  COMMON_SHAPE,
  METHOD_SHAPE,
  PRESENTATION_SHAPE,
  SCENARIO_SHAPE,
  SCHEMA_SHAPE,
  SUBSCRIPTION_SHAPE,
} from '../shapes.ts';
import { checkDocument } from './document.ts';
import { checkExamples } from './examples.ts';
import { checkLive } from './live.ts';
import { checkNames } from './names.ts';
import { checkPositions } from './positions.ts';
import { checkReferences } from './references.ts';
import { checkRepeatedLimits } from './repeated-limits.ts';
import { type Rule, readDocuments } from './rule.ts';
import { checkScenario } from './scenario.ts';
import { checkSchemas } from './schemas.ts';
import { checkVersions } from './versions.ts';

const checkMethod = createShapeCheck(METHOD_SHAPE);
const checkSubscription = createShapeCheck(SUBSCRIPTION_SHAPE);
const checkCommon = createShapeCheck(COMMON_SHAPE);
const checkSchema = createShapeCheck(SCHEMA_SHAPE);
const checkPresentation = createShapeCheck(PRESENTATION_SHAPE);
const checkScenarioShape = createShapeCheck(SCENARIO_SHAPE);

/** The rules in steps: documents that fail a step are not checked by the next. */
const STEPS: readonly (readonly Rule[])[] = [
  [checkNames, checkReferences],
  [checkSchemas],
  [checkPositions, checkRepeatedLimits, checkScenario],
  [checkExamples, checkVersions, checkLive],
];

/** Lints the ledger documents: every file by itself, then the rules, then the whole as an OpenRPC document. */
export const lintLedger = (sources: Sources): readonly Problem[] => {
  const shape = [
    ...lintErrors(sources),
    ...[HEAD_FILE, PRESENTATION_FILE, SCENARIO_FILE, SUBSCRIPTIONS_FILE]
      .filter((file) => !sources.has(file))
      .map((file) => ({ file, pointer: '', rule: 'shape', message: 'the file is missing', blocking: true })),
    ...(sources.has(PRESENTATION_FILE)
      ? checkPresentation(PRESENTATION_FILE, sources.get(PRESENTATION_FILE) ?? null)
      : []),
    ...checkScenarioShape(SCENARIO_FILE, sources.get(SCENARIO_FILE) ?? {}),
    ...methodFiles(sources).flatMap(([file, value]) => checkMethod(file, value)),
    ...(sources.has(SUBSCRIPTIONS_FILE)
      ? checkCommon(SUBSCRIPTIONS_FILE, sources.get(SUBSCRIPTIONS_FILE) ?? null)
      : []),
    ...subscriptionFiles(sources).flatMap(([file, value]) => checkSubscription(file, value)),
    ...schemaFiles(sources).flatMap(([file, value]) => checkSchema(file, value)),
  ];
  if (shape.length > 0) return shape;
  const documents = readDocuments(sources);
  const found: Problem[] = [];
  for (const rules of STEPS) {
    found.push(...rules.flatMap((rule) => rule(documents)));
    if (found.some(({ blocking }) => blocking)) break;
  }
  return found.length > 0 ? found : checkDocument(documents);
};
