import type { RestCase, RestCaseRequest } from '../../../runtime/rest-case.ts';
import { MissingValue } from '../wallets/send-case.ts';
import type { SendWalletRequest } from '../wallets/run-contract.ts';

/** One byte more than a server takes by default. */
const OVERSIZED_BYTES = 1_048_577;

export const oversizedText = (): string => ' '.repeat(OVERSIZED_BYTES);

/** A request whose token or session is refused goes no further, whatever else is in it. */
export function isRefusedAtOnce({ expect }: RestCase): boolean {
  return expect.kind === 'problem' && expect.status === 401;
}

/** @throws MissingValue with this reason. */
export function missing(reason: string): never {
  throw new MissingValue(reason);
}

/** Makes a value once by its name. What failed is not tried again. */
export function rememberEach() {
  const known = new Map<string, Promise<string>>();
  return (name: string, make: () => Promise<string>): Promise<string> => {
    const value = known.get(name) ?? make();
    known.set(name, value);
    return value;
  };
}

/** Calls an operation for a value. @throws MissingValue when the server does not do it. */
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

/** A text of an answer. @throws MissingValue where it is none. */
export function textOf(value: unknown, name: string): string {
  return typeof value === 'string'
    ? value
    : missing(`the run could not prepare it: the answer lacks ${name}`);
}

/** The members of an answer; none where it is no JSON object. */
export function parseMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
