import { AnswerWalk } from './answer-walk.ts';
import type { Finding } from './finding.ts';
import { NO_NAME, printableName } from './printable-name.ts';
import { isMembers, type Members, SchemaForms } from './schema-forms.ts';
import { type AnswerSpec, parseAnswerSpec, type SpecSchema } from './spec-schema.ts';

/** Checks parsed messages of a node against the specification. Never throws; lists each finding once. */
export type AnswerCheck = {
  /** Checks the reply to a call of a method, subscribe and unsubscribe calls too. */
  readonly reply: (method: string, reply: unknown) => readonly Finding[];
  /** Checks the replies to a batch of calls. */
  readonly batch: (calls: unknown, replies: unknown) => readonly Finding[];
  readonly notification: (message: unknown) => readonly Finding[];
};

const VERSION: SpecSchema = { const: '2.0' };
const ANYTHING: SpecSchema = {};
/** A larger number is not an error code. */
const MAX_CODE = 1_000_000;

/** Reads the ledger's OpenRPC document and creates a check against it. */
export function createAnswerCheck(document: string): AnswerCheck {
  const spec = parseAnswerSpec(document);
  const forms = new SchemaForms(spec.schemas);
  const reply = (method: string, message: unknown): readonly Finding[] => {
    const result = spec.results.get(method);
    if (result === undefined) return [];
    const walk = new AnswerWalk(forms, method);
    walk.walk(closed({ jsonrpc: VERSION, id: ANYTHING, result, error: ERROR }), message);
    const error = isMembers(message) ? message.error : undefined;
    if (isMembers(error)) walkError(walk, error, spec);
    return walk.findings;
  };
  return {
    reply,
    batch: (calls, replies) => {
      const methods = methodsOf(calls);
      const found = itemsOf(replies).flatMap((item) => {
        const method = isMembers(item) ? methods.get(item.id) : undefined;
        return method === undefined ? [] : reply(method, item);
      });
      return [...new Map(found.map((finding) => [finding.name, finding])).values()];
    },
    notification: (message) => {
      const method = isMembers(message) ? message.method : undefined;
      if (typeof method !== 'string') return [];
      const params = spec.notifications.get(method);
      if (params === undefined) return [{ kind: 'notification', name: printableName(method) }];
      const walk = new AnswerWalk(forms, method);
      walk.walk(closed({ jsonrpc: VERSION, method: { type: 'string' }, params }), message);
      return walk.findings;
    },
  };
}

function closed(properties: Readonly<Record<string, SpecSchema>>): SpecSchema {
  return { type: 'object', additionalProperties: false, properties };
}

const ERROR: SpecSchema = closed({
  code: { type: 'integer' },
  message: { type: 'string' },
  data: ANYTHING,
});

function walkError(walk: AnswerWalk, { code, data }: Members, { errors }: AnswerSpec): void {
  if (typeof code !== 'number') return;
  const schema = errors.get(code);
  if (!errors.has(code)) walk.add('errorCode', ` error ${Math.abs(code) <= MAX_CODE ? code : NO_NAME}`);
  else if (schema !== undefined && isMembers(data)) walk.walk(schema, data, '.error', '.data');
}

/** Returns the method of each call by its id. */
function methodsOf(calls: unknown): ReadonlyMap<unknown, string> {
  return new Map(
    itemsOf(calls).flatMap((call) =>
      isMembers(call) && typeof call.method === 'string' ? [[call.id, call.method] as const] : [],
    ),
  );
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
