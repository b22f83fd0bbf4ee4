import { isJsonObject } from '../../json.ts';
import type { Content, Operation } from '../../model/rest/operation.ts';
import type { RestSchema } from '../../model/rest/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { pointerTo } from '../../problem.ts';
import { compileValidator } from '../../validators/compile.ts';
import { prepareBody } from '../../validators/prepare-body.ts';
import { specificErrors, toFault } from '../fault.ts';
import { finding } from '../ledger/rule.ts';
import type { RestRule } from './rule.ts';

/** Every example of a request has an answer with the same name, and both fit their schemas. */
export const checkExamples: RestRule = ({ model, operations }) => {
  const whole = model();
  return whole.operations.flatMap((operation) => {
    const file = operations.find((entry) => entry.operation.operationId === operation.id)?.file ?? '';
    const at = `/responses/${operation.success.status}/content`;
    return [
      ...checkPairs(operation).map(({ pointer, message }) =>
        finding('examples', { file, pointer }, message, false),
      ),
      ...(operation.body?.examples ?? []).flatMap(({ name, value }) =>
        invalidItems(value, operation.body?.schema, whole).map(({ pointer, message }) =>
          finding(
            'examples',
            { file, pointer: `${pointerTo('/requestBody/examples', name, 'value')}${pointer}` },
            message,
            false,
          ),
        ),
      ),
      ...operation.success.content.flatMap((content) =>
        checkContent(content, whole).map(({ pointer, message }) =>
          finding(
            'examples',
            { file, pointer: `${pointerTo(at, content.media)}/examples${pointer}` },
            message,
            false,
          ),
        ),
      ),
    ];
  });
};

type Misfit = { readonly pointer: string; readonly message: string };

const checkPairs = ({ body, success }: Operation): readonly Misfit[] => {
  if (!body) return [];
  const answered = success.content.flatMap(({ examples }) => Object.keys(examples));
  const asked = body.examples.map(({ name }) => name);
  return [
    ...asked
      .filter((name) => answered.filter((each) => each === name).length !== 1)
      .map((name) => ({
        pointer: pointerTo('/requestBody/examples', name),
        message: 'needs one example of an answer with the same name',
      })),
    ...answered
      .filter((name) => !asked.includes(name))
      .map((name) => ({ pointer: '/requestBody/examples', message: `there is no request ${name}` })),
  ];
};

const checkContent = (content: Content, model: RestModel): readonly Misfit[] =>
  Object.entries(content.examples).flatMap(([name, value]) => {
    const at = pointerTo('', name);
    if (content.schema)
      return invalidItems(value, content.schema, model).map((fault) => ({
        ...fault,
        pointer: at + fault.pointer,
      }));
    if (typeof value !== 'string') return [{ pointer: at, message: 'the example of a stream must be text' }];
    const items = content.media === 'text/csv' ? csvItems(value) : jsonItems(value);
    if (typeof items === 'string') return [{ pointer: at, message: items }];
    return items.flatMap((item, index) =>
      invalidItems(item, content.itemSchema, model).map(({ message, pointer }) => ({
        pointer: at,
        message: `line ${index + 1}${pointer}: ${message}`,
      })),
    );
  });

const jsonItems = (text: string): readonly unknown[] | string => {
  if (!text.endsWith('\n')) return 'the last line is not terminated';
  try {
    return text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  } catch {
    return 'a line is not JSON';
  }
};

/** The examples do not need quotes. */
const csvItems = (text: string): readonly unknown[] | string => {
  if (!text.endsWith('\r\n')) return 'the last row does not end with CRLF';
  const [columns = [], ...rows] = text
    .slice(0, -2)
    .split('\r\n')
    .map((row) => row.split(','));
  if (rows.some((row) => row.length !== columns.length))
    return 'a row does not have as many fields as the header';
  return rows.map((row) =>
    Object.fromEntries(columns.map((name, index) => [name, row[index]]).filter(([, field]) => field !== '')),
  );
};

const invalidItems = (
  value: unknown,
  schema: RestSchema | undefined,
  model: RestModel,
): readonly Misfit[] => {
  if (!schema) return [];
  const fits = compileValidator({ ...prepareBody(schema, model.schemas) });
  if (fits(isJsonObject(value) ? structuredClone(value) : value)) return [];
  return specificErrors(fits.errors ?? [])
    .slice(0, 1)
    .map(toFault)
    .map(({ pointer, message }) => ({ pointer, message: `does not fit: ${message}` }));
};
