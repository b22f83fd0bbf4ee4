import type { RestCase, RestCaseRequest } from '../../../../runtime/rest-case.ts';
import { MissingValue, type SendWalletRequest } from '../wallets/run-contract.ts';

/** One byte more than a server takes by default. */
const OVERSIZED_BYTES = 1_048_577;

export const oversizedText = (): string => ' '.repeat(OVERSIZED_BYTES);

/** True for a request whose token or session is refused, so that the server reads no further. */
export function isRefusedAtOnce({ expect }: RestCase): boolean {
  return expect.kind === 'problem' && expect.status === 401;
}

/** @throws MissingValue with this reason. */
export function missing(reason: string): never {
  throw new MissingValue(reason);
}

/** Creates each value once, by its name. A failure is not retried. */
export function rememberEach() {
  const known = new Map<string, Promise<string>>();
  return (name: string, make: () => Promise<string>): Promise<string> => {
    const value = known.get(name) ?? make();
    known.set(name, value);
    return value;
  };
}

/** Calls an operation for a value. @throws MissingValue if the server refuses it. */
export async function askForValue(
  send: SendWalletRequest,
  { method, path, ...parts }: Omit<RestCaseRequest, 'headers'> & Partial<Pick<RestCaseRequest, 'headers'>>,
): Promise<Readonly<Record<string, unknown>>> {
  const type = parts.body === undefined ? {} : { 'Content-Type': 'application/json' };
  const headers = { ...type, ...parts.headers };
  const { status, text } = await send({ method, path, ...parts, headers }, true);
  const answer = parseMembers(text);
  if (status >= 200 && status < 300) return answer;
  const code = typeof answer.code === 'string' ? ` ${answer.code}` : '';
  const shown = path.replace(/\/(w_\w+|[0-9a-f-]{36})$/, '');
  return missing(`the run could not prepare it: ${method} ${shown} answered ${status}${code}`);
}

/** Returns a string of an answer. @throws MissingValue if it is not a string. */
export function textOf(value: unknown, name: string): string {
  return typeof value === 'string'
    ? value
    : missing(`the run could not prepare it: the answer lacks ${name}`);
}

/** Returns the members of an answer; none if it is not a JSON object. */
export function parseMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
