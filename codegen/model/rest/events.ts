import { deepFreeze } from '../../json.ts';
import type { Sources } from '../../load.ts';
import { fileTitle } from '../ledger.ts';
import type { OperationFile } from './operation.ts';
import { namesOf, type Service, WALLETS } from './service.ts';
import type { RestSchema } from './schema.ts';

/** An event that webhooks deliver. `data`: the title of the schema of its data. */
export type EventModel = {
  readonly type: string;
  readonly summary: string;
  readonly data: string;
  /** Its action in the audit log. */
  readonly action?: string;
};

/** events.yaml of a service, after the shape check. */
export type EventsFile = {
  readonly audit: RestSchema;
  readonly actions: Readonly<Record<string, string>>;
  readonly events: Readonly<Record<string, { readonly summary: string; readonly data: RestSchema }>>;
};

/** The path of a service's events.yaml, which may not exist. */
export const eventsFileOf = ({ folder }: Service): string => `${folder}/events.yaml`;

/** Reads the events in the order of their types; none without the file. Each action of both services is an event. */
export const readEvents = (sources: Sources, service: Service): readonly EventModel[] => {
  const file = sources.get(eventsFileOf(service)) as unknown as EventsFile | undefined;
  if (file === undefined) return [];
  const data = titleOf(file.audit);
  const own = [...actionsOf(sources, service), ...new Map(Object.entries(file.actions))];
  const audited = [
    ...[...actionsOf(sources, WALLETS)].map((entry) => ['wallet', entry] as const),
    ...own.map((entry) => ['account', entry] as const),
  ].map(([area, [action, summary]]) => ({ type: `${area}.${action}`, summary, data, action }));
  const others = Object.entries(file.events).map(([type, event]) => ({
    type,
    summary: event.summary,
    data: titleOf(event.data),
  }));
  return deepFreeze([...audited, ...others].sort((a, b) => (a.type < b.type ? -1 : 1)));
};

/** The actions of the operations of a service; an action of several operations has the summary of the first. */
const actionsOf = (sources: Sources, service: Service): ReadonlyMap<string, string> => {
  const { operationsFolder } = namesOf(service);
  const files = [...sources].filter(([path]) => path.startsWith(operationsFolder));
  const operations = files.map(([, value]) => value as unknown as OperationFile);
  return new Map(operations.toReversed().map(({ 'x-audit': action, summary }) => [action, summary]));
};

const titleOf = ({ $ref = '' }: RestSchema): string => fileTitle($ref);
