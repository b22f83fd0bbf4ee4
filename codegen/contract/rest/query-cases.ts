import { isJsonObject, type Json } from '../../json.ts';
import { resolve } from '../../model/schema.ts';
import type { Operation } from '../../model/rest/operation.ts';
import type { RestSchema } from '../../model/rest/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { edges } from './body-cases.ts';
import { goodRequest, provoked } from './requests.ts';

/** Name and value. */
type Parameter = readonly [string, string];

/** Cases for invalid query parameters (not a number, beyond a limit, repeated), and for valid values at a limit. */
export const queryCases = (operation: Operation, model: RestModel): readonly RestCase[] => {
  if (!operation.query) return [];
  const { properties = {} } = resolve(operation.query, model.schemas);
  return Object.entries(properties).flatMap(([name, written]) => {
    const schema: RestSchema = resolve(written, model.schemas);
    const [good] = schema.examples ?? [schema.minimum ?? 1];
    return [
      ...(schema.type === 'integer' ? [refused('type', `${name} as a word`, [[name, 'many']])] : []),
      refused('type', `${name} given twice`, [
        [name, String(good)],
        [name, String(good)],
      ]),
      ...edges({ schema }).map(({ name: edge, value, isInside }) => {
        const title = `${name} ${edge}`;
        return isInside ? taken(title, name, value) : refused('limit', title, [[name, textOf(value)]]);
      }),
    ];
  });

  function requestWith(parameters: readonly Parameter[]): RestCase['request'] {
    const request = provoked(operation, goodRequest(operation), {});
    return {
      ...request,
      path: `${request.path}?${new URLSearchParams(parameters.map(([key, value]): [string, string] => [key, value]))}`,
    };
  }

  function refused(kind: RestCase['kind'], name: string, parameters: readonly Parameter[]): RestCase {
    return {
      operation: operation.id,
      name,
      kind,
      request: requestWith(parameters),
      expect: {
        kind: 'problem',
        status: 400,
        code: 'query_invalid',
        pointer: `/${parameters[0]?.[0]}`,
        headers: model.head['x-headers'].every ?? [],
      },
    };
  }

  function taken(title: string, name: string, value: Json): RestCase {
    return {
      operation: operation.id,
      name: title,
      kind: 'limit',
      request: requestWith([[name, textOf(value)]]),
      expect: { kind: 'not-refused', pointer: `/${name}` },
    };
  }
};

/** A URL contains the text itself. */
const textOf = (value: Json): string =>
  isJsonObject(value) ? String(value.$repeat).repeat(Number(value.times)) : String(value);
