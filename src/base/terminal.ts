/** The process that a command runs in, as far as a command sees it. */
export type Terminal = {
  readonly env: NodeJS.ProcessEnv;
  readonly writeOut: (text: string) => void;
  /** Takes notes and error messages; results go to `writeOut`. */
  readonly writeError: (text: string) => void;
};
