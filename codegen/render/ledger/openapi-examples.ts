import type { JsonObject } from '../../json.ts';
import type { ErrorModel } from '../../model/errors.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Example, Method } from '../../model/method.ts';

/** Every example of a method as the body of a request, by a key; its name is the summary. */
export const requestExamples = ({ name, examples }: Method): JsonObject =>
  Object.fromEntries(
    examples.map((example) => [
      keyOf(example),
      {
        summary: example.name,
        value: {
          jsonrpc: '2.0',
          id: 1,
          method: name,
          ...(example.params.length > 0 && { params: example.params }),
        },
      },
    ]),
  );

/** Every example of a method as the body of an answer; an error whose message depends on the call is left to the method's table. */
export const replyExamples = ({ examples }: Method, model: LedgerModel): JsonObject =>
  Object.fromEntries(
    examples.flatMap((example) => {
      const outcome = outcomeOf(example, model);
      return outcome === undefined
        ? []
        : [[keyOf(example), { summary: example.name, value: { jsonrpc: '2.0', ...outcome, id: 1 } }]];
    }),
  );

const outcomeOf = ({ result, error, context = {} }: Example, model: LedgerModel): JsonObject | undefined => {
  if (error === undefined) return { result: result ?? null };
  const entry = model.errors.get(error);
  if (entry === undefined || !isFilledBy(entry, context)) return undefined;
  const { code, message } = entry.jsonrpc;
  const data = Object.fromEntries(entry.data.map((member) => [member, context[member] ?? null]));
  return {
    error: {
      code,
      message: message.replace(/\{(\w+)\}/g, (_, name: string) => String(context[name])),
      ...(entry.data.length > 0 && { data }),
    },
  };
};

const isFilledBy = ({ data, dataSchema, context: names }: ErrorModel, context: JsonObject): boolean =>
  dataSchema === undefined && [...data, ...Object.keys(names)].every((name) => context[name] !== undefined);

/** Names of examples are sentences; the keys of a components map are not. */
const keyOf = ({ name }: Example): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
