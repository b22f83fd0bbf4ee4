import { childSchemas, refTitle, type Schema } from '../../model/schema.ts';
import { callables, type LedgerModel, sentSchemas } from '../../model/ledger.ts';
import { reachedFrom } from '../../model/reach.ts';
import { expectedOf } from '../../validators/prepare-param.ts';
import type { Problem } from '../../problem.ts';
import { LIMITS } from '../limits.ts';
import { finding, type LedgerDocuments, partsOf, type LocatedSchema, type Rule } from './rule.ts';

/** Results are closed and state required members; params are open, have an error for each limit and a name for error texts. */
export const checkPositions: Rule = (documents) => {
  const model = documents.model();
  const circles = circularParams(documents, model);
  if (circles.length > 0) return circles;
  return [
    ...reached(documents, model, 'result').flatMap(checkResult),
    ...reached(documents, model, 'param').flatMap(checkParam),
    ...optionalFirst(documents),
  ];
};

/** Every part of every schema in its position, with its place in the documents. */
const reached = (
  { parts, schemas }: LedgerDocuments,
  model: LedgerModel,
  position: 'param' | 'result',
): readonly LocatedSchema[] => {
  const roots =
    position === 'result'
      ? sentSchemas(model)
      : callables(model).flatMap(({ params }) => params.map(({ schema }) => schema));
  const titles = new Set(roots.flatMap((schema) => [...reachedFrom(schema, model.schemas).keys()]));
  const shared = [...titles].flatMap((title) => {
    const entry = schemas.get(title);
    return entry ? partsOf({ ...entry, pointer: '', position: 'schema' }) : [];
  });
  return [...parts.filter((part) => part.position === position), ...shared];
};

const checkResult = (part: LocatedSchema): readonly Problem[] => {
  const { schema } = part;
  const report = (message: string) => finding('results', part, message, false);
  return [
    ...(schema.type === 'object' && !schema['x-map'] && schema.additionalProperties !== false
      ? [report('a result object states additionalProperties: false')]
      : []),
    ...(schema.type === 'object' && !schema['x-map'] && schema.required === undefined
      ? [report('a result object states what is required')]
      : []),
    ...(schema['x-lenient'] ? [report('a result has exact values: x-lenient is for params')] : []),
  ];
};

const checkParam = (part: LocatedSchema): readonly Problem[] => {
  const { schema } = part;
  return [
    ...(schema.additionalProperties !== undefined
      ? [finding('params', part, 'a params object is open: it states no additionalProperties')]
      : []),
    ...limitsWithoutError(schema).map((keyword) =>
      finding('params', part, `x-errors names no error for ${keyword}`),
    ),
    ...(schema.anyOf && schema['x-expected'] === undefined && schema.title === undefined
      ? [finding('params', part, 'a union in params needs x-expected or a title')]
      : []),
    ...(schema.type === 'object' && expectedOf(schema) === 'struct'
      ? [finding('params', part, 'an object in params needs x-expected or a title')]
      : []),
  ];
};

const circularParams = ({ calls }: LedgerDocuments, model: LedgerModel): readonly Problem[] =>
  callables(model).flatMap((callable, index) => {
    const isCircular = callable.params.some(({ schema }) => hasCircle(schema, model, []));
    return isCircular
      ? [
          finding(
            'params',
            // The unsubscribe call is described once, at the end of the documents.
            { file: (calls[index] ?? calls.at(-1))?.file ?? '', pointer: '/params' },
            'params refer to themselves',
          ),
        ]
      : [];
  });

const hasCircle = (schema: Schema, model: LedgerModel, trail: readonly string[]): boolean => {
  const title = schema.$ref === undefined ? undefined : refTitle(schema.$ref);
  if (title !== undefined && trail.includes(title)) return true;
  const target = title === undefined ? undefined : model.schemas.get(title);
  const next = title === undefined ? trail : [...trail, title];
  return (
    (target !== undefined && hasCircle(target, model, next)) ||
    childSchemas(schema).some(([, child]) => hasCircle(child, model, next))
  );
};

const optionalFirst = ({ calls }: LedgerDocuments): readonly Problem[] =>
  calls.flatMap(({ file, pointer, call }) => {
    const params = call.params ?? [];
    const firstOptional = params.findIndex(({ required }) => !required);
    return params.flatMap(({ required, name }, index) =>
      required && firstOptional >= 0 && index > firstOptional
        ? [
            finding(
              'params',
              { file, pointer: `${pointer}/params/${index}` },
              `${name} is required, but a param before it is optional`,
            ),
          ]
        : [],
    );
  });

/** Limits without an error. */
const limitsWithoutError = (schema: Schema): readonly string[] =>
  [...LIMITS, 'pattern' as const, 'not' as const].filter(
    (keyword) => schema[keyword] !== undefined && schema['x-errors']?.[keyword] === undefined,
  );
