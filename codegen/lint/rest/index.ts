import type { Sources } from '../../load.ts';
import { operationFiles, schemaFiles } from '../../model/rest/rest.ts';
import { eventsFileOf } from '../../model/rest/events.ts';
import { namesOf, type Service } from '../../model/rest/service.ts';
import type { Problem } from '../../problem.ts';
import type { Json } from '../../json.ts';
import { lintErrors } from '../errors.ts';
import { limitsIn, repeatedIn } from '../limits.ts';
import { finding } from '../ledger/rule.ts';
import { createShapeCheck } from '../shape.ts';
import { checkErrors } from './errors.ts';
import { checkExamples } from './examples.ts';
import { checkReferences } from './references.ts';
import { readRestDocuments, type RestRule } from './rule.ts';
import { checkSecrets } from './secrets.ts';
import { EVENTS_SHAPE, OPERATION_SHAPE, SCHEMA_SHAPE, HEAD_SHAPE, SCENARIO_SHAPE } from './shapes.ts';

const checkHead = createShapeCheck(HEAD_SHAPE);
const checkScenario = createShapeCheck(SCENARIO_SHAPE);
const checkEvents = createShapeCheck(EVENTS_SHAPE);
const checkOperation = createShapeCheck(OPERATION_SHAPE);
const checkSchema = createShapeCheck(SCHEMA_SHAPE);

/** A limit is a keyword; no description repeats its number. */
const checkRepeatedLimits: RestRule = ({ parts }) =>
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

/** The rules in steps: documents that fail a step are not checked by the next. */
const STEPS: readonly (readonly RestRule[])[] = [
  [checkReferences],
  [checkErrors],
  [checkExamples, checkSecrets, checkRepeatedLimits],
];

/** Lints the documents of a service: every file by itself, then the rules. */
export const lintRest = (sources: Sources, service: Service): readonly Problem[] => {
  const { headFile, scenarioFile } = namesOf(service);
  const shape = [
    ...lintErrors(sources),
    ...whole(sources, headFile, checkHead),
    ...whole(sources, scenarioFile, checkScenario),
    ...(sources.has(eventsFileOf(service)) ? whole(sources, eventsFileOf(service), checkEvents) : []),
    ...operationFiles(sources, service).flatMap(([file, value]) =>
      checkOperation(file, value as unknown as Json),
    ),
    ...schemaFiles(sources, service).flatMap(([file, value]) => checkSchema(file, value as unknown as Json)),
  ];
  if (shape.length > 0) return shape;
  const documents = readRestDocuments(sources, service);
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
