import type { ListRequestsQuery } from '../../../../generated/account/types.ts';

/** The filters of the list, with their names in the address of the page. */
export type RequestFilters = Omit<ListRequestsQuery, 'limit' | 'cursor'>;

const TEXTS = ['network', 'method', 'caller_id', 'error', 'node', 'since', 'until', 'request_id'] as const;
const NUMBERS = ['status', 'min_duration_ms', 'min_bytes'] as const;
export const PROTOCOLS = ['json_rpc', 'websocket', 'grpc', 'wallets', 'account'] as const;
const OUTCOMES = ['ok', 'failed'] as const;

/** Reads the filters from the address of the page. What it cannot mean is left out. */
export function readFilters(params: URLSearchParams): RequestFilters {
  const texts = TEXTS.flatMap((name) => {
    const text = params.get(name)?.trim() ?? '';
    return text === '' ? [] : [[name, text] as const];
  });
  const numbers = NUMBERS.flatMap((name) => {
    const text = params.get(name) ?? '';
    return /^\d{1,12}$/.test(text) ? [[name, Number(text)] as const] : [];
  });
  const protocol = PROTOCOLS.find((one) => one === params.get('protocol'));
  const outcome = OUTCOMES.find((one) => one === params.get('outcome'));
  return {
    ...Object.fromEntries([...texts, ...numbers]),
    ...(protocol !== undefined && { protocol }),
    ...(outcome !== undefined && { outcome }),
  };
}

/** Returns the address of the page with these filters, without empty ones. */
export function printFilters(filters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value.trim() !== ''));
}

/** Returns an instant as a field for date and time takes it, in the time zone of the reader; empty without one. */
export function toLocalInput(at: string | undefined): string {
  const instant = new Date(at ?? Number.NaN);
  if (Number.isNaN(instant.getTime())) return '';
  return new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the instant of such a field; empty if it is. */
export function fromLocalInput(text: string): string {
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? '' : instant.toISOString();
}
