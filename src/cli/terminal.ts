/** What a command has of the process that it runs in. */
export type Terminal = {
  readonly env: NodeJS.ProcessEnv;
  readonly writeOut: (text: string) => void;
  /** For what is no result: notes and mistakes. */
  readonly writeError: (text: string) => void;
};
