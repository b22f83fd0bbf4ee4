import type { Json, JsonObject } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { Operation, Provocation, RequestExample } from '../../model/rest/operation.ts';
import type { RestCaseRequest } from '../../../runtime/rest-case.ts';

/** A valid request of an operation, for a run: with the body of its first example. */
export const goodRequest = (operation: Operation, example?: RequestExample): RestCaseRequest => {
  const chosen = example ?? operation.body?.examples[0];
  return provoked(
    operation,
    {
      method: operation.method.toUpperCase(),
      path: operation.path,
      token: operation.auth.includes('token') ? '$token' : 'none',
      ...(operation.auth.join() === 'session' && { session: '$session' }),
      headers: operation.body ? { 'Content-Type': 'application/json' } : {},
      ...(chosen && { body: chosen.value }),
    },
    { ...operation.live, ...chosen?.live },
  );
};

/** The request with parts replaced. */
export const provoked = (
  operation: Operation,
  request: RestCaseRequest,
  change: Provocation,
): RestCaseRequest => {
  const { body: present, ...rest } = request;
  const headers = { ...request.headers, ...change.headers };
  const isRaw = change.text !== undefined || change.bytes !== undefined;
  const body = change.body ?? withMembers(present, change.with);
  return {
    ...rest,
    ...(change.id !== undefined && { path: pathWith(operation, change.id) }),
    ...(change.query && { path: `${operation.path}?${new URLSearchParams(change.query)}` }),
    token: change.token ?? (change.session === undefined ? request.token : 'none'),
    ...((change.session ?? request.session) && { session: change.session ?? request.session }),
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== 'none')),
    ...(isRaw ? { text: change.text, bytes: change.bytes } : body === undefined ? {} : { body }),
  } as RestCaseRequest;
};

const pathWith = ({ path }: Operation, id: string): string => path.replace(/\{\w+\}/, () => id);

const withMembers = (body: unknown, members: JsonObject | undefined): Json | undefined =>
  members && isJsonObject(body) ? { ...body, ...members } : (body as Json | undefined);
