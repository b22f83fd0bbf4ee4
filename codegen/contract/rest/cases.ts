import { snakeCase, statusOf } from '../../model/errors.ts';
import type { Operation, OperationError, Provocation } from '../../model/rest/operation.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import type { RestCase, RestContract } from '../../../runtime/rest-case.ts';
import { bodyCases } from './body-cases.ts';
import { queryCases } from './query-cases.ts';
import { goodRequest, provoked } from './requests.ts';
import { excludedRoles, ROLE_REFUSAL, roleCases } from './role-cases.ts';

/** The contract of an operation as requests with expected answers. */
export const contractOf = (operation: Operation, model: RestModel): RestContract => ({
  cases: [
    ...exampleCases(operation),
    ...operation.errors.flatMap((error) => errorCases(operation, error, model)),
    ...bodyCases(operation, model),
    ...queryCases(operation, model),
    ...roleCases(operation, model),
  ],
  statuses: Object.fromEntries([
    [operation.success.status, []],
    ...[...Map.groupBy(operation.errors, ({ error }) => statusOf(error))].map(([status, members]) => [
      status,
      members.map(({ error }) => snakeCase(error.name)),
    ]),
  ]),
});

const exampleCases = (operation: Operation): readonly RestCase[] => {
  const { status, headers, content } = operation.success;
  return content.flatMap(({ media, examples }) =>
    Object.keys(examples).map((name) => {
      const example = operation.body?.examples.find((each) => each.name === name);
      return {
        operation: operation.id,
        name: example?.summary ?? name,
        kind: 'example' as const,
        example: name,
        request: goodRequest(operation, example),
        expect: { kind: 'success' as const, status, media, headers: ofMedia(headers, media) },
      };
    }),
  );
};

/** Headers that only streams have. */
const OF_STREAMS: Readonly<Record<string, readonly string[]>> = {
  'X-Wallet-Count': ['application/jsonl', 'text/csv'],
  'Content-Disposition': ['text/csv'],
};

const ofMedia = (headers: readonly string[], media: string): readonly string[] =>
  headers.filter((name) => OF_STREAMS[name]?.includes(media) ?? true);

const errorCases = (
  operation: Operation,
  { error }: OperationError,
  model: RestModel,
): readonly RestCase[] => {
  const status = statusOf(error);
  const headers = [...(model.head['x-headers'].every ?? []), ...(model.head['x-headers'][status] ?? [])];
  return provocations(operation, error.name, model).map((change) => {
    const request = provoked(operation, goodRequest(operation), change);
    return {
      operation: operation.id,
      name: [error.name, change.name ?? (change.session && nameOf(change.session))]
        .filter(Boolean)
        .join(': '),
      kind: 'error' as const,
      example: snakeCase(error.name),
      ...(change.condition !== undefined && { condition: change.condition }),
      ...(change.before && { before: provoked(operation, request, change.before) }),
      request,
      expect: {
        kind: 'problem' as const,
        status,
        code: snakeCase(error.name),
        ...(change.pointer !== undefined && { pointer: change.pointer }),
        headers,
      },
    };
  });
};

/** The ways to an error: the operation's own instead of those of every operation, or both if the body is checked. */
export const provocations = (
  operation: Operation,
  error: string,
  { scenario, head }: RestModel,
): readonly Provocation[] => {
  if (error === ROLE_REFUSAL) return excludedRoles(operation, head).map((session) => ({ session }));
  const own = operation.provoke[error] ?? [];
  const common = scenario.provoke[error] ?? [];
  const isReplaced =
    own.some(({ name }) => name === undefined) || (own.length > 0 && error === 'walletNotFound');
  return isReplaced ? own : [...common, ...own];
};

const nameOf = (value: string): string => value.replace('$', '').replaceAll('_', ' ');
