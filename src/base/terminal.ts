/** The process that a command runs in, as far as a command sees it. */
export type Terminal = {
  readonly env: NodeJS.ProcessEnv;
  readonly writeOut: (text: string) => void;
  /** Takes notes and error messages; results go to `writeOut`. */
  readonly writeError: (text: string) => void;
  /** True if notes go to a terminal, which a line can be written anew in. Default false. */
  readonly isInteractive?: boolean;
};
