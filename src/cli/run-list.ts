import { MAX_LIMIT } from '../account/list-page.ts';
import { runCommands } from '../admin/run-command.ts';
import { serviceError } from '../base/service-error.ts';
import type { Terminal } from '../base/terminal.ts';
import { openContext } from './ask-server.ts';
import { describeResult } from './describe-result.ts';
import type { GivenArguments } from './read-arguments.ts';
import type { ServerRequest } from './server-request.ts';

/** The member of a page that has its entries, by the kind of the request. */
const MEMBERS: Readonly<Record<string, string>> = {
  'accounts.list': 'accounts',
  'audit.list': 'records',
  'entries.list': 'entries',
  'invoices.list': 'invoices',
};

type Page = Readonly<Record<string, unknown>> & { readonly next_cursor?: string };

/** True for a request for a page of a list. */
export function isList({ kind }: ServerRequest): boolean {
  return Object.hasOwn(MEMBERS, kind);
}

/**
 * Prints a list: for people or, with `--json`, as one line of JSON, at most `--limit` entries; with `--jsonl` all of them unless that
 * is given, each as a line of JSON. Then pages are printed as they come: a list of any length takes the memory of one.
 *
 * @throws ServiceError with the mistake in the command, or the reason why it failed.
 */
export async function runList(
  request: ServerRequest,
  { options }: GivenArguments,
  terminal: Terminal,
): Promise<void> {
  const { json, jsonl, limit } = options;
  if (json === true && jsonl === true)
    throw serviceError('invalidCommand', { reason: 'expected either --json or --jsonl, got both' });
  const member = MEMBERS[request.kind] ?? '';
  const isEndless = jsonl === true && limit === undefined;
  const kept: unknown[] = [];
  const take = (entries: readonly unknown[]): void => {
    if (jsonl === true) terminal.writeOut(entries.map((one) => `${JSON.stringify(one)}\n`).join(''));
    else kept.push(...entries);
  };
  const context = await openContext(options, terminal, 'other');
  const last = await runCommands(context, request, async (ask) => {
    let left = isEndless ? Number.POSITIVE_INFINITY : Number(request.limit);
    let { cursor } = request;
    for (;;) {
      const size = isEndless ? MAX_LIMIT : left;
      const page = (await ask({ ...request, cursor, limit: size })) as Page;
      const entries = page[member] as readonly unknown[];
      take(entries);
      left -= entries.length;
      cursor = page.next_cursor;
      if (cursor === undefined || left <= 0) return page;
    }
  });
  if (jsonl === true) return;
  const { [member]: _taken, next_cursor, ...about } = last;
  const result = { ...about, [member]: kept, ...(next_cursor !== undefined && { next_cursor }) };
  terminal.writeOut(json === true ? `${JSON.stringify(result)}\n` : describeResult(request.kind, result));
}
