import { OPERATIONS } from '../../../generated/wallets/operations.ts';
import type { LabGateway } from '../gateways/lab-gateway.ts';

/** The answer to a request of the wallet or the account service; status 0: the connection broke, or nothing came in time. */
export type ServiceAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

export type ServiceRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** From the root of the gateway, with the query. */
  readonly path: string;
  readonly token: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest time that it waits for the answer. */
  readonly deadlineMs?: number;
};

const DEADLINE_MS = 15_000;
const BROKEN: ServiceAnswer = { status: 0, body: {} };

/**
 * Asks a gateway. JSON Lines are answered as the member `lines`, which are complete: an answer that breaks off has status 0.
 *
 * @returns an answer in any case: what was not answered has status 0.
 */
export async function askService(
  { baseUrl }: Pick<LabGateway, 'baseUrl'>,
  { method, path, token, body, headers = {}, deadlineMs = DEADLINE_MS }: ServiceRequest,
): Promise<ServiceAnswer> {
  try {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      signal: AbortSignal.timeout(deadlineMs),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isLines = answer.headers.get('content-type')?.startsWith('application/jsonl') === true;
    return { status: answer.status, body: isLines ? { lines: parseLines(text) } : parseBody(text) };
  } catch {
    return BROKEN;
  }
}

/** True where asking again may help: not answered, refused for now, or at work for the first request under the same key. */
export function isPassing({ status, body }: ServiceAnswer): boolean {
  return status === 0 || status >= 500 || status === 429 || body.code === 'idempotency_key_in_use';
}

/** True for an answer that says that it is done. */
export function isDone({ status }: ServiceAnswer): boolean {
  return status >= 200 && status < 300;
}

function parseBody(text: string): ServiceAnswer['body'] {
  return text === '' ? {} : (JSON.parse(text) as ServiceAnswer['body']);
}

function parseLines(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

/** A request whose path is below that of wallets: empty, or `/<id>/sign`. */
export type WalletRequest = ServiceRequest;

/** Asks the wallet service of a gateway. What was not answered has status 0. */
export function askWallets(
  gateway: Pick<LabGateway, 'baseUrl'>,
  { path, ...request }: WalletRequest,
): Promise<ServiceAnswer> {
  return askService(gateway, { ...request, path: `${OPERATIONS.createWallet.path}${path}` });
}
