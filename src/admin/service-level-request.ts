import { isPrintable } from '../../runtime/printable.ts';
import { serviceError } from '../base/service-error.ts';

/** A request about the service level, checked. */
export type ServiceLevelRequest =
  /** `account` undefined: of the service, without the requests of accounts. */
  | { readonly kind: 'availability'; readonly account: string | undefined }
  | { readonly kind: 'planned-work.list' }
  | {
      readonly kind: 'planned-work.announce';
      readonly startMs: number;
      readonly endMs: number;
      readonly note: string;
    }
  | { readonly kind: 'planned-work.cancel'; readonly id: string };

type Members = Readonly<Record<string, unknown>>;
type Kind = ServiceLevelRequest['kind'];

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const READERS: {
  readonly [K in Kind]: (members: Members) => Omit<Extract<ServiceLevelRequest, { kind: K }>, 'kind'>;
} = {
  availability: ({ account }) => ({ account: account === undefined ? undefined : String(account) }),
  'planned-work.list': () => ({}),
  'planned-work.announce': ({ startMs, endMs, note }) => ({
    ...{ startMs: readInstant('--from', startMs), endMs: readInstant('--until', endMs) },
    note: readNote(note),
  }),
  'planned-work.cancel': ({ id }) => ({ id: readId(id) }),
};

/** True for a request about the service level, by its kind. */
export function isServiceLevelRequest(members: Members): members is Members & { readonly kind: Kind } {
  return typeof members.kind === 'string' && Object.hasOwn(READERS, members.kind);
}

/**
 * Checks a request about the service level.
 *
 * @throws ServiceError `invalidCommand` with the mistake; `plannedWorkNotFound` for a malformed id.
 */
export function readServiceLevelRequest({ kind, ...members }: { readonly kind: Kind }): ServiceLevelRequest {
  return { kind, ...READERS[kind](members) } as ServiceLevelRequest;
}

function readInstant(option: string, instantMs: unknown): number {
  if (typeof instantMs === 'number' && Number.isSafeInteger(instantMs)) return instantMs;
  throw mistake(`${option} must be an instant in milliseconds, got ${JSON.stringify(instantMs)}`);
}

function readNote(note: unknown): string {
  if (isPrintable(note, 200)) return note;
  throw mistake('--note must have 1 to 200 printable characters: it tells all accounts what is done');
}

function readId(id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw serviceError('plannedWorkNotFound', { id: String(id) });
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
