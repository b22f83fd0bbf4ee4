// Arguments and options that several commands share.
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../store/list-page.ts';
import type { ArgumentSpec, OptionSpec } from '../command-spec.ts';

export const ACCOUNT: ArgumentSpec = {
  name: 'ACCOUNT',
  summary: 'Name of the account; the development account is called development',
};
export const EMAIL: ArgumentSpec = { name: 'EMAIL', summary: 'Email that the member signs in with' };
export const WEBHOOK: ArgumentSpec = {
  name: 'ID',
  summary: 'Id of the webhook, as keyslot webhooks list shows it',
};
export const PLAN: ArgumentSpec = {
  name: 'NAME',
  summary: 'Name of the plan, as keyslot plans list shows it',
};
export const OF_ACCOUNT: OptionSpec = {
  name: 'account',
  value: 'NAME',
  summary: 'Only this account',
};

const CONFIG: OptionSpec = {
  name: 'config',
  value: 'FILE',
  summary: 'Configuration file of the server, as given to keyslot serve',
  path: 'file',
};

/** The options for the server that a command acts on, and for the form of its output. */
export const SERVER_OPTIONS: readonly OptionSpec[] = [
  CONFIG,
  {
    name: 'data-dir',
    value: 'DIR',
    summary: 'Data directory of the server, instead of KEYSLOT_DATA_DIR',
    fallback: '.keyslot',
    path: 'directory',
  },
  { name: 'json', summary: 'Print the result as one line of JSON' },
];

/** The options for the server whose dev.json has the address and the token of a command. */
export const DEVELOPMENT_OPTIONS: readonly OptionSpec[] = [
  CONFIG,
  {
    name: 'data-dir',
    value: 'DIR',
    summary: 'Data directory with dev.json, instead of KEYSLOT_DATA_DIR',
    fallback: '.keyslot',
    path: 'directory',
  },
];

/** The options of an unfiltered list. */
export const PAGE_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'limit',
    value: 'N',
    summary: `Most entries to print: 1 to ${MAX_LIMIT}`,
    fallback: `${DEFAULT_LIMIT}, with --jsonl all`,
  },
  { name: 'cursor', value: 'CURSOR', summary: 'Continue after a page, with its next_cursor' },
  { name: 'jsonl', summary: 'Print each entry as one line of JSON' },
];

/** The options of a list. */
export const LIST_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'since',
    value: 'TIME',
    summary: 'Start: 30m, 24h or 7d ago, or an instant such as 2025-01-31T12:00Z',
  },
  { name: 'until', value: 'TIME', summary: 'End, not included, in the form of --since' },
  ...PAGE_OPTIONS,
];

export const READY_JSON: OptionSpec = {
  name: 'json',
  summary: 'Print the addresses as one line of JSON when ready',
};
export const HOST: OptionSpec = {
  name: 'host',
  value: 'ADDRESS',
  summary: 'Address to listen on',
  fallback: '127.0.0.1',
};
