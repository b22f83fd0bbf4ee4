/** The options of every command that acts on a server, as they were parsed. */
export type ServerOptions = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

const TEXT = { type: 'string' } as const;

/** What every such command takes: which server, and how to print. */
export const SERVER_OPTIONS = { config: TEXT, 'data-dir': TEXT, json: { type: 'boolean' } } as const;
